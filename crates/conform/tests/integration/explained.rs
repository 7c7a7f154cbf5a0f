//! Terraform's message about each fault of the kit's provider is explained by the clause of that fault.

use objchange_conform::Clause;
use objchange_conform::kit::Fault;
use objchange_explain::{Explained, explain};

/// Printed by Terraform 1.11.4 when it ran the kit's provider, fault by fault.
const SAID: &str = include_str!("../../../explain/tests/integration/terraform-1.11.4.txt");

fn fault(explained: &Explained) -> Option<Fault> {
    let kind = explained.address.as_deref()?.strip_prefix("kit_")?.strip_suffix(".t")?;
    Fault::ALL.iter().copied().find(|fault| fault.kind() == kind)
}

#[test]
fn each_message_is_about_the_clause_of_its_fault() {
    let all = explain(SAID);
    let mut found = Vec::new();
    for explained in &all {
        let Some(fault) = fault(explained) else { continue };
        // For a change that becomes a replacement, Terraform also reports the changed values.
        let is_consequence = fault == Fault::FinalAction && explained.clauses == [Clause::F2];
        assert!(
            explained.clauses.contains(&fault.clause()) || is_consequence,
            "{}: {explained:?}",
            fault.kind()
        );
        if !is_consequence {
            found.push(fault);
        }
    }
    // Some messages name no resource.
    assert!(found.len() > 40, "{}", found.len());
    for clause in [Clause::P4, Clause::I1, Clause::I5, Clause::T1, Clause::D1, Clause::N3] {
        assert!(all.iter().any(|one| one.address.is_none() && one.clauses.contains(&clause)), "{clause}");
    }
}
