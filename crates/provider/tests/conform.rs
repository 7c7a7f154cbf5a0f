//! The judge finds each fault of the kit's provider, with its clause, and nothing wrong with what keeps the contract.

use std::sync::Arc;

use objchange::{Type, Value};
use objchange_provider::client::Limits;
use objchange_provider::conform::{Clause, Judgement, Trial, Weight, judge, judge_data, judge_function};
use objchange_provider::kit::{Fault, Stage, faulty, trial_config};
use objchange_provider::server::serve_connection;
use objchange_provider::{Client, Provider};

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// The trial configuration under another name.
fn named(name: impl Into<Value>) -> Value {
    let name = name.into();
    let config = trial_config(true);
    let members = config.as_object().unwrap();
    let member = |(n, v): (&str, &Value)| (n.to_owned(), if n == "name" { name.clone() } else { v.clone() });
    Value::object(members.iter().map(|(n, v)| member((n.as_str(), v))))
}

fn unknown() -> Value {
    named(Value::unknown(Type::String))
}

/// All that Terraform would do with an object.
fn whole(stage: Stage) -> Trial {
    let is_final = stage == Stage::FinalPlan;
    let mut trial = Trial::new(if is_final { unknown() } else { named("a") });
    trial.known = is_final.then(|| named("a"));
    trial.update = Some(if is_final { (unknown(), Some(named("b"))) } else { (named("b"), None) });
    trial.apply = true;
    trial
}

async fn judged(provider: &dyn Provider, fault: Fault) -> Judgement {
    judge(provider, &format!("kit_{}", fault.kind()), &whole(fault.stage())).await.unwrap()
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

/// In the program and over the protocol: what is of the wrong type is seen by another part of the program then.
#[test]
fn each_fault_is_found_with_its_clause() {
    run(async {
        let mut wrong = Vec::new();
        for (provider, way) in [(&faulty(true) as &dyn Provider, "here"), (&client().await, "there")] {
            for fault in Fault::ALL {
                let judgement = judged(provider, *fault).await;
                let clauses: Vec<Clause> = judgement.findings.iter().map(|finding| finding.clause).collect();
                // What Terraform does not notice goes on, and may show in other ways.
                let is_consequence = |clause: &Clause| {
                    let goes_on = [Clause::C2, Clause::I7].contains(clause) && fault.terraform().is_none();
                    *clause == fault.clause() || goes_on
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

/// What Terraform stops at is an error, and what it does not notice is none.
#[test]
fn the_weight_is_what_terraform_gives_it() {
    run(async {
        let provider = faulty(true);
        for fault in Fault::ALL {
            for finding in judged(&provider, *fault).await.findings {
                let is_noticed = fault.terraform().is_some();
                assert_eq!(finding.weight == Weight::Error, is_noticed, "{}: {finding:?}", fault.kind());
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
            let said: Vec<String> = findings.into_iter().filter_map(|finding| finding.terraform).collect();
            if let (false, Some(words)) = (said.is_empty(), fault.terraform()) {
                told += 1;
                assert!(
                    said.iter().any(|said| said.contains(words)),
                    "{}: {said:?}, not {words:?}",
                    fault.kind()
                );
            }
        }
        assert!(told > 30, "{told}");
    });
}

#[test]
fn without_leave_nothing_is_applied() {
    run(async {
        let provider = faulty(true);
        let mut trial = whole(Stage::Apply);
        trial.apply = false;
        for fault in Fault::ALL.iter().filter(|fault| fault.stage() > Stage::FinalPlan) {
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
fn data_sources_and_functions_are_judged() {
    run(async {
        let config = Value::object([("name", "a")]);
        for provider in [&faulty(true) as &dyn Provider, &client().await] {
            let mut found = Vec::new();
            for name in ["kit_thing", "kit_null", "kit_unknown", "kit_type", "kit_other"] {
                let judgement = judge_data(provider, name, &config).await.unwrap();
                found.push(judgement.findings.first().map(|finding| finding.clause));
            }
            let wanted = [None, Some(Clause::D2), Some(Clause::D3), Some(Clause::D1), Some(Clause::D4)];
            assert_eq!(found, wanted);
            let mut found = Vec::new();
            for name in ["same", "nothing", "type", "impure"] {
                let judgement = judge_function(provider, name, &[Value::from("a")]).await.unwrap();
                found.push(judgement.findings.first().map(|finding| finding.clause));
            }
            assert_eq!(found, [None, Some(Clause::N2), Some(Clause::N1), Some(Clause::N3)]);
        }
    });
}
