//! The pages show what happens.
//!
//! - A ```` ```console ```` block is run: each line that begins with `$ ` is a command, and the lines below it are its standard
//!   output. `…` matches any lines, or anything within a line; all else is compared, with its numbers. A command
//!   that does not exit with 0 is followed by `$ echo $?` and its code.
//! - A ```` ```sh ```` block needs programs or files that are not here. The program must know its options.
//! - The scripts of a ```` ```yaml ```` block are run with a Terraform that only pretends (`workflows.rs`), and its actions
//!   with a GitHub that only pretends (`crates/python/tests/test_ci_templates.py`).
//!
//! How many of them a page has is written down here: none is left out by mistake.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::folder::Folder;
use crate::kit::kit;
use crate::program::{objchange, workspace};

mod blocks;
mod workflows;

use blocks::{Shown, calls, commands, workflows};

/// A page with how many commands of it are run, how many calls have known options, and how many workflows are run.
const PAGES: &[(&str, usize, usize, usize)] = &[
    ("README.md", 2, 0, 0),
    ("crates/cli/README.md", 0, 4, 0),
    ("docs/README.md", 0, 0, 0),
    ("docs/affected.md", 1, 2, 0),
    ("docs/browse.md", 1, 3, 0),
    ("docs/check.md", 1, 0, 0),
    ("docs/ci.md", 0, 3, 5),
    ("docs/conform.md", 4, 0, 0),
    ("docs/diff.md", 2, 3, 0),
    ("docs/embedding.md", 0, 0, 0),
    ("docs/eval.md", 2, 0, 0),
    ("docs/explain.md", 2, 1, 0),
    ("docs/graph.md", 1, 2, 0),
    ("docs/hash.md", 3, 2, 0),
    ("docs/install.md", 1, 4, 0),
    ("docs/limitations.md", 0, 0, 0),
    ("docs/plan.md", 7, 8, 0),
    ("docs/policy.md", 2, 0, 0),
    ("docs/provider.md", 6, 0, 0),
    ("docs/python.md", 0, 0, 0),
    ("docs/query.md", 3, 4, 0),
    ("docs/review.md", 1, 2, 0),
    ("docs/schemas.md", 9, 7, 0),
    ("docs/sentinel.md", 2, 2, 1),
    ("docs/settings.md", 0, 2, 0),
    ("docs/show.md", 7, 9, 0),
    ("docs/test.md", 1, 0, 0),
    ("docs/violations.md", 1, 0, 0),
];

fn text(page: &str) -> String {
    fs::read_to_string(workspace().join(page)).unwrap()
}

fn is_shown(shown: &[&str], output: &[&str]) -> bool {
    match shown {
        [] => output.is_empty(),
        ["…", rest @ ..] => (0..=output.len()).any(|i| is_shown(rest, &output[i..])),
        [line, rest @ ..] => {
            output.first().is_some_and(|other| is_line(line, other)) && is_shown(rest, &output[1..])
        }
    }
}

/// Whether a line of a page, in which `…` matches anything, shows a line of an output.
fn is_line(shown: &str, line: &str) -> bool {
    match shown.split_once('…') {
        Some((start, end)) => line.strip_prefix(start).is_some_and(|rest| {
            rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| is_line(end, &rest[at..]))
        }),
        None => shown == line,
    }
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

/// `cargo run`, and `cargo build` of the kit's provider, which is built already.
const CARGO: &str = r#"case "$*" in
    'run --profile quick -- '*) shift 4; exec objchange "$@" ;;
    'build -p objchange-conform --bin terraform-provider-kit') mkdir -p target/debug && cp "$OBJCHANGE_TEST_KIT" target/debug ;;
    *) exit 101 ;;
esac
"#;

/// A folder with what a checkout has for the commands of a page, and programs in `bin` that go before all others.
fn checkout(name: &str) -> Folder {
    let folder = Folder::new(name);
    copy(&workspace().join("examples"), &folder.at("examples"));
    copy(&workspace().join("tests/cases"), &folder.at("tests/cases"));
    // Modules may read what is in their repository.
    fs::create_dir(folder.at(".git")).unwrap();
    // From a checkout, the program is run with cargo, and the provider of the examples is built with it.
    program(&folder, "cargo", CARGO);
    folder
}

/// Puts a script into the folder's `bin`.
fn program(folder: &Folder, name: &str, script: &str) {
    let file = format!("bin/{name}");
    folder.write(&file, format!("#!/bin/sh\n{script}"));
    #[cfg(unix)]
    fs::set_permissions(folder.at(&file), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

/// A command that finds the program, and nothing that this user has configured.
fn command(folder: &Folder, shell: &str) -> Command {
    let programs = Path::new(env!("CARGO_BIN_EXE_objchange")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(shell);
    command
        .current_dir(folder.at("."))
        .env("PATH", format!("{}:{}:{path}", folder.at("bin").display(), programs.display()))
        .env("OBJCHANGE_CACHE_DIR", folder.at("cache"))
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE");
    command
}

/// Runs all commands of a page, one after the other, in a copy of what a checkout has, and returns what is wrong.
fn run(page: &str, count: usize) -> Vec<String> {
    let text = text(page);
    let commands = commands(&text);
    let mut faults = Vec::new();
    if commands.len() != count {
        faults.push(format!("{page} has {} commands and not {count}", commands.len()));
    }
    let folder = checkout("page");
    for Shown { command: line, stdout: shown, code } in commands {
        let mut shell = command(&folder, "sh");
        if is_about_providers(page) {
            shell.env("OBJCHANGE_TEST_KIT", kit());
        }
        let output = shell.args(["-c", &line]).output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        if output.status.code() != Some(code) {
            faults
                .push(format!("{page}: {line}\nexits with {} and not with {code}\n{stderr}", output.status));
        }
        if !is_shown(&shown.lines().collect::<Vec<_>>(), &stdout.lines().collect::<Vec<_>>()) {
            faults.push(format!("{page}: {line}\nprints\n{stdout}{stderr}"));
        }
    }
    faults
}

#[track_caller]
fn run_all(is_chosen: impl Fn(&str) -> bool) {
    let pages = PAGES.iter().filter(|(page, ..)| is_chosen(page));
    let faults: Vec<_> = pages.flat_map(|(page, count, ..)| run(page, *count)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// These start the kit's program.
fn is_about_providers(page: &str) -> bool {
    ["docs/conform.md", "docs/provider.md", "docs/schemas.md"].contains(&page)
}

#[test]
fn commands_print_what_their_pages_show() {
    run_all(|page| !is_about_providers(page));
}

#[test]
fn commands_about_providers_print_what_their_pages_show() {
    run_all(is_about_providers);
}

#[test]
fn options_of_calls_exist() {
    let mut faults = Vec::new();
    for (page, _, count, _) in PAGES {
        let calls = calls(&text(page));
        if calls.len() != *count {
            faults.push(format!("{page} calls the program {} times and not {count}", calls.len()));
        }
        for mut call in calls {
            // Options before `--help` are parsed first, so unknown ones are refused.
            call.push("--help".to_owned());
            let output = objchange(&call, "");
            if output.code != 0 {
                faults.push(format!("{page}: {}\n{}", call.join(" "), output.stderr));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn workflows_are_counted() {
    let counts: Vec<_> = PAGES.iter().map(|(page, ..)| (*page, workflows(&text(page)).len())).collect();
    assert_eq!(counts, PAGES.iter().map(|(page, .., count)| (*page, *count)).collect::<Vec<_>>());
}

#[test]
fn no_page_is_forgotten() {
    let mut pages = vec!["README.md".to_owned(), "crates/cli/README.md".to_owned()];
    for entry in fs::read_dir(workspace().join("docs")).unwrap() {
        pages.push(format!("docs/{}", entry.unwrap().file_name().into_string().unwrap()));
    }
    pages.sort();
    assert_eq!(PAGES.iter().map(|(page, ..)| *page).collect::<Vec<_>>(), pages);
}

#[test]
fn lines_are_compared_with_their_numbers() {
    assert!(is_line("Plan: 1 to add", "Plan: 1 to add"));
    assert!(!is_line("Plan: 0 to add", "Plan: 1 to add"));
    assert!(is_line("a … c", "a b c") && is_line("…a…", "a") && is_line("… kB, …", "12 kB, from x"));
    assert!(!is_line("a … c", "a b d") && !is_line("…a…", "b"));
    assert!(is_shown(&["…", "b", "…"], &["a", "b"]) && !is_shown(&["…", "b"], &["a", "b", "c"]));
}

/// The picture in README shows what the program prints: `examples/picture/make` makes it again.
#[test]
fn the_picture_shows_what_is_printed() {
    let output = objchange(
        "show examples/approval/approved.json --schemas examples/approval/schemas.json --type aws_s* --type aws_d* --fail-on delete"
            .split(' '),
        "",
    );
    let (_, shown) = output.stdout.split_once("following actions:\n").unwrap();
    let without_tags = |line: &str| {
        let texts: Vec<&str> = line.split('<').filter_map(|part| Some(part.split_once('>')?.1)).collect();
        let text = texts.concat();
        [("&quot;", "\""), ("&#x27;", "'"), ("&gt;", ">"), ("&lt;", "<"), ("&amp;", "&")]
            .iter()
            .fold(text, |text, (entity, character)| text.replace(entity, character))
    };
    let picture = text("examples/picture/show.svg");
    let lines: Vec<String> =
        picture.lines().filter(|line| line.starts_with("<text")).skip(2).map(without_tags).collect();
    let printed = format!("{}\n{}", shown.trim_matches('\n'), output.stderr.trim_end());
    assert_eq!(lines.join("\n"), printed);
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

/// Files and folders that CONTRIBUTING names exist.
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
