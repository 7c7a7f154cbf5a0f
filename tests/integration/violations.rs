//! The page that lists everything that can be wrong, held to what the engine says.

use std::collections::BTreeMap;
use std::path::Path as File;

use objchange::change::{ApplyViolation, InconsistentResultKind, InvalidPlanKind, PlanViolation};
use objchange::schema::Block;
use objchange::value::{ConvertErrorKind, Path, TypeMismatch, TypeMismatchKind};
use objchange::{Type, Value};
use objchange_case::{Answer, Case, Outcome};

/// The page's entry for one kind.
#[derive(Debug)]
struct Entry {
    sentence: String,
    has_cause: bool,
    example: Option<String>,
}

type Section = BTreeMap<String, Entry>;

/// The sections of the page by their titles, each with its entries by their kinds.
fn page() -> BTreeMap<String, Section> {
    let path = File::new(env!("CARGO_MANIFEST_DIR")).join("docs/violations.md");
    let text = std::fs::read_to_string(path).unwrap();
    let section = |text: &str| {
        let (title, rest) = text.split_once('\n').unwrap();
        (title.to_owned(), rest.split("\n### ").skip(1).map(entry).collect())
    };
    text.split("\n## ").skip(1).map(section).collect()
}

fn entry(text: &str) -> (String, Entry) {
    let mut parts = text.split("\n\n").map(str::trim);
    let kind = parts.next().unwrap().trim_matches('`').to_owned();
    let sentence = parts.next().unwrap().strip_prefix("> ").expect("a sentence").to_owned();
    let has_cause = parts.next().is_some_and(|cause| cause.ends_with('.'));
    let example = parts.next().map(|example| {
        example
            .strip_prefix("```json\n")
            .and_then(|e| e.strip_suffix("\n```"))
            .expect("an example")
            .to_owned()
    });
    (kind, Entry { sentence, has_cause, example })
}

/// The stable names in a file of the engine: what stands as `=> "name",`.
fn kinds_in(source: &str) -> Vec<&str> {
    let kinds: Vec<&str> =
        source.lines().filter_map(|line| line.split_once(" => \"")?.1.strip_suffix("\",")).collect();
    assert!(!kinds.is_empty());
    kinds
}

/// The entries of a section, which has these kinds and no others.
#[track_caller]
fn section(title: &str, mut kinds: Vec<&str>) -> Section {
    let section = page().remove(title).expect(title);
    kinds.sort_unstable();
    assert_eq!(section.keys().map(String::as_str).collect::<Vec<_>>(), kinds);
    for (kind, entry) in &section {
        assert!(entry.has_cause, "{kind}");
    }
    section
}

/// Runs the examples, each of which reports its kind with its sentence.
#[track_caller]
fn check_cases(section: &Section) {
    for (kind, entry) in section {
        let case = Case::parse(entry.example.as_ref().expect(kind)).unwrap();
        assert_eq!(case.run(), Outcome::Passed, "{kind}");
        let Ok(Some(Answer::Errors(errors))) = case.answer() else { panic!("{kind} is no error") };
        let said: Vec<_> = errors.iter().map(|error| (&*error.kind, error.sentence.as_str())).collect();
        assert!(said.contains(&(kind, &entry.sentence)), "{kind}: {said:?}");
    }
}

#[test]
fn plans() {
    check_cases(&section("Plans", InvalidPlanKind::ALL.iter().map(|kind| kind.kind()).collect()));
}

#[test]
fn results() {
    check_cases(&section(
        "Results of apply",
        InconsistentResultKind::ALL.iter().map(|kind| kind.kind()).collect(),
    ));
}

#[test]
fn answers_of_providers() {
    let attribute = |name: &str| Path::root().attribute(name);
    let kind = TypeMismatchKind::OtherType { wanted: Type::Number, given: Type::String };
    let violations = [
        PlanViolation::WrongType(TypeMismatch { path: attribute("size"), kind }),
        PlanViolation::WriteOnly(attribute("pw")),
        PlanViolation::RequiresReplaceNowhere(attribute("zone")),
        PlanViolation::DeferralNotAllowed,
    ];
    // The errors for which nothing is planned are behind, and are not among the provider's.
    let source =
        include_str!("../../src/change/plan/planned.rs").split("pub enum PlanChangeError").next().unwrap();
    let section = section("Answers of a provider around its plan", kinds_in(source));
    for violation in violations {
        assert_eq!(section[violation.kind()].sentence, violation.to_string());
    }
}

#[test]
fn answers_of_providers_after_apply() {
    let attribute = |name: &str| Path::root().attribute(name);
    let kind = TypeMismatchKind::OtherType { wanted: Type::Number, given: Type::String };
    let violations = [
        ApplyViolation::NoObject,
        ApplyViolation::WrongType(TypeMismatch { path: attribute("size"), kind }),
        ApplyViolation::WriteOnly(attribute("pw")),
        ApplyViolation::Unknown(attribute("id")),
        ApplyViolation::NotDestroyed,
    ];
    let source =
        include_str!("../../src/change/apply/applied.rs").split("pub enum ApplyChangeError").next().unwrap();
    let section = section("Answers of a provider when a change is made", kinds_in(source));
    for violation in violations {
        assert_eq!(section[violation.kind()].sentence, violation.to_string());
    }
}

#[test]
fn objects() {
    let mut kinds = kinds_in(include_str!("../../src/schema/coerce.rs"));
    kinds.extend(kinds_in(include_str!("../../src/value/convert/error.rs")));
    let section = section("Objects that do not fit their schema", kinds);
    for (kind, Entry { sentence, example, .. }) in &section {
        let Some(example) = example else {
            // An example would be longer than the page.
            assert_eq!(kind, ConvertErrorKind::TooComplex.kind());
            assert_eq!(*sentence, ConvertErrorKind::TooComplex.to_string());
            continue;
        };
        let case = Case::parse(example).unwrap();
        assert_eq!(case.run(), Outcome::Passed, "{kind}");
        let value = Value::from_marker_json(case.field("value").unwrap(), &case.parsed("type").unwrap());
        let error = case.schema().unwrap().coerce_value(&value.unwrap()).unwrap_err();
        assert_eq!((error.kind.kind(), error.to_string()), (kind.as_str(), sentence.clone()));
    }
}

#[test]
fn schemas() {
    for (kind, entry) in section("Schemas", kinds_in(include_str!("../../src/schema/validate.rs"))) {
        let block: Block = serde_json::from_str(&entry.example.expect(&kind)).unwrap();
        let said: Vec<_> = block.validate().iter().map(|p| (p.kind.kind(), p.to_string())).collect();
        assert_eq!(said, [(kind.as_str(), entry.sentence)]);
    }
}
