//! Test files, and what Terraform answered to `terraform test`.

mod case;
mod compare;
#[allow(dead_code, reason = "the example that counts cases has no use for it")]
mod oracle;
mod run;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use libtest_mimic::Trial;

pub(crate) use case::{Case, cases, folder};
pub(crate) use compare::Verdicts;
pub(crate) use run::Tester;

/// The cases that do not come out as Terraform's, one name a line: two in which a provisioner runs, and one with a local
/// module that `terraform init` has not installed. A case named here must still differ, so the list only gets shorter.
const DIFFERENCES: &str = include_str!("differences.txt");

/// One test for each case: it agrees with Terraform, or it is listed and differs. An ignored test where they are absent.
#[allow(dead_code, reason = "the example that counts them has no use for it")]
pub(crate) fn trials() -> Vec<Trial> {
    let folder = folder();
    let Ok(tester) = Tester::new(&folder) else {
        return vec![Trial::test("module_tests", || Ok(())).with_ignored_flag(true), oracle::trial()];
    };
    let tester = Arc::new(tester);
    let trial = |case: Case| {
        let tester = Arc::clone(&tester);
        let differs = DIFFERENCES.lines().any(|name| name == case.name);
        Trial::test(format!("module_tests::{}", case.name), move || {
            let verdicts = judge(&tester, &case);
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
    let cases = cases(&folder, "*").unwrap_or_default();
    cases.into_iter().map(trial).chain([oracle::trial()]).collect()
}

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
