//! Texts in the shapes in which people paste them into public issues.

use objchange_explain::{Clause, Explained, ExplainedMessage, Trouble, explain, write_text};

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

/// The printed words about each message, in full. The advice is left out, because it is equal for all
/// messages of a kind. `INSTA_UPDATE=always cargo test` writes the file anew.
#[test]
fn what_people_paste_is_explained_in_these_words() {
    let mut text = String::new();
    for issue in issues() {
        let messages: Vec<ExplainedMessage> = explain(&issue.text)
            .into_iter()
            .map(|explained| ExplainedMessage { explained, evidence: None })
            .collect();
        let mut out = Vec::new();
        write_text(&mut out, &messages).unwrap();
        let mut is_advice = false;
        for line in std::str::from_utf8(&out).unwrap().lines().filter(|line| !line.is_empty()) {
            is_advice = line == "  What it means" || is_advice && line.starts_with("  ");
            if !is_advice {
                text.push_str(&line.replace('\u{1b}', "<ESC>"));
                text.push('\n');
            }
        }
        text.push_str("----\n");
    }
    insta::assert_snapshot!("explained", text);
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
        ("timeout while waiting for plugin to start", Trouble::StartTimeout),
        (
            "fork/exec .terraform/providers/terraform-provider-acme: too many open files",
            Trouble::MachineLimit,
        ),
        (
            "fork/exec .terraform/x/terraform-provider-acme: resource temporarily unavailable",
            Trouble::MachineLimit,
        ),
        ("fork/exec .terraform/x/terraform-provider-acme: cannot allocate memory", Trouble::MachineLimit),
        ("plugin exited: signal: killed", Trouble::Killed),
        ("could not find executable file starting with terraform-provider-acme", Trouble::NoExecutable),
        ("something that nobody has seen before", Trouble::NotStarted),
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

/// Two messages with one clause each, whose usual advice would lead astray.
#[test]
fn advice_follows_what_a_message_says_of_unknown_values_and_types() {
    let causes = |text: &str| -> Vec<&'static str> {
        explain(text).iter().filter_map(|explained| Some(explained.advice()?.cause)).collect()
    };
    let planned = |config: &str| {
        causes(&format!(
            "Error: Provider produced invalid plan\n\nProvider \"registry.terraform.io/acme/cloud\" planned an invalid value \
             for acme_text.a.length: planned value cty.NumberIntVal(12) does not match config value {config}.\n"
        ))
    };
    assert!(planned("cty.UnknownVal(cty.Number)")[0].contains("an unknown value for an empty one"));
    assert!(planned("cty.NumberIntVal(5)")[0].contains("normalises"));
    let not_read = causes(
        "Error: Unable to Read Previously Saved State for UpgradeResourceState\n\n  with acme_disk.a,\n\n\
         There was an error reading the saved resource state using the current resource schema.\n",
    );
    assert!(not_read[0].contains("without raising the version"), "{not_read:?}");
}
