//! The judge finds each fault of the kit's provider, with its clause, and nothing wrong with what keeps the contract.

#[path = "../trial/mod.rs"]
mod trial;

use std::sync::Arc;

use objchange::Value;
use objchange::change::Diagnostic;
use objchange_conform::kit::{Fault, Stage, faulty, misdeclared, trial_config};
use objchange_conform::{
    Clause, Finding, FindingSeverity, Judgement, SchemaFinding, Trial, judge, judge_action, judge_data,
    judge_ephemeral, judge_function, judge_list, judge_schemas,
};
use objchange_provider::client::Limits;
use objchange_provider::server::serve_connection;
use objchange_provider::{Client, Provider, ProviderExt};

use trial::{judged, whole};

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

async fn client() -> Client {
    let (here, there) = tokio::io::duplex(64 << 10);
    tokio::spawn(serve_connection(Arc::new(faulty(true)), there));
    Client::over(here, 6, Limits::default()).await.unwrap()
}

#[test]
fn what_keeps_the_contract_has_no_findings() {
    run(async {
        for provider in [&faulty(true) as &dyn Provider, &client().await] {
            for stage in [Stage::Apply, Stage::FinalPlan] {
                let judgement = judge(provider, "kit_thing", &whole(stage)).await.unwrap();
                assert_eq!(judgement, Judgement::default());
            }
        }
    });
}

/// An unknown value may turn out to be the prior one: then there is nothing to apply, and no answer to
/// judge.
#[test]
fn an_update_that_becomes_nothing_needs_no_answer() {
    run(async {
        let mut trial = whole(Stage::Apply);
        trial.update = Some((trial::named(Value::unknown(objchange::Type::String)), Some(trial::named("a"))));
        let judgement = judge(&faulty(true), "kit_thing", &trial).await.unwrap();
        assert_eq!(judgement, Judgement::default());
    });
}

/// In the program and over the protocol: what is of the wrong type is seen by another part of the program then.
#[test]
fn each_fault_is_found_with_its_clause() {
    run(async {
        let mut wrong = Vec::new();
        for (provider, way) in [(&faulty(true) as &dyn Provider, "here"), (&client().await, "there")] {
            for fault in Fault::ALL {
                let judgement = judged(provider, *fault).await;
                let clauses: Vec<Clause> = judgement.findings.iter().map(|finding| finding.clause).collect();
                // Terraform continues after faults that it does not notice, which may show in other ways.
                let is_consequence = |clause: &Clause| {
                    // The plan of another action is also reported for other differences.
                    let is_other_plan = *clause == Clause::F2 && fault.clause() == Clause::F1;
                    let goes_on = [Clause::F2, Clause::C2, Clause::G2, Clause::I7].contains(clause)
                        && fault.terraform().is_none();
                    *clause == fault.clause() || goes_on || is_other_plan
                };
                let is_right = clauses.first() == Some(&fault.clause()) && clauses.iter().all(is_consequence);
                if !is_right || !judgement.refused.is_empty() {
                    wrong.push(format!(
                        "{way}: {}: {:?}, found {clauses:?} {:?}",
                        fault.kind(),
                        fault.clause(),
                        judgement.findings
                    ));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

/// Faults that stop Terraform are errors, and those that it does not notice are not.
#[test]
fn the_weight_is_what_terraform_gives_it() {
    run(async {
        let provider = faulty(true);
        for fault in Fault::ALL {
            for finding in judged(&provider, *fault).await.findings {
                if finding.clause == fault.clause() {
                    let is_noticed = fault.terraform().is_some();
                    assert_eq!(
                        finding.severity == FindingSeverity::Error,
                        is_noticed,
                        "{}: {finding:?}",
                        fault.kind()
                    );
                }
            }
        }
    });
}

/// Where the judge says what Terraform says, it is that.
#[test]
fn the_words_are_terraforms() {
    run(async {
        let provider = faulty(true);
        let mut told = 0;
        for fault in Fault::ALL {
            let findings = judged(&provider, *fault).await.findings;
            let words = |finding: Finding| [finding.summary, finding.terraform];
            let said: Vec<String> = findings.into_iter().flat_map(words).flatten().collect();
            if let (false, Some(words)) = (said.is_empty(), fault.terraform()) {
                told += 1;
                let summary = fault.clause().terraform_summary().unwrap_or_default();
                assert!(
                    summary.contains(words) || said.iter().any(|said| said.contains(words)),
                    "{}: {said:?}, not {words:?}",
                    fault.kind()
                );
            }
        }
        assert!(told > 30, "{told}");
    });
}

/// Faults of a schema are found before any call.
#[test]
fn each_wrong_schema_is_found_with_its_clause() {
    run(async {
        for wrong in misdeclared() {
            let kit = wrong.kit();
            let found = judge_schemas(&kit.schemas().await.unwrap());
            let found: Vec<_> = found
                .iter()
                .map(|found| {
                    let SchemaFinding { place, finding, .. } = found;
                    (place.as_str(), finding.clause, finding.kind.as_str(), finding.path.to_string())
                })
                .collect();
            let wanted = ("resource type kit_thing", wrong.clause, wrong.kind, wrong.path.to_owned());
            assert_eq!(found, [wanted]);
            let trial = Trial::new(Value::object::<&str, Value>([]));
            let judged = judge(&kit, "kit_thing", &trial).await.unwrap();
            assert_eq!(judged.findings[0].kind, wrong.kind);
        }
        assert_eq!(judge_schemas(&faulty(true).schemas().await.unwrap()), []);
    });
}

/// Terraform stops at an error that comes with the schemas.
#[test]
fn an_error_with_the_schemas_is_found() {
    run(async {
        let mut schemas = objchange_provider::Schemas::clone(&*faulty(true).schemas().await.unwrap());
        schemas.diagnostics.push(Diagnostic::error("no schema"));
        let found = judge_schemas(&schemas);
        let found: Vec<_> = found.iter().map(|found| (&*found.place, found.finding.clause)).collect();
        assert_eq!(found, [("provider", Clause::S0)]);
    });
}

#[test]
fn without_leave_nothing_is_applied() {
    run(async {
        let provider = faulty(true);
        let mut trial = whole(Stage::Apply);
        trial.apply = false;
        let early = [Stage::Create, Stage::FinalPlan, Stage::Validate];
        let needs_an_object = |fault: &&Fault| !early.contains(&fault.stage());
        for fault in Fault::ALL.iter().filter(needs_an_object) {
            let judgement = judge(&provider, &format!("kit_{}", fault.kind()), &trial).await.unwrap();
            assert_eq!(judgement, Judgement::default(), "{}", fault.kind());
        }
    });
}

#[test]
fn no_finding_shows_a_secret() {
    run(async {
        let (provider, remote) = (faulty(true), client().await);
        for provider in [&provider as &dyn Provider, &remote] {
            for fault in Fault::ALL {
                let shown = format!("{:?}", judged(provider, *fault).await);
                for secret in ["hidden", "written", "echoed"] {
                    assert!(!shown.contains(secret), "{}: {shown}", fault.kind());
                }
            }
        }
    });
}

#[test]
fn what_is_no_managed_resource_is_judged() {
    run(async {
        let config = Value::object([("name", "a")]);
        for provider in [&faulty(true) as &dyn Provider, &client().await] {
            let first = |judgement: Judgement| {
                judgement
                    .findings
                    .first()
                    .map(|finding| (finding.clause, finding.severity == FindingSeverity::Error))
            };
            for (name, wanted) in [
                ("kit_thing", None),
                ("kit_null", Some((Clause::D2, true))),
                ("kit_no_object", Some((Clause::D2, true))),
                ("kit_unknown", Some((Clause::D3, true))),
                ("kit_type", Some((Clause::D1, true))),
                ("kit_other", Some((Clause::D4, false))),
                ("kit_deferred", Some((Clause::P2, true))),
            ] {
                let judgement = judge_data(provider, name, &config).await.unwrap();
                assert_eq!(first(judgement), wanted, "data source {name}");
            }
            for (name, wanted) in [
                ("kit_thing", None),
                ("kit_null", Some((Clause::E1, true))),
                ("kit_unknown", Some((Clause::E2, false))),
                ("kit_type", Some((Clause::E2, true))),
                ("kit_other", Some((Clause::E1, true))),
                ("kit_deferred", Some((Clause::P2, false))),
            ] {
                let judgement = judge_ephemeral(provider, name, &config).await.unwrap();
                assert_eq!(first(judgement), wanted, "ephemeral resource {name}");
            }
            for (name, wanted) in [
                ("same", None),
                ("nothing", Some((Clause::N2, false))),
                ("type", Some((Clause::N1, true))),
                ("impure", Some((Clause::N3, true))),
                ("unknown", Some((Clause::N4, false))),
            ] {
                let judgement = judge_function(provider, name, &[Value::from("a")]).await.unwrap();
                assert_eq!(first(judgement), wanted, "function {name}");
            }
            let nothing = Value::object::<&str, Value>([]);
            for (name, wanted) in [
                ("kit_thing", None),
                ("kit_planned_string", Some(Clause::L1)),
                ("kit_planned_number", Some(Clause::L2)),
            ] {
                let judgement = judge_list(provider, name, &nothing).await.unwrap();
                assert_eq!(first(judgement).map(|(clause, _)| clause), wanted, "list {name}");
            }
            for (name, wanted) in [("kit_thing", None), ("kit_endless", Some(Clause::X1))] {
                let judgement = judge_action(provider, name, &config, true).await.unwrap();
                assert_eq!(first(judgement).map(|(clause, _)| clause), wanted, "action {name}");
                let judgement = judge_action(provider, name, &config, false).await.unwrap();
                assert_eq!(judgement, Judgement::default(), "action {name}, not invoked");
            }
        }
    });
}

/// That people call a value secret which the schema does not is nothing that a provider would have to do.
#[test]
fn a_secret_of_people_is_nothing_to_do() {
    run(async {
        let members = trial_config(true);
        let members = members.as_object().unwrap().iter();
        let config = Value::object(members.map(|(name, part)| {
            (name.to_string(), if name == "name" { part.clone().sensitive() } else { part.clone() })
        }));
        let mut trial = Trial::new(config);
        trial.apply = true;
        let judgement = judge(&faulty(true), "kit_thing", &trial).await.unwrap();
        assert_eq!(judgement, Judgement::default());
    });
}
