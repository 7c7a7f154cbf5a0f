//! The table of dependencies in `ARCHITECTURE.md`, beside the manifests.

use std::collections::BTreeSet;

/// The crates of the workspace that the library of this one depends on; the engine is called so.
fn dependencies(name: &str) -> BTreeSet<String> {
    let path = format!("{}/crates/{name}/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(path).unwrap();
    let section = manifest.split("\n[").find_map(|section| section.strip_prefix("dependencies]")).unwrap();
    let names = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    let ours = names.filter_map(|name| match name {
        "objchange" => Some("the engine".to_owned()),
        "objchange-text" => None,
        name => name.strip_prefix("objchange-").map(str::to_owned),
    });
    ours.collect()
}

#[test]
fn the_table_of_dependencies_is_that_of_the_manifests() {
    let page = include_str!("../../ARCHITECTURE.md");
    let (_, table) = page.split_once("| Crate | Depends on |\n|---|---|\n").unwrap();
    let rows =
        table.lines().map_while(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | "));
    let mut known = BTreeSet::from(["text".to_owned()]);
    for (name, listed) in rows {
        let listed: BTreeSet<String> = listed
            .split(", ")
            .filter(|one| *one != "none")
            .map(|one| one.trim_matches('`').to_owned())
            .collect();
        assert_eq!(listed, dependencies(name), "{name}");
        known.insert(name.to_owned());
    }
    let folders = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/crates")).unwrap();
    let folders: BTreeSet<String> =
        folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(known, folders);
}
