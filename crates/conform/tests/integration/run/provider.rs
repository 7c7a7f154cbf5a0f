//! Running over a provider in this program.

use std::sync::Arc;

use objchange_conform::kit::Kit;
use objchange_conform::{Corpus, FindingReport, Options, Report, TypeReport, run};
use objchange_provider::Provider;

pub(crate) fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// Runs against a provider that is made anew each time.
pub(crate) fn tried(make: impl Fn() -> Kit + Send + Sync + 'static, options: Options) -> (Report, Corpus) {
    let start = move || {
        let provider: Arc<dyn Provider> = Arc::new(make());
        async move { Ok(provider) }
    };
    wait(run(start, options, |_| {})).unwrap()
}

pub(crate) fn type_report<'r>(report: &'r Report, name: &str) -> &'r TypeReport {
    report.types.iter().find(|of| of.name == name).unwrap()
}

/// The configuration that shows it, as text.
pub(crate) fn smallest(found: &FindingReport) -> String {
    let Some(smallest) = &found.smallest else { return "nothing".into() };
    let set = |object: &objchange::Value| {
        let members = object.as_object().unwrap();
        let is_set = |part: &objchange::Value| !part.is_null() && part.len() != Some(0);
        let set = members.iter().filter(|(_, part)| is_set(part)).map(|(n, v)| format!("{n} = {v}"));
        set.collect::<Vec<_>>().join(", ")
    };
    let then = |value: &Option<objchange::Value>| {
        value.as_ref().map(|v| format!(" -> {}", set(v))).unwrap_or_default()
    };
    format!("{}{}{}", set(&smallest.config), then(&smallest.known), then(&smallest.update))
}
