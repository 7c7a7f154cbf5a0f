//! Terraform's sentences about wrong values: `was cty.StringVal("a"), but now null`.

use super::template::{filled, matched};

/// A sentence about a value, with the engine's kind of violation.
struct Sentence {
    kind: &'static str,
    template: &'static str,
    is_printed: bool,
}

/// A sentence that findings print.
const fn printed(template: &'static str, kind: &'static str) -> Sentence {
    Sentence { kind, template, is_printed: true }
}

/// A sentence that is only read: from an older version, or about a case that has no finding.
const fn only_read(template: &'static str, kind: &'static str) -> Sentence {
    Sentence { kind, template, is_printed: false }
}

/// Sentences about plans. Longer ones come before those that they begin with.
const PLANNED: &[Sentence] = &[
    printed("planned for absence but config wants existence", "planned_absent"),
    printed("planned for existence but config wants absence", "planned_present"),
    only_read("planned for absence, but config wants existence", "planned_absent"),
    only_read("planned for existence, but config wants absence", "planned_present"),
    printed(
        "attribute representing a {mode} of nested blocks must be empty to indicate no blocks, not null",
        "null_blocks",
    ),
    printed("planned value {planned} for unknown dynamic block", "changed_unknown_dynamic_block"),
    printed(
        "attribute representing nested block must not be unknown itself; set nested attribute values to unknown instead",
        "unknown_noncomputed_block",
    ),
    printed(
        "element representing nested block must not be unknown itself; set nested attribute values to unknown instead",
        "unknown_block_element",
    ),
    printed(
        "block count in plan ({planned}) disagrees with count in config ({config})",
        "block_count_disagrees",
    ),
    printed("count in plan ({planned}) disagrees with count in config ({config})", "count_disagrees"),
    printed("block key {key} from plan is not present in config", "block_key_not_in_config"),
    printed("block key {key} from config is not present in plan", "block_key_not_in_plan"),
    printed("map key {key} from plan is not present in config", "map_key_not_in_config"),
    printed("map key {key} from config is not present in plan", "map_key_not_in_plan"),
    only_read("planned value for write-only attribute is not null", "write_only_not_null"),
    printed("sensitive planned value for a non-computed attribute", "sensitive_noncomputed_planned"),
    printed("planned value {planned} for a non-computed attribute", "noncomputed_planned"),
    printed(
        "sensitive planned value does not match config value nor prior value",
        "sensitive_not_config_nor_prior",
    ),
    only_read(
        "sensitive planned value does not match config value or prior value",
        "sensitive_not_config_nor_prior",
    ),
    printed("sensitive planned value does not match config value", "sensitive_not_config"),
    printed(
        "planned value {planned} does not match config value {config} nor prior value {prior}",
        "not_config_nor_prior",
    ),
    printed("planned value {planned} does not match config value {config}", "not_config"),
    printed("planned unknown for configured value", "planned_unknown_for_configured"),
];

/// Sentences about results, and about final plans that differ from the first one.
const RESULTS: &[Sentence] = &[
    printed("Root object was present, but now absent", "no_object"),
    only_read("Root resource was present, but now absent", "no_object"),
    only_read("Root resource was absent, but now present", "object_now_present"),
    only_read("Root object was absent, but now present", "object_now_present"),
    printed("was absent, but now present", "object_now_present"),
    printed("was present, but now absent", "object_now_absent"),
    printed("inconsistent values for sensitive attribute", "sensitive_inconsistent"),
    printed("block count changed from {planned} to {actual}", "block_count_changed"),
    printed("block set length changed from {planned} to {actual}", "block_set_grew"),
    printed("block key {key} has vanished", "block_key_vanished"),
    printed("new block key {key} has appeared", "block_key_appeared"),
    printed(
        "final value {actual} does not conform to planning placeholder {planned}",
        "placeholder_mismatch",
    ),
    printed("wrong final value type: {actual}", "wrong_final_type"),
    printed("was known, but now unknown", "known_now_unknown"),
    printed("was null, but now {actual}", "null_now_value"),
    printed("was {planned}, but now null", "value_now_null"),
    printed("was {planned}, but now {actual}", "value_changed"),
    printed("new element {key} has appeared", "element_appeared"),
    printed("element {key} has vanished", "element_vanished"),
    printed(
        "planned set element {planned} does not correlate with any element in actual",
        "planned_set_element_unmatched",
    ),
    printed(
        "actual set element {actual} does not correlate with any element in plan",
        "actual_set_element_unmatched",
    ),
    printed("length changed from {planned} to {actual}", "set_grew"),
];

/// Terraform's words about a plan, with the holes filled; `None` if there are none, or a hole stays empty.
pub fn words_of_plan(kind: &str, fill: impl FnMut(&str) -> Option<String>) -> Option<String> {
    words(PLANNED, kind, fill)
}

/// Terraform's words about a result, or about a final plan.
pub fn words_of_result(kind: &str, fill: impl FnMut(&str) -> Option<String>) -> Option<String> {
    words(RESULTS, kind, fill)
}

fn words(sentences: &[Sentence], kind: &str, fill: impl FnMut(&str) -> Option<String>) -> Option<String> {
    let printed = sentences.iter().find(|sentence| sentence.is_printed && sentence.kind == kind)?;
    filled(printed.template, fill)
}

/// A parsed statement about a value.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) kind: Option<&'static str>,
    /// The values by the name of the hole: `planned`, `config`, `prior`, `actual`, `key`.
    pub(crate) values: Vec<(String, String)>,
}

/// Parses Terraform's words about a plan.
pub(crate) fn read_of_plan(text: &str) -> Statement {
    read(text, PLANNED)
}

/// Parses Terraform's words about a result, or about a final plan.
pub(crate) fn read_of_result(text: &str) -> Statement {
    read(text, RESULTS)
}

fn read(text: &str, sentences: &[Sentence]) -> Statement {
    let text = text.trim_end().trim_end_matches('.');
    let found =
        sentences.iter().find_map(|sentence| Some((sentence.kind, matched(sentence.template, text)?)));
    match found {
        Some((kind, holes)) => Statement {
            kind: Some(kind),
            values: holes
                .into_iter()
                .filter(|(name, _)| name != "mode")
                .map(|(name, value)| (name, value.to_owned()))
                .collect(),
        },
        None => Statement::default(),
    }
}

#[cfg(test)]
mod tests {
    use objchange::change::{InconsistentResultKind, InvalidPlanKind};

    use super::*;

    /// A name that the engine does not have would never be found in its documentation.
    #[test]
    fn the_names_are_those_of_the_engine() {
        for sentence in PLANNED {
            assert!(
                InvalidPlanKind::ALL.iter().any(|kind| kind.kind() == sentence.kind),
                "{}",
                sentence.kind
            );
        }
        for sentence in RESULTS.iter().filter(|sentence| sentence.kind != "no_object") {
            assert!(
                InconsistentResultKind::ALL.iter().any(|kind| kind.kind() == sentence.kind),
                "{}",
                sentence.kind
            );
        }
    }

    /// Each printed sentence is read as its own kind.
    #[test]
    fn what_is_printed_is_read() {
        for (sentences, words, read) in [
            (
                PLANNED,
                words_of_plan as fn(&str, fn(&str) -> Option<String>) -> _,
                read_of_plan as fn(&str) -> _,
            ),
            (RESULTS, words_of_result, read_of_result),
        ] {
            for sentence in sentences.iter().filter(|sentence| sentence.is_printed) {
                let printed = words(sentence.kind, |hole| Some(format!("({hole})"))).unwrap();
                let read: Statement = read(&printed);
                assert_eq!(read.kind, Some(sentence.kind), "{printed}");
            }
        }
        assert_eq!(words_of_plan("not_config", |_| None), None);
    }

    #[test]
    fn values_are_found() {
        let read = read_of_plan(
            r#"planned value cty.StringVal("a") does not match config value cty.StringVal("b") nor prior value cty.NullVal(cty.String)."#,
        );
        assert_eq!(read.kind, Some("not_config_nor_prior"));
        let wanted = [
            ("planned", r#"cty.StringVal("a")"#),
            ("config", r#"cty.StringVal("b")"#),
            ("prior", "cty.NullVal(cty.String)"),
        ];
        assert_eq!(read.values, wanted.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
