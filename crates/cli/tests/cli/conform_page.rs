//! The pages for people who write providers.

use crate::kit::kit;
use crate::program::{objchange, workspace};

/// What may change with the configurations that are made is not compared: counts.
fn lines(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let words = line.split(' ').map(|word| if word.parse::<u64>().is_ok() { "N" } else { word });
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect()
}

/// Whether the output is what is shown; a line of dots stands for any lines, dots in a line for anything.
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

/// Runs the commands of a page, and says how many there are.
#[track_caller]
fn commands(page: &str, code: i32) -> usize {
    let page = std::fs::read_to_string(workspace().join("docs").join(page)).unwrap();
    let mut run = 0;
    for block in page.split("```console\n$ objchange ").skip(1) {
        let (command, shown) = block.split("```").next().unwrap().split_once('\n').unwrap();
        let arguments = command.split(' ').map(|word| match word {
            "./terraform-provider-kit" => kit(),
            word => word.trim_matches('\''),
        });
        let output = objchange(arguments, "");
        assert_eq!(output.code, code, "{command}: {}", output.stderr);
        assert!(is_shown(&lines(shown), &lines(&output.stdout)), "{command}\n{}", output.stdout);
        run += 1;
    }
    run
}

#[test]
fn commands_print_what_the_page_shows() {
    assert_eq!(commands("conform.md", 1), 3);
}

#[test]
fn a_provider_is_asked_as_its_page_shows() {
    assert_eq!(commands("provider.md", 0), 4);
}
