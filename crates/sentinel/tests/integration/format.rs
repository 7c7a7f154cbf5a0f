//! The form of policies.

use std::thread;

use objchange_sentinel::{LineIndex, format};

#[track_caller]
fn check(text: &str, expected: &str) {
    let form = format(text).unwrap_or_else(|errors| panic!("{}", errors[0]));
    assert_eq!(form, expected);
    assert_eq!(format(&form).unwrap(), expected, "a form is stable");
}

/// The text is formatted already.
#[track_caller]
fn stays(text: &str) {
    check(text, text);
}

#[test]
fn a_policy_as_it_is_written() {
    stays(
        r#"# Which instances are allowed.
import "tfplan/v2" as tfplan
import "strings"

param allowed default ["t3.small", "t3.micro"]
param limit default -1

/* Only those that
   will be there. */
instances = filter tfplan.resource_changes as _, rc {
	rc.mode is "managed" and
		rc.type is "aws_instance" and
		(rc.change.actions contains "create" or
			rc.change.actions is ["update"])
}

tags = {
	"Name":  "",
	"Owner": "x", // or a team

	"CostCenter": 12,
	"Team": [
		"a", "b",
		"c",
	],
}

func wrong(instance) {
	# Unknown types are undefined.
	type = instance.change.after.instance_type else ""
	if type is "" {
		return false
	} else if strings.has_prefix(type, "x") and
		type not in allowed {
		print("not allowed:", type,
			"of", instance.address)
		return true
	} // all others
	for keys(tags) as key {
		if instance.change.after.tags[key] else null is null {
			continue
		}
	}
	return not (type in allowed)
}

names = map instances as address, _ { strings.split(address, ".")[-1:] }

main = rule when limit is not 0 {
	all instances as _, instance {
		not wrong(instance)
	}
}
"#,
    );
}

#[test]
fn spaces() {
    check("a=1+2*-x", "a = 1 + 2 * -x\n");
    check("a   =  !b  and not  c", "a = !b and not c\n");
    check("a=x [ 1 ] . b ( c , d ) [ : 2 ]", "a = x[1].b(c, d)[:2]\n");
    check("a=1 .x+1.5.y", "a = 1 .x + 1.5.y\n");
    check("a={ \"x\" :1,2 :[ ] }", "a = {\"x\": 1, 2: []}\n");
    check("a+=b  is   not  empty", "a += b is not empty\n");
    check("a=any(b)as k ,v{v}", "a = any (b) as k, v { v }\n");
    check("a=filter [1]as v{v}\nfilter  =map [0]", "a = filter [1] as v { v }\nfilter = map[0]\n");
    check("f=func( a,b , ){return a}", "f = func(a, b) { return a }\n");
    check("f=func ( ) { }", "f = func() {}\n");
    check("a = rule{b}", "a = rule { b }\n");
}

#[test]
fn semicolons_and_lines() {
    check("a=1;b=2 ; ;\r\n\r\n\r\n\r\nc=3;", "a = 1\nb = 2\n\nc = 3\n");
    check("\u{feff}\n\n a=1\n\n\n", "a = 1\n");
    check("", "");
    check(" \n\n", "");
    check("if a{b=1}else{c=1}", "if a {\n\tb = 1\n} else {\n\tc = 1\n}\n");
    check("if a {\n\n b\n\n\n c\n\n}\nelse { }", "if a {\n\n\tb\n\n\tc\n\n} else {}\n");
    check("f=func(){a=1;return a}", "f = func() {\n\ta = 1\n\treturn a\n}\n");
    check(
        "r = rule { func() { if a { return 1 } }() }",
        "r = rule {\n\tfunc() {\n\t\tif a {\n\t\t\treturn 1\n\t\t}\n\t}()\n}\n",
    );
}

#[test]
fn a_case() {
    check(
        "case a{when 1,2:b=1\n\nwhen 3:\nelse:\n\n# none\n}",
        "case a {\n\twhen 1, 2:\n\t\tb = 1\n\n\twhen 3:\n\telse:\n\t# none\n}\n",
    );
    check("case a{when 1:if b{}\nelse:c}", "case a {\n\twhen 1:\n\t\tif b {}\n\telse:\n\t\tc\n}\n");
    check("case{else:a\nwhen b:c}", "case {\n\telse:\n\t\ta\n\twhen b:\n\t\tc\n}\n");
}

#[test]
fn lists_go_on_where_they_did() {
    check("a = [1,2,\n3]", "a = [1, 2,\n\t3]\n");
    check("a = [\n1,2,\n\n3]", "a = [\n\t1, 2,\n\n\t3]\n");
    check("a = [\n1\n,2\n]", "a = [\n\t1,\n\t2,\n]\n");
    check("a = [ 1, 2, ]", "a = [1, 2]\n");
    check("a = f({\n1: 2\n}, [\n3\n])", "a = f({\n\t1: 2,\n}, [\n\t3,\n])\n");
    check("a = (\nb or\nc\n)", "a = (\n\tb or\n\t\tc)\n");
    check("a = b or\nc and\nd", "a = b or\n\tc and\n\t\td\n");
}

#[test]
fn values_of_a_map_share_a_column() {
    check("a = {\n1: 2,\n\"longer\":3}", "a = {\n\t1:        2,\n\t\"longer\": 3}\n");
    check(
        "a = {\n1: 2,\n\"much longer than all of them\":3,\n}",
        "a = {\n\t1: 2,\n\t\"much longer than all of them\": 3,\n}\n",
    );
    check("a = {\n1: [\n1,\n],\n\"long\": 2}", "a = {\n\t1: [\n\t\t1,\n\t],\n\t\"long\": 2}\n");
    check("a = {\n1:\n2,\n\"ab\": 2}", "a = {\n\t1:    2,\n\t\"ab\": 2}\n");
}

/// As in 92 of 92 rules of 21 public repositories that check the form of their policies.
#[test]
fn a_chain_of_names_in_a_rule() {
    stays("main = rule {\n\ta and\n\tb and\n\tc\n}\n");
    stays("main = rule {\n\t(a is 1) and\n\t\tb\n}\n");
    stays("main = rule {\n\ta is 1 and\n\t\tb\n}\n");
    stays("main = rule {\n\tnot a and\n\t\tb\n}\n");
    stays("x = all xs as _, x {\n\ta and\n\tb\n}\n");
    stays("x = a and\n\tb\n");
}

#[test]
fn comments_stay_where_they_are() {
    check("a=1// one\n//two\n\n\n#three", "a = 1 // one\n//two\n\n#three\n");
    check("/* a */b=1", "/* a */ b = 1\n");
    check("a;/* b */c", "a /* b */\nc\n");
    check("a=[1// one\n,2 /* two */]", "a = [1, // one\n\t2 /* two */]\n");
    check("a=[ // first\n1 // last\n]", "a = [ // first\n\t1, // last\n]\n");
    check("a=[\n// none\n]", "a = [\n\t// none\n]\n");
    check("f=func(/* in */a,b/* out */){\n# empty\n}", "f = func(/* in */ a, b /* out */) {\n\t# empty\n}\n");
    check("a=b and// why\nc", "a = b and // why\n\tc\n");
    check("a=b and\n// why\n\n\nc", "a = b and\n\t// why\n\tc\n");
    check("a={\n// key\n1:// value\n2}", "a = {\n\t// key\n\t1: // value\n\t\t2}\n");
    check("if a {\n}// so\n// else\nelse { }", "if a {} // so\n// else\nelse {}\n");
    check("a=rule{ # why\nb\n# end\n}", "a = rule { # why\n\tb\n\t# end\n}\n");
    check("if a {\n  /* of\n   * stars\n   */\n}", "if a {\n\t/* of\n\t * stars\n\t */\n}\n");
    check("if a {\n  /* as\n it  \n is */\n}", "if a {\n\t/* as\n it\n is */\n}\n");
}

#[test]
fn literals_stay_as_they_are() {
    stays("a = [0x1F, 017, 1.50, .5, 1., 1e5, \"\\x41 // \\\"\", `a\n\t\\`]\n");
    check("a = `b\r\nc`", "a = `b\nc`\n");
}

#[test]
fn what_cannot_be_read_has_no_form() {
    let text = "a = ]\nb = [1\nc = 1";
    let (errors, lines) = (format(text).unwrap_err(), LineIndex::new(text));
    let errors: Vec<String> = errors.iter().map(|error| error.with_position(&lines)).collect();
    assert_eq!(
        errors,
        ["1:5: expected an expression, found ]", "3:1: expected , or ] in this list, found c"]
    );
}

#[test]
fn deep_texts_need_little_stack() {
    let check = || {
        for (open, close) in [
            ("[", "]"),
            ("(", ")"),
            ("{1:", "}"),
            ("-", ""),
            ("rule {", "}"),
            ("f(", ")"),
            ("func() { return ", "}"),
            ("any [] as x {", "}"),
        ] {
            let deepest = (0..200).rev().find_map(|depth| {
                format(&format!("a = {}1{}", open.repeat(depth), close.repeat(depth))).ok()
            });
            assert!(deepest.is_some_and(|form| form.len() > 100), "{open}");
        }
    };
    thread::Builder::new().stack_size(2 << 20).spawn(check).unwrap().join().unwrap();
}
