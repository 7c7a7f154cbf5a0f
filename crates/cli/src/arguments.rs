//! Arguments that `clap` does not handle: options with one dash, and messages for `--help` and for unusable arguments.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{StyledStr, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command, value_parser};
use objchange_text::visible;

use crate::exit::{unusable_code, use_detailed_codes};

/// Reads `ADDRESS=DIR`. An address may have `=` in it, and few directories do.
pub(crate) fn address_and_directory(text: &str) -> Result<(String, PathBuf), &'static str> {
    match text.rsplit_once('=') {
        Some((address, directory)) if !address.is_empty() && !directory.is_empty() => {
            Ok((address.to_owned(), PathBuf::from(directory)))
        }
        _ => Err("ADDRESS=DIR is needed, such as `acme/net/aws=../net`"),
    }
}

/// Writes help or the version to standard output, and anything else to standard error.
pub(crate) fn answer(error: clap::Error, arguments: &[OsString]) -> io::Result<ExitCode> {
    if error.use_stderr() {
        // `terraform plan -detailed-exitcode` exits with 1 for arguments that it does not know, because 2 says that
        // something changes.
        use_detailed_codes(asks_for_detailed_codes(arguments));
        // Sentences of the types of values repeat arguments, too.
        let mut err = crate::terminal::stderr();
        write!(err, "{}", legible(error, arguments).render().ansi())?;
        err.flush()?;
        return Ok(unusable_code());
    }
    let mut out = crate::terminal::stdout();
    write!(out, "{}", error.render().ansi())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The name among the commands of the form of `plan` that plans one resource.
// clap has no two forms of one command, so this form is a command of its own, chosen by its options.
pub(crate) const RESOURCE_FORM: &str = "plan-resource";

/// Finds the command among the arguments: its position and name. Arguments after it are not parsed.
pub(crate) fn command_of(arguments: &[OsString]) -> Option<(usize, &str)> {
    let option =
        |name| Arg::new(name).long(name).value_parser(value_parser!(OsString)).action(ArgAction::Append);
    let found = Command::new("objchange")
        .args([option("color"), option("settings")])
        .arg(Arg::new("quiet").long("quiet").short('q').action(ArgAction::SetTrue))
        .allow_external_subcommands(true)
        .external_subcommand_value_parser(value_parser!(OsString))
        .try_get_matches_from(arguments)
        .ok()?;
    let (_, command) = found.subcommand()?;
    let own = command.get_many::<OsString>("").map_or(0, |own| own.len());
    // An external subcommand takes all arguments behind its name, so the name is right before them.
    let at = arguments.len() - own - 1;
    Some((at, arguments[at].to_str()?))
}

/// The options that Terraform writes with one dash, where a command here has them, too.
const OF_TERRAFORM: [&str; 17] = [
    "destroy",
    "detailed-exitcode",
    "filter",
    "generate-config-out",
    "invoke",
    "json",
    "out",
    "parallelism",
    "refresh",
    "refresh-only",
    "replace",
    "state",
    "target",
    "test-directory",
    "var",
    "var-file",
    "verbose",
];

/// The arguments, with two dashes where options of Terraform and of Sentinel's own program have one: `-var NAME=VALUE`,
/// `-global NAME=VALUE`. `clap` reads `-global` as five options of one letter, whatever its settings.
pub(crate) fn with_two_dashes(mut arguments: Vec<OsString>, program: &Command) -> Vec<OsString> {
    let Some((at, name)) = command_of(&arguments) else { return arguments };
    let is_sentinel = name == "sentinel";
    let Some(mut command) = program.find_subcommand(name) else { return arguments };
    let mut first = at + 1;
    if is_sentinel {
        let named = |argument: &OsString| command.find_subcommand(argument.to_str()?);
        let Some(own) = arguments.get(first).and_then(named) else { return arguments };
        (command, first) = (own, first + 1);
    }
    // The other form of `plan` has options of its own.
    let other_form = program.find_subcommand(RESOURCE_FORM).filter(|_| command.get_name() == "plan");
    let commands = || std::iter::once(command).chain(other_form);
    // Behind `--` every argument is a name, even with a dash (POSIX, guideline 10), and stays as it is.
    for argument in arguments.iter_mut().skip(first).take_while(|argument| *argument != "--") {
        let name = argument.to_str().and_then(|text| text.strip_prefix('-')?.split('=').next());
        let is_known = |name: &str| {
            (is_sentinel || OF_TERRAFORM.contains(&name))
                && commands().any(|one| one.get_arguments().any(|known| known.get_long() == Some(name)))
        };
        if name.is_some_and(is_known) {
            let mut two = OsString::from("-");
            two.push(&argument);
            *argument = two;
        }
    }
    arguments
}

/// Whether refused arguments of `plan` or `show` ask for the exit codes of `--detailed-exitcode`.
///
/// `clap` reads nothing behind the first argument that is wrong, not even with `ignore_errors`. Its only way to read on is
/// a positional argument for each argument, which takes quadratic time.
fn asks_for_detailed_codes(arguments: &[OsString]) -> bool {
    let Some((at, "plan" | "show")) = command_of(arguments) else { return false };
    let mut options = arguments[at + 1..].iter().take_while(|argument| *argument != "--");
    options.any(|argument| argument == "--detailed-exitcode")
}

/// Whether an argument looks like an option whose value may be a secret, wherever it stands: behind `--`, too.
fn mentions_secrets(arguments: &[OsString]) -> bool {
    let is_secret = |text: &str| SECRET_OPTIONS.iter().any(|option| is_option(text, option));
    arguments.iter().any(|argument| argument.to_str().is_some_and(is_secret))
}

/// Whether an argument, or its name in an error of `clap`, is this option, with a value or without.
fn is_option(text: &str, option: &str) -> bool {
    text.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', ' ']))
}

/// Reads `NAME=VALUE`. Its error does not repeat the text: without a name it may be the value, and secret.
#[derive(Clone)]
pub(crate) struct Assignment;

impl TypedValueParser for Assignment {
    type Value = (String, String);

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        text: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        match text.to_str().and_then(|text| text.split_once('=')) {
            Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
            _ => {
                let option = argument.and_then(Arg::get_long).unwrap_or("var");
                // Terraform's summary, where Terraform has such an option.
                let summary = if option == "var" { "Invalid -var option: " } else { "" };
                let problem =
                    format!("{summary}--{option} needs a name and a value, with an equals sign between them");
                Err(command.clone().error(ErrorKind::ValueValidation, problem))
            }
        }
    }
}

/// The options whose values may be secrets.
const SECRET_OPTIONS: [&str; 4] = ["--env", "--global", "--param", "--var"];

/// Replaces an argument that may be a secret.
const HIDDEN: &str = "(hidden)";

/// Hides values in an error that may be secrets: a `--var` without an equals sign, and text that the shell has cut off
/// from one, such as the second word of `--var name=two words`.
fn without_secrets(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(wrong)) = error.get(ContextKind::InvalidArg) else { return error };
    let is_of_secret = SECRET_OPTIONS.iter().any(|option| is_option(wrong, option));
    // `clap` names an option with its dashes, and a positional argument as `<NAME>`. Any other name is what the user
    // typed.
    let is_stray = error.kind() == ErrorKind::UnknownArgument && !wrong.starts_with(['-', '<']);
    let hidden = || ContextValue::String(HIDDEN.to_owned());
    if is_of_secret {
        error.insert(ContextKind::InvalidValue, hidden());
    } else if is_stray && mentions_secrets(arguments) {
        error.insert(ContextKind::InvalidArg, hidden());
    }
    error
}

/// Suggests `destroy` for a misspelt action. `clap` compares with the names that its help lists, and there it is `delete`.
fn with_suggestion(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::Strings(valid)) = error.get(ContextKind::ValidValue) else { return error };
    let has_delete = valid.iter().any(|value| value == "delete");
    let wrong = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(wrong)) => wrong.as_str(),
        _ => return error,
    };
    let meant = objchange_text::similar(wrong, ["destroy"]).first().map(|meant| (*meant).to_owned());
    if let (true, Some(meant)) = (has_delete, meant) {
        error.insert(ContextKind::SuggestedValue, ContextValue::String(meant));
    }
    error
}

/// Options of Terraform that change nothing here, with what to do instead.
const POINTLESS: [(&str, &str); 7] = [
    ("chdir", "name the directory itself, such as `objchange plan DIR`"),
    ("compact-warnings", "leave it out: warnings are short"),
    ("input", "leave it out: objchange asks no questions"),
    ("lock", "leave it out: states are only read"),
    ("lock-timeout", "leave it out: states are only read"),
    ("no-color", "write `--color never`"),
    ("no-colour", "write `--color never`"),
];

/// Commands of Terraform that are none here, with what to do instead.
const COMMANDS: [(&str, &str); 12] = [
    (
        "apply",
        "objchange changes nothing: `objchange plan DIR` says what would be done, and `objchange test DIR` applies in memory",
    ),
    ("console", "`objchange eval` evaluates expressions"),
    (
        "destroy",
        "objchange changes nothing: `objchange plan DIR --destroy` says what would be destroyed, and `--fail-on delete` refuses it",
    ),
    ("fmt", "`objchange sentinel fmt` formats Sentinel policies, and `terraform fmt` configuration"),
    ("get", "objchange installs nothing: run `terraform init`"),
    ("import", "objchange changes nothing: `objchange plan DIR` plans `import` blocks"),
    ("init", "objchange installs nothing: run `terraform init`"),
    ("output", "`objchange show` prints the outputs of a plan or state"),
    ("refresh", "`objchange plan DIR --refresh-only` says what has changed outside, with `--real-providers`"),
    ("state", "`objchange show` prints a state, and `objchange query --of state` finds objects in it"),
    ("validate", "`objchange plan DIR` also says what is wrong in a configuration"),
    ("version", "write `objchange --version`"),
];

/// The tip about a command of Terraform, whether it is written as a command or as an option.
fn tip_about_command(name: &str) -> Option<ContextValue> {
    let (_, instead) = COMMANDS.iter().find(|(command, _)| *command == name)?;
    let tip = StyledStr::from(format!("`{name}` is a command of Terraform; {instead}"));
    Some(ContextValue::StyledStrs(vec![tip]))
}

/// Says what is here in place of a command of Terraform. The most similar name is that of a command for something else.
fn with_command(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(wrong)) = error.get(ContextKind::InvalidSubcommand) else { return error };
    let is_first = command_of(arguments).is_some_and(|(_, name)| name == wrong);
    if let Some(tip) = tip_about_command(wrong).filter(|_| is_first) {
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, tip);
    }
    error
}

/// The option that may be meant by a word, and the command that has it, if that is not the one that was named.
fn meant_option(word: &str, arguments: &[OsString]) -> Option<(String, Option<String>)> {
    let program = <crate::Cli as clap::CommandFactory>::command();
    let longs = |command: &Command| {
        command.get_arguments().filter_map(Arg::get_long).map(str::to_owned).collect::<Vec<_>>()
    };
    let similar = |longs: &[String]| {
        let all = longs.iter().map(String::as_str).chain(["help", "version"]);
        objchange_text::similar(word, all).first().map(|meant| (*meant).to_owned())
    };
    let named = command_of(arguments).and_then(|(at, name)| Some((at, program.find_subcommand(name)?)));
    let Some((at, command)) = named else {
        let has =
            |command: &&Command| !command.is_hide_set() && longs(command).iter().any(|long| long == word);
        let of = ["show", "plan"].iter().filter_map(|name| program.find_subcommand(name));
        let of = of.chain(program.get_subcommands()).find(has);
        return match of {
            Some(command) => Some((word.to_owned(), Some(command.get_name().to_owned()))),
            None => similar(&longs(&program)).map(|meant| (meant, None)),
        };
    };
    let inner = arguments.get(at + 1).and_then(|name| command.find_subcommand(name.to_str()?));
    let own = [longs(inner.unwrap_or(command)), longs(&program)].concat();
    similar(&own).map(|meant| (meant, None))
}

/// Names the whole of a word behind one dash, which `clap` reads as options of one letter: `-no-color` was refused as `-n`.
fn with_whole_word(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(letter)) = error.get(ContextKind::InvalidArg) else { return error };
    let is_letter = letter.strip_prefix('-').is_some_and(|rest| rest.chars().count() == 1);
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let words =
        arguments.iter().skip(1).take_while(|argument| *argument != "--").filter_map(|word| word.to_str());
    let named = |word: &str| {
        let name = word.split('=').next().unwrap_or_default();
        match is_letter {
            true => name.starts_with(letter.as_str()) && !name.starts_with("--") && name.len() > letter.len(),
            false => name == letter,
        }
        .then(|| name.to_owned())
    };
    let Some(name) = words.filter_map(named).next() else { return error };
    let word = name.trim_start_matches('-').to_owned();
    let pointless = POINTLESS.iter().find(|(known, _)| *known == word);
    if is_letter {
        error.insert(ContextKind::InvalidArg, ContextValue::String(name));
        error.remove(ContextKind::Suggested);
    }
    if let Some((_, instead)) = pointless {
        error.remove(ContextKind::SuggestedArg);
        let tip = StyledStr::from(format!("this is an option of Terraform: {instead}"));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    } else if let Some(tip) = tip_about_command(&word) {
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, tip);
    } else if error.get(ContextKind::SuggestedArg).is_none() {
        match meant_option(&word, arguments) {
            Some((meant, None)) => {
                error.remove(ContextKind::Suggested);
                error.insert(ContextKind::SuggestedArg, ContextValue::String(format!("--{meant}")));
            }
            Some((meant, Some(command))) => {
                let tip =
                    StyledStr::from(format!("write it behind a command: `objchange {command} --{meant}`"));
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
            }
            None => {}
        }
    }
    error
}

/// The error with unprintable characters escaped in the arguments that it repeats.
fn legible(error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let mut error = with_suggestion(with_command(
        with_whole_word(without_secrets(error, arguments), arguments),
        arguments,
    ));
    let repeated: Vec<(ContextKind, ContextValue)> = error
        .context()
        .filter_map(|(kind, value)| {
            let value = match value {
                ContextValue::String(text) => ContextValue::String(visible(text).into()),
                ContextValue::Strings(texts) => {
                    ContextValue::Strings(texts.iter().map(|text| visible(text).into()).collect())
                }
                // Tips repeat arguments, too. Escaped as a whole they lose their styles.
                ContextValue::StyledStrs(tips) => {
                    let tip = |tip: &StyledStr| StyledStr::from(visible(&tip.to_string()).into_owned());
                    ContextValue::StyledStrs(tips.iter().map(tip).collect())
                }
                // Numbers are no secrets, and the usage is the program's own text.
                _ => return None,
            };
            Some((kind, value))
        })
        .collect();
    for (kind, value) in repeated {
        error.insert(kind, value);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detailed_exit_codes_are_found_among_bad_arguments() {
        let asked =
            |text: &str| asks_for_detailed_codes(&text.split(' ').map(OsString::from).collect::<Vec<_>>());
        for text in [
            "objchange show --detailed-exitcode --nonsense",
            "objchange show --nonsense --detailed-exitcode",
            "objchange show --as nonsense p --detailed-exitcode --detailed-exitcode",
            "objchange --color never show p -x --detailed-exitcode",
            "objchange --color=x show - --detailed-exitcode --color y",
        ] {
            assert!(asked(text), "{text}");
        }
        for text in [
            "objchange eval --detailed-exitcode",
            "objchange query show --detailed-exitcode",
            "objchange show -- --detailed-exitcode",
            "objchange show",
            "objchange",
        ] {
            assert!(!asked(text), "{text}");
        }
    }

    #[test]
    fn options_of_terraform_may_have_one_dash() {
        let program = <crate::Cli as clap::CommandFactory>::command();
        let read = |text: &str| {
            let arguments = text.split(' ').map(OsString::from).collect();
            let read = with_two_dashes(arguments, &program);
            read.iter().map(|argument| argument.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        for (text, expected) in [
            ("objchange plan . -var a=b -out=x -destroy", "objchange plan . --var a=b --out=x --destroy"),
            ("objchange test -filter a", "objchange test --filter a"),
            // `show` has no such option, and names behind `--` stay as they are.
            ("objchange diff a b -out x", "objchange diff a b -out x"),
            ("objchange plan -- -out", "objchange plan -- -out"),
            ("objchange query -summary", "objchange query -summary"),
            ("objchange sentinel apply -param a=1 p", "objchange sentinel apply --param a=1 p"),
        ] {
            assert_eq!(read(text), expected);
        }
    }

    #[test]
    fn options_with_secrets_are_found_wherever_they_stand() {
        let has = |text: &str| mentions_secrets(&text.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(has("objchange plan --nonsense --var a=b"));
        assert!(has("objchange plan --var=a"));
        assert!(has("objchange plan -- --var a"));
        assert!(!has("objchange plan --var-file a"));
    }
}
