//! Texts in the shapes in which people paste them into public issues.

use objchange_conform::Clause;
use objchange_conform::explain::{Explained, Trouble, explain};

/// A text, and of each message in it: the clause or the trouble, the provider, the address, the path, the kind.
struct Issue {
    text: String,
    messages: Vec<[String; 5]>,
}

/// The issues of the file: each begins with `=== `, then come the messages, a line each, and the text behind `---`.
fn issues() -> Vec<Issue> {
    let file = include_str!("issues.txt").replace("<ESC>", "\u{1b}");
    let read = |issue: &str| {
        let (head, text) = issue.split_once("---\n").unwrap();
        let message = |line: &str| {
            let parts: Vec<String> = line
                .split(" ; ")
                .map(|part| if part == "-" { String::new() } else { part.to_owned() })
                .collect();
            <[String; 5]>::try_from(parts).unwrap_or_else(|parts| panic!("{parts:?}"))
        };
        Issue {
            text: text.to_owned(),
            messages: head.lines().skip(1).filter(|line| !line.is_empty()).map(message).collect(),
        }
    };
    file.split("=== ").skip(1).map(read).collect()
}

fn summary_of(explained: &Explained) -> [String; 5] {
    let about = match explained.trouble {
        Some(trouble) => trouble.kind().to_owned(),
        None => explained.clauses.first().map(|clause| clause.code().to_owned()).unwrap_or_default(),
    };
    let kind = explained.kind.filter(|_| explained.trouble.is_none());
    let text = |part: &Option<String>| part.clone().unwrap_or_default();
    [
        about,
        text(&explained.provider),
        text(&explained.address),
        text(&explained.path),
        kind.unwrap_or_default().to_owned(),
    ]
}

#[test]
fn what_people_paste_is_understood() {
    let issues = issues();
    assert!(issues.len() >= 60, "{}", issues.len());
    let mut wrong = Vec::new();
    for issue in &issues {
        let found: Vec<[String; 5]> = explain(&issue.text).iter().map(summary_of).collect();
        if found != issue.messages {
            wrong.push(format!("{}\nwanted {:?}\nfound  {found:?}", issue.text, issue.messages));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), issues.len(), wrong.join("\n\n"));
}

/// Whoever cannot start the provider is not sent to its authors.
#[test]
fn the_advice_is_about_what_is_wrong() {
    let load = |reason: &str| {
        format!(
            "Error: Failed to load plugin schemas\n\nError while loading schemas for plugin components: Failed to obtain provider\nschema: Could not load the schema for provider registry.terraform.io/acme/acme:\nfailed to instantiate provider \"registry.terraform.io/acme/acme\" to obtain\nschema: {reason}.."
        )
    };
    for (reason, trouble) in [
        ("fork/exec .terraform/providers/terraform-provider-acme: permission denied", Trouble::NotExecutable),
        ("fork/exec .terraform/providers/terraform-provider-acme: exec format error", Trouble::NotExecutable),
        (
            "Unrecognized remote plugin message: \n\nThis usually means that the plugin is either invalid",
            Trouble::NoHandshake,
        ),
        ("timeout while waiting for plugin to start", Trouble::NoHandshake),
        (
            "Incompatible API version with plugin. Plugin version: 4, Client versions: [5 6]",
            Trouble::WrongProtocol,
        ),
    ] {
        let all = explain(&load(reason));
        assert_eq!(all[0].trouble, Some(trouble), "{reason}");
        assert_eq!(all[0].advice(), Some(trouble.advice()));
        assert!(all[0].clauses.is_empty());
    }
    let all = explain(&load(
        "Internal validation of the provider failed! x: Computed attribute cannot be required",
    ));
    assert_eq!((all[0].trouble, all[0].clauses[0]), (None, Clause::S0));
}
