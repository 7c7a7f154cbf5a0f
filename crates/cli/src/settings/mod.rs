//! Options that the environment or a file gives: `OBJCHANGE_SCHEMAS` and the like, `objchange.toml`, `--settings FILE`.
//!
//! They become arguments behind the name of the command, unless the command line has the option, or another one that excludes it.
//! So `clap` checks their values as it checks all others.

mod file;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};
use objchange_text::{did_you_mean, visible};

use self::file::{Entry, Value};
use crate::exit::{CommandError, unusable};
use crate::input::Source;

/// The settings of a working directory. A pull request can change it, so it loosens no check.
const OF_DIRECTORY: &str = "objchange.toml";

/// Options that variables and every file may set: they change how something is printed, and which schemas are read.
const HARMLESS: [&str; 3] = ["color", "format", "schemas"];

/// The options that only a file of `--settings` may have, beside all that begin with `allow-`: they decide what is checked.
const OF_CHECKS: [&str; 6] = ["fail-on", "ignore", "quiet", "rego", "sentinel", "skip-unreadable"];

/// The options of these that refuse something.
const JUDGES: [&str; 3] = ["fail-on", "rego", "sentinel"];

/// The options whose values are paths. In a file they are relative to its folder.
const PATHS: [&str; 4] = ["allow-path", "rego", "schemas", "sentinel"];

/// The maximum length of a file with settings, in bytes.
const MAX_LENGTH: u64 = 1 << 20;

/// Commands whose exit code or answer decides something. Schemas say what is sensitive, which a hash leaves out, and which arrays
/// are sets.
const DECIDING: [&str; 5] = ["apply", "diff", "hash", "policy", "query"];

/// Options by which other commands decide something.
const DECIDING_OPTIONS: [&str; 4] = ["detailed-exitcode", "fail-on", "rego", "sentinel"];

/// The arguments with their settings.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) arguments: Vec<OsString>,
    /// A note about settings that whoever may change the working directory may have set.
    pub(crate) note: Option<String>,
}

/// An option that is not on the command line.
#[derive(Debug)]
struct Setting {
    option: String,
    value: Value,
    /// The variable, or the file with the line and column.
    place: String,
    /// It is from the file in the working directory.
    is_of_directory: bool,
}

/// The arguments with the settings that their command takes. `parse` returns the arguments of the form of a command that they are
/// for.
///
/// # Errors
///
/// A setting is none, or has a value that no command takes.
pub(crate) fn with_settings(
    arguments: Vec<OsString>,
    program: &Command,
    parse: impl Fn(&[OsString]) -> Result<Vec<OsString>, ErrorKind>,
) -> Result<Settled, CommandError> {
    let settings = match find(&arguments, program) {
        // Help is printed whatever is wrong elsewhere.
        Err(_) if matches!(parse(&arguments), Err(ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)) => {
            return Ok(Settled { arguments, note: None });
        }
        found => found?,
    };
    if settings.is_empty() {
        return Ok(Settled { arguments, note: None });
    }
    let mut schemas_of_directory = None;
    let asked = own_command(&arguments, program).map(|(_, command)| command);
    let (mut arguments, mut first_error) = match parse(&arguments) {
        Ok(arguments) => (arguments, None),
        Err(kind) => (arguments, Some(kind)),
    };
    let Some((at, command)) = own_command(&arguments, program) else {
        return Ok(Settled { arguments, note: None });
    };
    // Flags may need an option, such as `allow-unmatched`, which needs `fail-on`.
    let (flags, others): (Vec<_>, Vec<_>) =
        settings.into_iter().partition(|setting| matches!(setting.value, Value::Flag(_)));
    for Setting { option, value, place, is_of_directory } in others.into_iter().chain(flags) {
        let known =
            command.get_arguments().chain(program.get_arguments()).find(|arg| is_option(arg, &option));
        let Some(arg) = known else {
            // The options of this form of the command exclude it.
            if JUDGES.contains(&option.as_str())
                && asked.is_some_and(|asked| asked.get_arguments().any(|arg| is_option(arg, &option)))
            {
                return Err(excluded(&place, &option));
            }
            continue;
        };
        if is_given(&arguments, arg) {
            continue;
        }
        let added: Vec<OsString> = match value {
            Value::Flag(true) => vec![format!("--{option}").into()],
            Value::Flag(false) => continue,
            Value::Texts(texts) => {
                chosen(arg, texts).into_iter().map(|text| format!("--{option}={text}").into()).collect()
            }
        };
        let mut with = arguments.clone();
        with.splice(at + 1..at + 1, added);
        match parse(&with) {
            Ok(with) => {
                (arguments, first_error) = (with, None);
                if is_of_directory && option == "schemas" {
                    schemas_of_directory = Some(place);
                }
            }
            // The command still lacks something, which another setting may have.
            Err(ErrorKind::MissingRequiredArgument)
                if first_error == Some(ErrorKind::MissingRequiredArgument) =>
            {
                arguments = with;
            }
            Err(ErrorKind::InvalidValue | ErrorKind::ValueValidation) if first_error.is_none() => {
                return Err(unusable(format!(
                    "{place}: `{option}` has a value that this option cannot have"
                )));
            }
            // A gate or a policy that is not used would pass what it has not checked.
            Err(ErrorKind::ArgumentConflict)
                if first_error.is_none() && JUDGES.contains(&option.as_str()) =>
            {
                return Err(excluded(&place, &option));
            }
            // The command line excludes it, or has an error of its own.
            Err(_) => {}
        }
    }
    let decides = || {
        let is_given = |arg: &Arg| {
            DECIDING_OPTIONS.iter().any(|option| is_option(arg, option)) && is_given(&arguments, arg)
        };
        DECIDING.contains(&command.get_name()) || command.get_arguments().any(is_given)
    };
    let note = schemas_of_directory.filter(|_| decides()).map(|place| {
        format!(
            "{place}: this decides with the schemas that are named here. Whoever can change this directory can change them: pass \
             --schemas, or name a file of your own with --settings FILE"
        )
    });
    Ok(Settled { arguments, note })
}

/// A setting that would check something, and that an option of the command line excludes.
fn excluded(place: &str, option: &str) -> CommandError {
    unusable(format!(
        "{place}: `{option}` cannot be used with an option of this command line; leave out one of them"
    ))
}

/// All settings, the strongest first. None of them is repeated.
fn find(arguments: &[OsString], program: &Command) -> Result<Vec<Setting>, CommandError> {
    let mut all: Vec<Setting> = HARMLESS.iter().filter_map(|option| of_environment(option)).collect();
    let named = named_file(arguments);
    let own = Path::new(OF_DIRECTORY);
    if let Some(path) = &named {
        all.extend(of_file(path, program, true)?);
    }
    // A file that is named is trusted, whatever its name.
    let is_named = named.is_some_and(|named| {
        named.canonicalize().is_ok_and(|path| own.canonicalize().is_ok_and(|own| own == path))
    });
    if own.exists() && !is_named {
        all.extend(of_file(own, program, false)?);
    }
    for setting in &all {
        check(setting, program)?;
    }
    let mut once: Vec<Setting> = Vec::new();
    for setting in all {
        if once.iter().all(|stronger| stronger.option != setting.option) {
            once.push(setting);
        }
    }
    Ok(once)
}

/// The setting of a variable such as `OBJCHANGE_SCHEMAS`, unless it is empty.
fn of_environment(option: &str) -> Option<Setting> {
    let name = format!("OBJCHANGE_{}", option.to_ascii_uppercase());
    let value = std::env::var_os(&name).filter(|value| !value.is_empty())?;
    let text = |value: &OsStr| value.to_string_lossy().into_owned();
    let texts = match PATHS.contains(&option) {
        true => std::env::split_paths(&value).map(|path| text(path.as_os_str())).collect(),
        false => vec![text(&value)],
    };
    Some(Setting {
        option: option.to_owned(),
        value: Value::Texts(texts),
        place: name,
        is_of_directory: false,
    })
}

/// The file that `--settings` names. It is not parsed by `clap`, because its content decides what is parsed.
fn named_file(arguments: &[OsString]) -> Option<PathBuf> {
    let mut before = arguments.iter().take_while(|argument| *argument != "--");
    while let Some(argument) = before.next() {
        if argument == "--settings" {
            return before.next().map(PathBuf::from);
        }
        if let Some(path) = argument.to_str().and_then(|text| text.strip_prefix("--settings=")) {
            return Some(PathBuf::from(path));
        }
    }
    None
}

/// The settings of a file.
fn of_file(path: &Path, program: &Command, is_trusted: bool) -> Result<Vec<Setting>, CommandError> {
    let text = Source::File(path.to_owned()).read_at_most(MAX_LENGTH).map_err(unusable)?;
    let at = |place: objchange_text::Position| format!("{}:{}:{}", path.display(), place.line, place.column);
    let entries =
        file::parse(&text).map_err(|error| unusable(format!("{}: {}", at(error.place), error.message)))?;
    let mut settings = Vec::new();
    for Entry { key, value, place } in entries {
        let place = at(place);
        if !HARMLESS.contains(&key.as_str()) {
            let of_checks = of_checks(program);
            if !of_checks.contains(&key) {
                let names =
                    HARMLESS.into_iter().chain(of_checks.iter().filter(|_| is_trusted).map(String::as_str));
                let meant = did_you_mean(&key, names);
                return Err(unusable(format!("{place}: there is no setting `{key}`{meant}")));
            }
            if !is_trusted {
                return Err(unusable(format!(
                    "{place}: `{key}` decides what is checked, and everybody who may change this directory could set it here; put \
                     it into a file of your own, and name that with --settings FILE"
                )));
            }
        }
        let folder = path.parent().filter(|_| PATHS.contains(&key.as_str()));
        let value = match (value, folder) {
            (Value::Texts(texts), Some(folder)) => {
                let joined = texts.iter().map(|text| folder.join(text).to_string_lossy().into_owned());
                Value::Texts(joined.collect())
            }
            (value, _) => value,
        };
        settings.push(Setting { option: key, value, place, is_of_directory: !is_trusted });
    }
    Ok(settings)
}

/// The options that only a file of `--settings` may have.
fn of_checks(program: &Command) -> Vec<String> {
    let mut names: Vec<String> = OF_CHECKS.iter().map(|name| (*name).to_owned()).collect();
    names.extend(
        commands(program)
            .iter()
            .flat_map(|command| command.get_arguments())
            .filter_map(Arg::get_long)
            .filter(|long| long.starts_with("allow-"))
            .map(str::to_owned),
    );
    names.sort();
    names.dedup();
    names
}

/// The program, its commands, and theirs.
fn commands(program: &Command) -> Vec<&Command> {
    let mut all = vec![program];
    let mut next = 0;
    while let Some(command) = all.get(next).copied() {
        all.extend(command.get_subcommands());
        next += 1;
    }
    all
}

fn is_option(arg: &Arg, option: &str) -> bool {
    arg.get_long_and_visible_aliases().is_some_and(|names| names.contains(&option))
}

fn is_flag(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue)
}

/// Whether the command line has an option, under any of its names.
fn is_given(arguments: &[OsString], arg: &Arg) -> bool {
    let names = arg.get_long_and_visible_aliases().unwrap_or_default();
    let before = arguments.iter().skip(1).take_while(|argument| *argument != "--");
    before.filter_map(|argument| argument.to_str()?.strip_prefix("--")).any(|text| {
        let name = text.split('=').next().unwrap_or_default();
        names.contains(&name)
    })
}

/// Refuses a value that no command takes.
fn check(setting: &Setting, program: &Command) -> Result<(), CommandError> {
    let Setting { option, value, place, .. } = setting;
    let commands = commands(program);
    let known: Vec<&Arg> = commands
        .iter()
        .flat_map(|command| command.get_arguments())
        .filter(|arg| is_option(arg, option))
        .collect();
    let wrong = |reason: String| Err(unusable(format!("{place}: {reason}")));
    match value {
        // This build may lack the commands with this option.
        _ if known.is_empty() => Ok(()),
        Value::Flag(_) if !known.iter().any(|arg| is_flag(arg)) => wrong(format!("`{option}` needs a text")),
        Value::Texts(_) if known.iter().all(|arg| is_flag(arg)) => {
            wrong(format!("`{option}` is `true` or `false`"))
        }
        Value::Texts(texts) => {
            let limited = |arg: &&Arg| arg.get_possible_values();
            if known.iter().any(|arg| limited(arg).is_empty() && !is_flag(arg)) {
                return Ok(());
            }
            let names: Vec<String> = known
                .iter()
                .flat_map(limited)
                .flat_map(|value| value.get_name_and_aliases().map(str::to_owned).collect::<Vec<_>>())
                .collect();
            match texts.iter().find(|text| !names.contains(text)) {
                None => Ok(()),
                Some(text) => wrong(format!(
                    "no command has the {option} `{}`{}",
                    visible(text),
                    did_you_mean(text, names.iter().map(String::as_str))
                )),
            }
        }
        Value::Flag(_) => Ok(()),
    }
}

/// The values that an option of a command can have; one, if it takes one.
fn chosen(arg: &Arg, texts: Vec<String>) -> Vec<String> {
    let possible = arg.get_possible_values();
    let fits = |text: &String| {
        possible.is_empty()
            || possible.iter().any(|value| value.get_name_and_aliases().any(|name| name == text))
    };
    let takes_many = matches!(arg.get_action(), ArgAction::Append);
    let limit = if takes_many { usize::MAX } else { 1 };
    texts.into_iter().filter(fits).take(limit).collect()
}

/// The command among the arguments, or the command of that one: the position of its name.
fn own_command<'p>(arguments: &[OsString], program: &'p Command) -> Option<(usize, &'p Command)> {
    let (mut at, name) = crate::arguments::command_of(arguments)?;
    let mut command = program.find_subcommand(name)?;
    while let Some(next) = arguments.get(at + 1).and_then(|name| command.find_subcommand(name.to_str()?)) {
        (at, command) = (at + 1, next);
    }
    Some((at, command))
}
