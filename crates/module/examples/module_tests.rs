//! How many cases of module tests come out as Terraform's, and what differs in the others.
//!
//! ```text
//! cargo run -p objchange-module --example module_tests -- [NAME…] [-v] [-q] [-p]
//! ```
//!
//! A name may have `*`. With `-v` each part that differs is shown, not the first only; with `-q` only the counts. With
//! `-p` what is printed of each is printed, and nothing else; with `-j` its messages.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the table is what this is for")]

#[path = "../tests/larger/module_tests/mod.rs"]
mod module_tests;

use std::collections::BTreeMap;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (options, mut names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with('-'));
    if names.is_empty() {
        names.push("*".to_owned());
    }
    let has = |option: &str| options.iter().any(|given| given == option);
    let folder = module_tests::folder();
    let tester = match module_tests::Tester::new(&folder) {
        Ok(tester) => tester,
        Err(error) => {
            eprintln!("the cases are not there: {error}");
            return ExitCode::FAILURE;
        }
    };
    if !has("-b") {
        // A panic counts as a difference, without its message.
        std::panic::set_hook(Box::new(|_| ()));
    }
    let mut parts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut total = (0, 0);
    for name in &names {
        for case in module_tests::cases(&folder, name).unwrap_or_default() {
            if has("-p") || has("-j") {
                match tester.run(&case) {
                    Ok(answer) if has("-j") => {
                        answer.messages.iter().flatten().for_each(|one| println!("{one}"));
                    }
                    Ok(answer) => println!("{}", answer.text.unwrap_or_default()),
                    Err(error) => eprintln!("{}: {error}", case.name),
                }
                continue;
            }
            let verdicts = module_tests::judge(&tester, &case);
            let passes = module_tests::passes(&verdicts);
            count(&mut total, passes);
            for (part, difference) in &verdicts {
                count(parts.entry(part.clone()).or_default(), difference.is_none());
            }
            if has("-q") || passes {
                continue;
            }
            let differences = verdicts.iter().filter_map(|(part, found)| Some((part, found.as_ref()?)));
            let shown = if has("-v") { usize::MAX } else { 1 };
            for (part, difference) in differences.take(shown) {
                println!("{}: {part}: {difference}", case.name);
            }
        }
    }
    if has("-p") || has("-j") {
        return ExitCode::SUCCESS;
    }
    println!();
    for (name, (same, all)) in &parts {
        println!("{name:<12} {same:>4} of {all:>4}");
    }
    println!("{:<12} {:>4} of {:>4}", "all", total.0, total.1);
    ExitCode::SUCCESS
}

fn count((same, all): &mut (usize, usize), is_same: bool) {
    *same += usize::from(is_same);
    *all += 1;
}
