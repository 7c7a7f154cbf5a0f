//! The commands on the pages of `docs/` print what the pages show.
//!
//! A block that begins with ```` ```console ```` is run: each line that begins with `$ ` is a command, and the lines below it
//! are its standard output. `…` stands for any lines, or for anything within a line. What needs other programs is in
//! blocks of another language.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::folder::Folder;
use crate::kit::kit;
use crate::program::workspace;

/// Counts may change with the configurations that are generated: they are not compared.
fn lines(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let words = line.split(' ').map(|word| if word.parse::<u64>().is_ok() { "N" } else { word });
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect()
}

fn is_shown(shown: &[String], output: &[String]) -> bool {
    match shown {
        [] => output.is_empty(),
        [dots, rest @ ..] if dots == "…" => (0..=output.len()).any(|i| is_shown(rest, &output[i..])),
        [line, rest @ ..] => {
            let is_like = |other: &String| match line.split_once('…') {
                Some((start, end)) => other.starts_with(start) && other.ends_with(end),
                None => other == line,
            };
            output.first().is_some_and(is_like) && is_shown(rest, &output[1..])
        }
    }
}

/// The commands of a page, each with the output that is shown below it.
fn commands(page: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for block in page.split("```console\n").skip(1) {
        for line in block.split("```").next().unwrap_or_default().lines() {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command.to_owned(), String::new())),
                (None, Some((command, _))) if command.ends_with('\\') => {
                    command.pop();
                    command.push_str(line.trim_start());
                }
                (None, Some((_, shown))) => {
                    shown.push_str(line);
                    shown.push('\n');
                }
                (None, None) => panic!("a block begins with `{line}` and not with a command"),
            }
        }
    }
    commands
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Runs all commands of a page, one after the other, in a copy of what a checkout has.
#[track_caller]
fn run(page: &str) {
    let text = fs::read_to_string(workspace().join("docs").join(page)).unwrap();
    let folder = Folder::with(&format!("page-{page}"), &[]);
    copy(&workspace().join("examples"), &folder.at("examples"));
    copy(&workspace().join("tests/cases"), &folder.at("tests/cases"));
    if text.contains("./terraform-provider-kit") {
        fs::copy(kit(), folder.at("terraform-provider-kit")).unwrap();
    }
    let programs = Path::new(env!("CARGO_BIN_EXE_objchange")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let commands = commands(&text);
    assert!(!commands.is_empty(), "{page} has no command");
    for (command, shown) in commands {
        let mut shell = Command::new("sh");
        shell.args(["-c", &command]).current_dir(folder.at(".")).env("PATH", &path);
        shell.env("OBJCHANGE_CACHE_DIR", folder.at("cache"));
        let output = shell.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").output().unwrap();
        let (stdout, stderr) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
        // 1 says that something was found, as on many pages; 2 that the command cannot be used as it is.
        assert!(matches!(output.status.code(), Some(0 | 1)), "{command}\n{stderr}");
        assert!(is_shown(&lines(&shown), &lines(&stdout)), "{command}\n{stdout}{stderr}");
    }
}

#[test]
fn commands_print_what_their_pages_show() {
    for page in [
        "browse.md",
        "check.md",
        "diff.md",
        "eval.md",
        "graph.md",
        "hash.md",
        "plan.md",
        "policy.md",
        "query.md",
        "sentinel.md",
        "show.md",
        "test.md",
    ] {
        run(page);
    }
}

#[test]
fn commands_about_providers_print_what_their_pages_show() {
    for page in ["conform.md", "provider.md", "schemas.md"] {
        run(page);
    }
}

/// Every page is in the index, and what pages link to is there.
#[test]
fn links_lead_to_pages() {
    let docs = workspace().join("docs");
    let index = fs::read_to_string(docs.join("README.md")).unwrap();
    for entry in fs::read_dir(&docs).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name == "README.md" || index.contains(&format!("({name})")),
            "{name} is not in docs/README.md"
        );
        let page = fs::read_to_string(docs.join(&name)).unwrap();
        for link in page.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or_default();
            let is_file = !link.contains("://") && !file.is_empty();
            assert!(!is_file || docs.join(file).exists(), "{name} links to {link}");
        }
    }
}

/// What CONTRIBUTING names as a file or a folder is there.
#[test]
fn contributors_are_sent_to_files_that_exist() {
    let text = fs::read_to_string(workspace().join("CONTRIBUTING.md")).unwrap();
    let mut checked = 0;
    let is_path = |part: &&str| part.contains('/') && !part.contains(char::is_whitespace);
    // Text between backticks is at the odd places.
    for path in text.split('`').skip(1).step_by(2).filter(is_path) {
        let path = path.split("NAME").next().unwrap_or_default();
        let path = path.split("KIND").next().unwrap_or_default();
        let is_there = workspace().join(path).exists();
        assert!(is_there, "CONTRIBUTING.md names {path}, which is not there");
        checked += 1;
    }
    assert!(checked > 40);
}
