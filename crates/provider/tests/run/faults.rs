//! Each fault of the kit.

use objchange::case::{Case, Outcome};
use objchange_provider::conform::{Clause, Options};
use objchange_provider::kit::{Fault, faulty};

use crate::provider::{of, smallest, tried};

fn options() -> Options {
    let mut options = Options::default();
    options.apply = true;
    options
}

#[test]
fn each_fault_is_found_and_shrunk() {
    let (report, _) = tried(|| faulty(true), options());
    for fault in Fault::ALL {
        let of = of(&report, &format!("kit_{}", fault.kind()));
        for found in &of.findings {
            println!(
                "{} [{}] {}{} x{} | {} | {:?}",
                of.name,
                fault.clause(),
                found.finding.clause,
                found.place,
                found.count,
                smallest(found),
                found.case.as_ref().map(|c| c.len())
            );
        }
        if of.findings.is_empty() {
            println!("{} NOTHING {of:?}", of.name);
        }
    }
    println!("{:?}", report.time);
    let _ = (Clause::ALL, Outcome::Passed, Case::parse("{}").is_err());
    panic!();
}
