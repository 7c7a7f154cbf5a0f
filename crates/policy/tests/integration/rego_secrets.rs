//! A verdict that is found without looking at secrets is the one that is found over them.
//!
//! Random policies run over random plans. A trace is only made over the secrets, so it asks for that verdict. With
//! `PROPTEST_CASES` the number of policies is chosen.

use objchange_document::PlanFile;
use objchange_policy::rego::{Finding, Options, Outcome, Policies, PolicyFile, RuleVerdict, Verdicts};
use proptest::prelude::*;

use crate::collections::random::{SECRET, node, object};
use crate::collections::secrets::plan;
use crate::rego_law::random::{Random, Writer, constants};

const DOCUMENT: [&str; 12] = [
    "change.before",
    "change.after",
    "change.after",
    "change.after_unknown",
    "change.after_sensitive",
    "change.replace_paths",
    "input.planned_values.root_module.resources[0].values",
    "input.planned_values.outputs.o",
    "input.variables.v.value",
    "input.output_changes.o.after",
    "input.relevant_attributes",
    "input.configuration.root_module.resources[0].expressions",
];

const COLLECTIONS: [&str; 8] = [
    "change.before",
    "change.after",
    "change.after",
    "change.after_unknown",
    "input.tfplan.planned_values.resources[\"t.a[0]\"].values",
    "input.tfplan.variables.v.value",
    "input.tfstate.outputs.o.value",
    "input.tfconfig.resources[\"t.a\"].config",
];

fn prelude(of_document: bool) -> &'static str {
    match of_document {
        true => "k := input.variables.k.value\nchange := input.resource_changes[0].change\n",
        false => {
            "k := input.tfplan.variables.k.value\nchange := input.tfplan.resource_changes[\"t.a[0]\"].change\n"
        }
    }
}

fn verdicts(text: &str, plan: &str, over_secrets: bool) -> Option<Verdicts> {
    let mut options = Options::new(|| 0);
    options.trace = over_secrets;
    // Not all that is written at random is a policy.
    let policies = Policies::compile(&[PolicyFile::new("p.rego", text)], options).ok()?;
    let plan = PlanFile::parse("plan.json", plan.to_owned()).unwrap();
    Some(policies.evaluate(&plan).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

fn findings(verdict: &RuleVerdict) -> Vec<&Finding> {
    let undecided = verdict.undecided.iter().flat_map(|undecided| &undecided.findings);
    verdict.findings.iter().chain(undecided).collect()
}

/// The messages that are shown, which must be among those of the other verdict, and whether one is hidden.
fn shown(verdict: &RuleVerdict) -> (Vec<&str>, bool) {
    let findings = findings(verdict);
    let messages = findings.iter().filter_map(|finding| finding.message.as_deref()).collect();
    (messages, findings.iter().any(|finding| finding.message.is_none()))
}

fn compare(without: &RuleVerdict, over: &RuleVerdict) -> Result<(), &'static str> {
    let ((messages, hides), (all, hides_all)) = (shown(without), shown(over));
    if without.outcome() != over.outcome() {
        return Err("another outcome");
    }
    if without.error != over.error {
        return Err("another error");
    }
    if messages.iter().any(|message| !all.contains(message)) {
        return Err("a message that secrets hide is shown");
    }
    if messages.len() < all.len() && !hides {
        return Err("a message is lost");
    }
    if hides_all && !hides {
        return Err("a hidden message is lost");
    }
    let waits = |verdict: &RuleVerdict| verdict.undecided.clone().map(|undecided| undecided.waits_for);
    match without.outcome() == Outcome::Undecided && waits(without) != waits(over) {
        true => Err("it waits for something else"),
        false => Ok(()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn verdicts_are_those_over_the_secrets(
        seed in any::<u64>(),
        of_document in any::<bool>(),
        before in object(),
        after in object(),
        secret in node(),
    ) {
        let mut random = Random(seed);
        let roots: &[&str] = if of_document { &DOCUMENT } else { &COLLECTIONS };
        let text = Writer::new(&mut random, roots).policy(prelude(of_document), "deny_");
        // A variable that is not set, in place of a field that no plan has.
        let unset = if of_document { "[input.variables.a.value]" } else { "[input.tfplan.variables.a.value]" };
        let text = text.replace("[input.a]", unset);
        let mut plan = plan(&before.planted(), &after.planted(), &secret);
        plan["variables"]["k"] = serde_json::json!({"value": serde_json::from_str::<serde_json::Value>(&constants().to_json()).unwrap()});
        let plan = plan.to_string();
        if let (Some(without), Some(over)) = (verdicts(&text, &plan, false), verdicts(&text, &plan, true)) {
            prop_assert!(!format!("{without:?}").contains(SECRET), "{text}\n{plan}\n{without:?}");
            // The trace has values.
            prop_assert!(!format!("{over:?}").contains(SECRET), "{text}\n{plan}\n{over:?}");
            prop_assert_eq!(without.rules.len(), over.rules.len());
            for (without, over) in without.rules.iter().zip(&over.rules) {
                if let Err(why) = compare(without, over) {
                    prop_assert!(false, "{}: {why}\n{text}\n{plan}\nwithout: {without:?}\nover: {over:?}", without.rule);
                }
            }
            // A call that fails for the secret alone, and decides nothing, is no warning.
            let is_told = |warning| over.warnings.contains(warning);
            prop_assert!(without.warnings.iter().all(is_told), "{text}\n{plan}\n{:?}", without.warnings);
        }
    }
}
