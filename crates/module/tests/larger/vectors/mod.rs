//! Whole modules with what Terraform answered: the document, the text, errors and warnings, the exit code.

mod case;
mod compare;
mod provider;
#[allow(dead_code, reason = "the example that counts cases has no use for it")]
pub(crate) mod removals;
mod run;

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use libtest_mimic::Trial;

pub(crate) use case::{Case, cases, folder};
pub(crate) use compare::{Verdicts, passes};
pub(crate) use run::{NEWEST, Planner};

/// The cases that do not come out as Terraform's yet, one name a line. A case named here must still differ, so the list
/// only gets shorter. `cargo run -p objchange-module --example vectors` says what differs.
const DIFFERENCES: &str = include_str!("differences.txt");

/// One test for each case: it agrees with Terraform, or it is listed and differs. An ignored test where they are absent.
#[allow(dead_code, reason = "the example that counts them has no use for it")]
pub(crate) fn trials() -> Vec<Trial> {
    let folder = folder();
    let Ok(planner) = Planner::new(&folder, NEWEST) else {
        return vec![Trial::test("vectors", || Ok(())).with_ignored_flag(true)];
    };
    let planner = Arc::new(planner);
    let trial = |case: Case| {
        let planner = Arc::clone(&planner);
        let differs = DIFFERENCES.lines().any(|name| name == case.name);
        Trial::test(format!("vectors::{}", case.name), move || {
            let verdicts = judge(&planner, &case);
            match (passes(&verdicts), differs) {
                (true, true) => {
                    return Err("agrees with Terraform now: take it off `differences.txt`".into());
                }
                (true, false) | (false, true) => return Ok(()),
                (false, false) => (),
            }
            let wrong =
                verdicts.iter().filter_map(|(part, found)| Some(format!("{part}: {}", found.as_ref()?)));
            Err(wrong.collect::<Vec<_>>().join("\n").into())
        })
    };
    cases(&folder, "*").unwrap_or_default().into_iter().map(trial).collect()
}

/// Plans a case and compares; also a panic is only a difference.
pub(crate) fn judge(planner: &Planner, case: &Case) -> Verdicts {
    let failed = |message: String| BTreeMap::from([("run".to_owned(), Some(message))]);
    let want = match case.expected(planner.is_newest()) {
        Ok(want) => want,
        Err(error) => return failed(format!("the expected answer cannot be read: {error}")),
    };
    match panic::catch_unwind(AssertUnwindSafe(|| planner.run(case))) {
        Ok(Ok(got)) => compare::compare(&want, &got),
        Ok(Err(message)) => failed(message),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            failed(format!("panicked: {}", text.unwrap_or_default()))
        }
    }
}
