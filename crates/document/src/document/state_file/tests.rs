use super::*;

/// The addresses are those of `terraform show -json` (v1.11), as is their order.
#[test]
fn instances_stand_in_the_order_of_documents() {
    let names = |module: &str, names: &[&str]| {
        let resources = names.iter().map(|name| {
            format!(
                r#"{{"module":{},"mode":"managed","type":"t","name":"{name}","instances":[{{}}]}}"#,
                serde_json::Value::from(module)
            )
        });
        resources.collect::<Vec<_>>().join(",")
    };
    let keys = [r#""b""#, "10", "2", "null", r#""10""#, r#""é""#];
    let keys: Vec<String> = keys.iter().map(|key| format!(r#"{{"index_key":{key}}}"#)).collect();
    let modules = [
        "module.a[10]",
        "module.a[2]",
        "module.a",
        "module.a[\"b\"]",
        "module.ab",
        "module.a[2].module.z",
        "module.a-b",
        "module.a[\"x.module.y\"]",
        "module.B",
        "module.a.module.c",
    ];
    let text = format!(
        r#"{{"version":4,"resources":[{},{},{{"mode":"managed","type":"t","name":"k","instances":[{},
            {{"index_key":2,"deposed":"02"}},{{"index_key":2,"deposed":"01"}}]}},
            {{"mode":"data","type":"z","name":"z","instances":[{{}}]}}]}}"#,
        modules.map(|module| names(module, &["x"])).join(","),
        names("", &["w", "W"]),
        keys.join(","),
    );
    let state = State::parse_file(&text).unwrap();
    let addresses: Vec<&str> = state.resources.iter().map(|resource| &*resource.address).collect();
    assert_eq!(
        addresses,
        [
            "data.z.z",
            "t.W",
            "t.k",
            "t.k[2]",
            "t.k[2]",
            "t.k[2]",
            "t.k[10]",
            r#"t.k["10"]"#,
            r#"t.k["b"]"#,
            r#"t.k["é"]"#,
            "t.w",
            "module.B.t.x",
            "module.a.t.x",
            "module.a.module.c.t.x",
            "module.a-b.t.x",
            r#"module.a["b"].t.x"#,
            r#"module.a["x.module.y"].t.x"#,
            "module.a[10].t.x",
            "module.a[2].t.x",
            "module.a[2].module.z.t.x",
            "module.ab.t.x",
        ]
    );
    let deposed: Vec<_> = state.resources[3..6].iter().map(|r| r.deposed.as_deref()).collect();
    assert_eq!(deposed, [None, Some("01"), Some("02")]);
}

#[test]
fn providers_are_named_as_in_documents() {
    for (provider, expected) in [
        (r#"provider["registry.terraform.io/hashicorp/aws"]"#, "registry.terraform.io/hashicorp/aws"),
        (
            r#"module.m["a"].provider["registry.terraform.io/hashicorp/aws"].west"#,
            "registry.terraform.io/hashicorp/aws",
        ),
        ("provider.aws.west", "aws"),
        ("", ""),
    ] {
        assert_eq!(&*provider_name(&Text::from(provider)), expected);
    }
}

#[test]
fn other_versions_are_refused() {
    let error = State::parse_file(r#"{"version":3,"modules":[]}"#).unwrap_err();
    assert_eq!(error.problem, Problem::StateFileVersion(3));
    let error = State::parse_file(r#"{"resources":[], "version":5}"#).unwrap_err();
    assert_eq!((error.column, error.problem), (28, Problem::StateFileVersion(5)));
}
