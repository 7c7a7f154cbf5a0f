//! `objchange conform` with a provider that puts secrets wherever it can: none is in anything that is printed or written.

use crate::folder::Folder;
use crate::kit::kit;
use crate::program::objchange_with;

const FILES: [&str; 5] = ["cases.jsonl", "corpus.jsonl", "junit.xml", "report.sarif", "record.jsonl"];

/// All that a run prints and writes, by where it is.
fn outputs(secrets: &str, folder: &Folder, extra: &[&str]) -> Vec<(String, String)> {
    let paths = FILES.map(|file| folder.at(file).to_str().unwrap().to_owned());
    let hints = folder.at("hints.json");
    let given = ["--env", "KIT_SECRETS", "--cases", "12", "--hints", hints.to_str().unwrap()];
    let mut arguments = vec!["conform", kit()];
    arguments.extend(given);
    let options = ["--cases-out", "--corpus", "--junit", "--sarif", "--record"];
    arguments.extend(options.iter().zip(&paths).flat_map(|(option, path)| [*option, path]));
    arguments.extend(extra);
    let output = objchange_with(&[("KIT_SECRETS", secrets)], arguments, "");
    assert_eq!(output.code, 1, "{output:?}");
    let mut outputs = vec![("stdout".to_owned(), output.stdout), ("stderr".to_owned(), output.stderr)];
    outputs.extend(FILES.iter().map(|file| ((*file).to_owned(), folder.read(file))));
    outputs
}

/// A shorter secret may be known, and hidden, before a longer one of which it is a part; hints may give secrets plainly.
#[test]
fn no_secret_and_no_rest_of_one_is_in_a_report() {
    let marked = r#"{"provider": {"token": "pass-phrase123"}, "values": {
        "password": "pass-phrase", "written": "pass-phrase", "text": {"$sensitive": "pass-phrase"},
        "any": {"$sensitive": {"pass-phrase": "pass-phrase"}}}}"#;
    let plain = r#"{"provider": {"token": "pass-phrase123"}, "values": {"password": "pass-phrase"}}"#;
    let folder = Folder::with("planted", &[]);
    let all: [(&str, &[&str]); 4] =
        [(marked, &[]), (plain, &["--json"]), (plain, &["--apply"]), (marked, &["--apply", "--json"])];
    for (hints, extra) in all {
        folder.write("hints.json", hints);
        let outputs = outputs("pass-phrase pass-phrase123 pass-phrase-93wtz", &folder, extra);
        assert!(outputs.iter().any(|(_, text)| text.contains("(sensitive value)")));
        for (place, text) in outputs {
            let rest = text.find("phrase").or_else(|| text.find("93wtz"));
            let around = rest.map(|at| text[at.saturating_sub(200)..].chars().take(300).collect::<String>());
            assert_eq!(around, None, "{place} {extra:?}");
        }
        FILES.iter().for_each(|file| std::fs::remove_file(folder.at(file)).unwrap());
    }
}
