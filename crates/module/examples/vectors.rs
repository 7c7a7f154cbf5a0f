//! How many cases of whole modules come out as Terraform's, and what differs in the others.
//!
//! ```text
//! cargo run --release -p objchange-module --example vectors -- [NAME…] [-v] [-q] [-p] [--folder=DIR] [--as=VERSION]
//! ```
//!
//! A name may have `*`. With `-v` each part that differs is shown, not the first only; with `-q` only the counts. With
//! `-p` the document of each plan is printed, and nothing else. `--folder` has other cases in the same layout, and `--as`
//! the version of Terraform that answered them; their data sources are looked up by rule, whatever was recorded.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the table is what this is for")]

#[path = "../tests/larger/vectors/mod.rs"]
mod vectors;

use std::collections::BTreeMap;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (options, mut names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with('-'));
    if names.is_empty() {
        names.push("*".to_owned());
    }
    let has = |option: &str| options.iter().any(|given| given == option);
    let value = |option: &str| options.iter().find_map(|given| given.strip_prefix(option));
    let folder = value("--folder=").map_or_else(vectors::folder, Into::into);
    let planner = vectors::Planner::new(&folder, value("--as=").unwrap_or(vectors::NEWEST));
    let planner = match planner {
        Ok(planner) => planner,
        Err(error) => {
            eprintln!("the cases are not there: {error}");
            return ExitCode::FAILURE;
        }
    };
    // A panic counts as a difference, without its message.
    std::panic::set_hook(Box::new(|_| ()));
    let mut parts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut needs: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut total = (0, 0);
    for name in &names {
        for case in vectors::cases(&folder, name).unwrap_or_default() {
            if has("-p") {
                match planner.run(&case) {
                    Ok(answer) => answer.plan.iter().for_each(|plan| println!("{plan}")),
                    Err(error) => eprintln!("{}: {error}", case.name),
                }
                continue;
            }
            let verdicts = vectors::judge(&planner, &case);
            let passes = vectors::passes(&verdicts);
            let group =
                if case.run.needs.is_empty() { "(nothing)".to_owned() } else { case.run.needs.join(" ") };
            count(&mut total, passes);
            count(needs.entry(group).or_default(), passes);
            for (part, difference) in &verdicts {
                count(parts.entry(part.clone()).or_default(), difference.is_none());
            }
            if has("-q") || (passes && !has("-v")) {
                continue;
            }
            let differences = verdicts.iter().filter_map(|(part, found)| Some((part, found.as_ref()?)));
            let shown = if has("-v") { usize::MAX } else { 1 };
            for (part, difference) in differences.take(shown) {
                let difference =
                    if has("-v") { difference } else { difference.lines().next().unwrap_or_default() };
                println!("{}: {part}: {difference}", case.name);
            }
        }
    }
    if has("-p") {
        return ExitCode::SUCCESS;
    }
    println!();
    for (title, counts) in [("part", &parts), ("needs", &needs)] {
        for (name, (same, all)) in counts {
            println!("{title:>6} {name:<60} {same:>4} of {all:>4}");
        }
    }
    println!("{:>6} {:<60} {:>4} of {:>4}", "", "all", total.0, total.1);
    ExitCode::SUCCESS
}

fn count((same, all): &mut (usize, usize), is_same: bool) {
    *same += usize::from(is_same);
    *all += 1;
}
