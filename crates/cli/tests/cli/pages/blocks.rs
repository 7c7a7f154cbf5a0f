//! The blocks of a page that a reader would run.

/// A command of a ```` ```console ```` block with what the page shows of it.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) command: String,
    pub(super) stdout: String,
    /// Only a code other than 0 is shown, as the output of `echo $?`.
    pub(super) code: i32,
}

/// The texts of the blocks in a language.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let begin = format!("```{language}\n");
    page.split(&*begin).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// The lines of a block; one that ends with a backslash is joined with the next.
fn joined_lines(block: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut continues = false;
    for line in block.lines() {
        match lines.last_mut().filter(|_| continues) {
            Some(last) => {
                last.pop();
                last.push_str(line.trim_start());
            }
            None => lines.push(line.to_owned()),
        }
        continues = line.ends_with('\\');
    }
    lines
}

/// The commands in a page's ```` ```console ```` blocks.
pub(super) fn commands(page: &str) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    for block in blocks(page, "console") {
        let mut is_code = false;
        for (i, line) in joined_lines(block).iter().enumerate() {
            assert!(i > 0 || line.starts_with("$ "), "a block begins with `{line}` and not with a command");
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some("echo $?"), Some(_)) => is_code = true,
                (Some(command), _) => {
                    assert!(!is_code, "`echo $?` has no output before `{command}`");
                    commands.push(Shown { command: command.to_owned(), ..Shown::default() });
                }
                (None, Some(last)) if is_code => {
                    last.code = line.parse().expect("an exit code");
                    assert_ne!(last.code, 0, "{}: only a code other than 0 is shown", last.command);
                    is_code = false;
                }
                (None, Some(last)) => {
                    last.stdout.push_str(line);
                    last.stdout.push('\n');
                }
                (None, None) => unreachable!("the block begins with a command"),
            }
        }
        assert!(!is_code, "`echo $?` has no output at the end of a block");
    }
    commands
}

/// The arguments of each call of the program in the ```` ```sh ```` blocks of a page.
pub(super) fn calls(page: &str) -> Vec<Vec<String>> {
    let mut calls = Vec::new();
    for block in blocks(page, "sh") {
        for line in joined_lines(block) {
            let words = words(&line);
            let mut rest = words.as_slice();
            while let Some(start) = rest.iter().position(is_program) {
                let arguments = &rest[start + 1..];
                let end = arguments.iter().position(is_end).unwrap_or(arguments.len());
                let (arguments, after) = arguments.split_at(end);
                let mut call: Vec<String> = Vec::new();
                for word in arguments.iter().take_while(|word| word.text != "--") {
                    if !word.text.contains('$') {
                        call.push(word.text.clone());
                    } else if !word.text.starts_with("--") {
                        // Only the shell knows the value: its option is left out.
                        call.pop_if(|option| option.starts_with("--"));
                    }
                }
                calls.push(call);
                rest = after;
            }
        }
    }
    calls
}

/// A word of a shell's line.
struct Word {
    text: String,
    /// Quoted words are never operators.
    is_quoted: bool,
}

fn is_program(word: &Word) -> bool {
    !word.is_quoted && ["objchange", "target/release/objchange"].contains(&&*word.text)
}

/// Whether the arguments of a call end before this word.
fn is_end(word: &Word) -> bool {
    !word.is_quoted && ["|", "||", "&&", ";", ">", "2>&1"].contains(&&*word.text)
}

fn words(line: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote = None;
    for character in line.chars() {
        match (quote, character) {
            (None, ' ') => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_with(|| Word { text: String::new(), is_quoted: true }).is_quoted = true;
            }
            (Some(open), _) if open == character => quote = None,
            _ => word
                .get_or_insert_with(|| Word { text: String::new(), is_quoted: false })
                .text
                .push(character),
        }
    }
    assert_eq!(quote, None, "{line}");
    words.extend(word);
    words
}

/// A step of a workflow.
pub(super) enum Step {
    /// A script.
    Run(String),
    /// An action.
    Uses(String),
}

/// The steps in a page's ```` ```yaml ```` blocks, one list for each block.
pub(super) fn workflows(page: &str) -> Vec<Vec<Step>> {
    blocks(page, "yaml").into_iter().map(steps).collect()
}

/// The steps of a list in the form in which the pages write them.
fn steps(block: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = block.lines().peekable();
    while let Some(line) = lines.next() {
        let mut deeper = Vec::new();
        while let Some(line) = lines.next_if(|line| line.starts_with(' ')) {
            deeper.push(line.trim_start());
        }
        if line == "- run: |" {
            steps.push(Step::Run(deeper.join("\n")));
        } else if let Some(script) = line.strip_prefix("- run: ") {
            assert!(deeper.is_empty(), "{line}");
            steps.push(Step::Run(script.to_owned()));
        } else if let Some(action) = line.strip_prefix("- uses: ") {
            steps.push(Step::Uses(action.to_owned()));
        } else {
            assert!(line.starts_with('#'), "`{line}` is no step that this test knows");
        }
    }
    steps
}
