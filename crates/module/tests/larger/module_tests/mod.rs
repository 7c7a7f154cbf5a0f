//! Test files, and what Terraform answered to `terraform test`.

mod case;
mod compare;
mod run;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) use case::{Case, cases, folder};
pub(crate) use compare::Verdicts;
pub(crate) use run::Tester;

/// Runs a case, and compares the answer with Terraform's: each part, with the first difference.
pub(crate) fn judge(tester: &Tester, case: &Case) -> Verdicts {
    let failed = |why: String| Verdicts::from([("run".to_owned(), Some(why))]);
    let run = catch_unwind(AssertUnwindSafe(|| tester.run(case)));
    match (run, case.expected()) {
        (Ok(Ok(got)), Ok(want)) => compare::compare(&want, &got),
        (Ok(Err(error)), _) => failed(error),
        (Err(_), _) => failed("it panics".to_owned()),
        (_, Err(error)) => failed(format!("the answer cannot be read: {error}")),
    }
}

/// Whether all parts are the same.
pub(crate) fn passes(verdicts: &Verdicts) -> bool {
    verdicts.values().all(Option::is_none)
}
