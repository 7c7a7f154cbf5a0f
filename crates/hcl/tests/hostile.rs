//! Source text that nobody writes: it gets an answer or an error, in little time and on a small stack.

use objchange_hcl::{
    Functions, Scope, Variables, evaluate, parse_body, parse_expression, parse_template, variables,
};

/// On the stack that a thread has if nobody asks for more.
fn on_a_thread(f: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(f).unwrap().join().unwrap();
}

/// Reads a text in every way, and evaluates it if it can be.
fn survive(text: &str) {
    for parsed in [parse_expression(text), parse_template(text)].into_iter().flatten() {
        variables(&parsed);
        evaluate(&parsed, &Scope::new(&Variables::default()), Functions::pure());
    }
    drop(parse_body(text));
    drop(parse_body(&format!("a = {text}\n")));
}

#[test]
fn nothing_nests_so_deep_that_the_stack_overflows() {
    const N: usize = 20_000;
    let around = |open: &str, inside: &str, close: &str, n: usize| {
        format!("{}{inside}{}", open.repeat(n), close.repeat(n))
    };
    on_a_thread(move || {
        // As deep as is allowed, and much deeper.
        for n in [50, 66, 99, 198, N] {
            for (open, inside, close) in [
                ("(", "1", ")"),
                ("[", "1", "]"),
                ("{a = ", "1", "}"),
                ("upper(", "1", ")"),
                ("try(", "1", ")"),
                ("!", "true", ""),
                ("-", "1", ""),
                ("[for x in [1] : ", "1", "]"),
                ("true ? 1 : ", "1", ""),
                ("true ? ", "1", " : 1"),
                ("1 + (", "1", ")"),
                ("\"${", "1", "}\""),
                ("%{ if true }", "a", "%{ endif }"),
                ("%{ for x in [1] }", "a", "%{ endfor }"),
                ("\"%{ if true }${", "1", "}%{ endif }\""),
                ("b {\n", "", "}\n"),
                ("a", "", "[0]"),
                ("a", "", "[a]"),
                ("[0]", "", "[*]"),
                ("a", "", ".b"),
                ("<<E\n${", "1", "}\nE\n"),
            ] {
                survive(&around(open, inside, close, n));
            }
        }
        for repeated in
            ["1 + ", "a.", "[0]", "[*]", ".*", "[a]", "true && ", "a::", "$", "%", "\"", "<<E\n", "/*", "#"]
        {
            survive(&format!("a{}1", repeated.repeat(N)));
            survive(&repeated.repeat(N));
        }
    });
}

#[test]
fn a_long_chain_of_operators_is_not_deep() {
    on_a_thread(|| {
        let parsed = parse_expression(&format!("{}1", "1 + ".repeat(50_000))).unwrap();
        let (value, errors) = evaluate(&parsed, &Scope::new(&Variables::default()), Functions::pure());
        assert_eq!((value, errors.len()), (objchange::Value::from(50_001), 0));
    });
}

#[test]
fn evaluation_is_bounded() {
    let list = format!("[{}]", "1,".repeat(1_000));
    let nested = format!("[for a in {list} : [for b in {list} : [for c in {list} : [for d in {list} : d]]]]");
    let parsed = parse_expression(&nested).unwrap();
    let (_, errors) = evaluate(&parsed, &Scope::new(&Variables::default()), Functions::pure());
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].summary, "Evaluation too large");
}

/// Each level holds the one before twice: small in memory, and endless for whoever walks through it.
#[test]
fn values_that_share_their_parts_are_counted_as_they_are_seen() {
    let doubled = |depth: usize, inside: &str, last: &str| {
        let loops: String = (0..depth).map(|i| format!("[for x{} in [[x{i}, x{i}]] : ", i + 1)).collect();
        format!(
            "[for x0 in [{inside}] : {loops}{}{}]",
            last.replace("LAST", &format!("x{depth}")),
            "]".repeat(depth)
        )
    };
    for depth in [22, 95] {
        for (inside, last) in [
            ("1", "LAST"),
            ("1", "LAST == LAST"),
            ("1", "jsonencode(LAST)"),
            ("1", "length(tolist(LAST))"),
            ("u ? [1] : [2, 3]", "LAST"),
            ("u ? {a = 1} : {a = \"b\"}", "u ? LAST : null"),
            ("{a = 1}", "LAST[0] == LAST[1]"),
        ] {
            {
                let text = doubled(depth, inside, last);
                let parsed = parse_expression(&text).unwrap();
                let variables: Variables =
                    [("u", objchange::Value::unknown(objchange::Type::Bool))].into_iter().collect();
                let (value, errors) = evaluate(&parsed, &Scope::new(&variables), Functions::pure());
                // What is answered can be shown.
                assert!(format!("{value:?}").len() < 1 << 20, "{text}");
                let is_told = errors.iter().any(|error| error.summary == "Evaluation too large");
                assert!(is_told || depth == 22, "{text}: {errors:?}");
            }
        }
    }
    // As many parts that are each seen once are nothing special.
    let parsed = parse_expression(&doubled(12, "1", "LAST")).unwrap();
    assert_eq!(evaluate(&parsed, &Scope::new(&Variables::default()), Functions::pure()).1, []);
}
