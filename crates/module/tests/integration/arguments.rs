//! Arguments of `plan`, as Terraform 1.11.4 answers them.

use objchange_module::PlanArguments;
use objchange_module::plan::PlanOptions;

fn errors(arguments: &PlanArguments) -> Vec<(String, String)> {
    let (_, found) = arguments.apply(PlanOptions::default());
    found.iter().map(|one| (one.diagnostic.summary.to_string(), one.diagnostic.detail.to_string())).collect()
}

#[test]
fn wrong_targets_are_told_in_terraforms_words() {
    for (target, detail) in [
        ("terraform_data", "Resource specification must include a resource type and name."),
        ("module.", "Dot must be followed by attribute name."),
        ("module", "Prefix \"module.\" must be followed by a module name."),
        ("module.m.terraform_data", "Resource specification must include a resource type and name."),
        ("terraform_data.a[", "Index brackets must contain either a literal number or a literal string."),
        ("terraform_data.a[\"x", "Unable to find the closing quote mark before the end of the file."),
        ("terraform_data.a[x]", "Index brackets must contain either a literal number or a literal string."),
        (
            "terraform_data.a[1.5]",
            "Invalid resource instance key: value must be a whole number, between -9223372036854775808 and \
             9223372036854775807.",
        ),
        ("data.x", "Resource specification must include a resource type and name."),
        ("data.x.y.z", "Resource instance key must be given in square brackets."),
        ("terraform_data.a.b", "Resource instance key must be given in square brackets."),
        ("", "Must begin with a variable name."),
        ("a b", "Expected an attribute access or an index operator."),
        ("module.m.module", "Prefix \"module.\" must be followed by a module name."),
        ("terraform_data.a[0][1]", "Unexpected extra operators after address."),
        ("module.m[*].x.y", "Splat expressions ([*]) may not be used here."),
        (
            "var.x",
            "The keyword \"var\" is reserved and cannot be used to target a resource address. If you are targeting a resource \
             type that uses a reserved keyword, please prefix your address with \"resource.\".",
        ),
    ] {
        let arguments = PlanArguments { targets: vec![target.to_owned()], ..PlanArguments::default() };
        assert_eq!(errors(&arguments), [(format!("Invalid target {target:?}"), detail.to_owned())]);
    }
    let targets = ["module.m", "module.m[0].a.b[\"k\"]", "resource.var.x", "ephemeral.x.y"];
    let arguments =
        PlanArguments { targets: targets.map(str::to_owned).to_vec(), ..PlanArguments::default() };
    assert_eq!(errors(&arguments), []);
}

#[test]
fn wrong_replacements_are_told_in_terraforms_words() {
    for (replace, detail) in [
        (
            "module.m",
            "A resource instance address is required here. The module path must be followed by a resource instance \
             specification.",
        ),
        ("data.x.y", "Only managed resources can be used with the -replace=... option."),
        ("terraform_data", "Resource specification must include a resource type and name."),
    ] {
        let arguments = PlanArguments { replace: vec![replace.to_owned()], ..PlanArguments::default() };
        let summary = format!("Invalid force-replace address {replace:?}");
        assert_eq!(errors(&arguments), [(summary, detail.to_owned())]);
    }
}

#[test]
fn modes_exclude_each_other() {
    let both = PlanArguments { destroy: true, refresh_only: true, ..PlanArguments::default() };
    assert_eq!(errors(&both)[0].0, "Incompatible plan mode options");
    let nothing = PlanArguments { refresh_only: true, refresh: false, ..PlanArguments::default() };
    assert_eq!(errors(&nothing)[0].0, "Incompatible refresh options");
}
