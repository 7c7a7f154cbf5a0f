//! Plans and schemas that gzip has packed.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::folder::Folder;
use crate::program::{Output, objchange};

const PLAN: &str = include_str!("../../../../examples/fleet/web.json");
const SCHEMAS: &str = include_str!("../../../../examples/approval/schemas.json");

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn run(folder: &Folder, line: &str, input: &[u8]) -> Output {
    let words = line.split(' ').map(|word| match word.strip_prefix('@') {
        Some(file) => folder.at(file).display().to_string(),
        None => word.to_owned(),
    });
    objchange(words, input)
}

#[test]
fn packed_documents_are_read_as_they_are() {
    let folder = Folder::with("packed", &[("web.json", PLAN), ("schemas.json", SCHEMAS)]);
    let saved = std::fs::read("../saved/tests/files/actions.tfplan").unwrap();
    folder.write("web.json.gz", packed(PLAN.as_bytes()));
    folder.write("schemas.json.gz", packed(SCHEMAS.as_bytes()));
    folder.write("one/web.json.gz", packed(PLAN.as_bytes()));
    folder.write("two/tfplan.gz", packed(&saved));
    folder.write("two/any-name.gz", packed(br#"{"format_version":"1.2","resource_changes":[]}"#));
    folder.write("two/notes.gz", packed(b"nothing of this kind, and long enough to be looked at"));
    folder.write(
        "policies/p.rego",
        "package main\n\ndeny contains rc.address if some rc in input.tfplan.resource_changes\n",
    );
    for line in [
        "show @FILE",
        "show @FILE --json",
        "show @FILE --schemas @schemas.json",
        "hash @FILE",
        "diff @FILE @FILE",
        "query @FILE true --json",
        "policy @FILE --rego @policies --json",
    ] {
        let plain = run(&folder, &line.replace("FILE", "web.json"), b"");
        let line = line.replace("FILE", "web.json.gz").replace("schemas.json", "schemas.json.gz");
        let packed = run(&folder, &line, b"");
        assert_eq!(
            (packed.code, packed.stdout.replace(".json.gz", ".json")),
            (plain.code, plain.stdout),
            "{line}: {}",
            packed.stderr
        );
    }
    let plain = run(&folder, "show -", PLAN.as_bytes());
    let from_stdin = run(&folder, "show -", &packed(PLAN.as_bytes()));
    assert_eq!((from_stdin.code, from_stdin.stdout), (0, plain.stdout));
    let found = run(&folder, "query @one true --json", b"");
    assert!(found.code == 0 && found.stdout.contains("aws_instance.web"), "{found:?}");
    // A plan file that is packed once more, and a document of any name.
    let found = run(&folder, "review @two --json", b"");
    assert!(found.stdout.contains("tfplan.gz") && found.stdout.contains("any-name.gz"), "{found:?}");
    assert!(!found.stdout.contains("notes.gz"), "{found:?}");
}

#[test]
fn a_part_of_a_packed_document_is_no_plan() {
    let folder = Folder::new("packed-part");
    let whole = packed(PLAN.as_bytes());
    folder.write("cut/a.json.gz", &whole[..whole.len() / 2]);
    folder.write("sum/a.json.gz", [&whole[..whole.len() - 8], &[0; 8]].concat());
    for name in ["cut", "sum"] {
        for line in [
            format!("show @{name}/a.json.gz"),
            format!("query @{name} true"),
            format!("hash @{name}/a.json.gz"),
        ] {
            let output = run(&folder, &line, b"");
            assert!(output.code == 2 && output.stderr.contains("the gzip file is "), "{line}: {output:?}");
        }
    }
}

/// The limit counts what is unpacked: few bytes may be very many.
#[test]
fn bombs_are_refused() {
    let folder = Folder::new("packed-bomb");
    folder.write("in/bomb.json.gz", packed(&vec![b' '; 8 << 20]));
    assert!(folder.at("in/bomb.json.gz").metadata().unwrap().len() < 20_000);
    for line in
        ["show @in/bomb.json.gz", "query @in/bomb.json.gz true", "query @in true", "hash @in/bomb.json.gz"]
    {
        let output = run(&folder, &format!("{line} --max-input 1M"), b"");
        assert!(output.code != 0 && output.stderr.contains("more than 1 MiB"), "{line}: {output:?}");
    }
}
