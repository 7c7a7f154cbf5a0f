//! Secrets that a provider plants wherever it can are in nothing that comes of a run.

use std::sync::Arc;

use async_trait::async_trait;
use objchange::change::{
    AppliedResource, ApplyResourceChange, Diagnostic, PlanResourceChange, PlannedResource, PrivateData,
};
use objchange::schema::{Attribute, Block};
use objchange::{Type, Value};
use objchange_provider::conform::{Baseline, Hints, Options, run};
use objchange_provider::kit::{Kit, ResourceType};
use objchange_provider::record::{Recorder, Recording};
use objchange_provider::{
    ActionEvent, ActionPlan, Answer, Component, ErrorKind, Function, FunctionAnswer, Opened, Parameter,
    Provider, ReadResource, Result, Schemas, UpgradeResource,
};
use proptest::prelude::*;

use crate::run::provider::wait;

/// The secrets: in configurations, of the provider itself, and one that it makes for objects.
#[derive(Clone)]
struct Planted {
    given: String,
    own: String,
    made: String,
}

struct Sower {
    kit: Kit,
    planted: Planted,
}

fn block() -> Block {
    Block::new(
        [
            ("name", Attribute::optional_computed(Type::String)),
            ("labels", Attribute::optional_computed(Type::map(Type::String))),
            ("any", Attribute::optional(Type::Dynamic).sensitive()),
            ("password", Attribute::optional(Type::String).sensitive()),
            ("written", Attribute::optional(Type::String).write_only()),
            ("token", Attribute::computed(Type::String).sensitive()),
        ],
        [],
    )
}

impl Sower {
    fn new(planted: Planted) -> Self {
        let parameters = vec![Parameter::new("text", Type::String)];
        let tell = Function { parameters, variadic: None, returns: Type::String };
        let types = ["kit_attribute", "kit_keys", "kit_later", "kit_said", "kit_status", "kit_wrong"];
        let kit = types
            .into_iter()
            .fold(Kit::default(), |kit, name| kit.resource(name, ResourceType::new(block())));
        let kit = kit
            .configuration(Block::new([("token", Attribute::optional(Type::String).sensitive())], []))
            .data_source("kit_data", block(), |config: &Value| Answer::new(config.clone()))
            .ephemeral_resource("kit_opened", block(), |_: &Value| Opened::default())
            .action("kit_action", block(), |_: &Value| Vec::new())
            .function("tell", tell, |_: &[Value]| FunctionAnswer::Result(Some(Value::from(""))));
        Self { kit, planted }
    }

    /// All that is secret, in the forms in which programs print it.
    fn everything(&self) -> String {
        let Planted { given, own, made } = &self.planted;
        format!("{given}: {given:?} {own}-{made} x{given}{own}x")
    }

    fn status(&self) -> ErrorKind {
        ErrorKind::Status { code: "Internal", message: self.everything() }
    }

    fn said(&self) -> Diagnostic {
        let mut said = Diagnostic::error(self.everything());
        said.detail = self.everything();
        said
    }

    fn object(&self, type_name: &str, object: &Value) -> Value {
        let Some(members) = object.as_object() else { return object.clone() };
        let part = |name: &str, part: &Value| match (type_name, name) {
            (_, "written") => Value::null(Type::String),
            (_, "token") => Value::from(self.planted.made.as_str()),
            ("kit_attribute", "name") => Value::from(self.everything()),
            ("kit_keys", "labels") => {
                Value::map(Type::String, [(self.planted.given.as_str(), Value::from("x"))]).unwrap()
            }
            // Wrong for Terraform, so that the whole object is in a case.
            ("kit_wrong" | "kit_attribute", "password") if !part.is_null() => {
                Value::from(format!("{}-other", self.planted.own))
            }
            _ => part.clone(),
        };
        Value::object(members.iter().map(|(name, value)| (name.clone(), part(name, value))))
    }
}

#[async_trait]
impl Provider for Sower {
    async fn schemas(&self) -> Result<Arc<Schemas>> {
        self.kit.schemas().await
    }

    async fn validate(&self, _component: Component, name: &str, _config: &Value) -> Result<Vec<Diagnostic>> {
        match name {
            "kit_said" | "kit_action" => Ok(vec![self.said()]),
            "kit_status" => Err(self.status().into()),
            _ => Ok(Vec::new()),
        }
    }

    async fn configure(&self, _config: &Value) -> Result<Vec<Diagnostic>> {
        // What it has not made yet it cannot tell.
        let Planted { given, own, .. } = &self.planted;
        Ok(vec![Diagnostic::warning(format!("{given}: {given:?} x{given}{own}x"))])
    }

    async fn upgrade(&self, request: &UpgradeResource) -> Result<Answer> {
        self.kit.upgrade(request).await
    }

    async fn read(&self, request: &ReadResource) -> Result<Answer> {
        Ok(Answer::new(self.object(&request.type_name, &request.state)))
    }

    async fn plan(&self, type_name: &str, request: &PlanResourceChange) -> Result<PlannedResource> {
        let mut planned = PlannedResource::new(self.object(type_name, &request.proposed));
        planned.private = PrivateData(self.everything().into_bytes());
        // What it has made for objects of another type before.
        if type_name == "kit_later" {
            planned.diagnostics.push(self.said());
        }
        Ok(planned)
    }

    async fn apply(&self, type_name: &str, request: &ApplyResourceChange) -> Result<AppliedResource> {
        Ok(AppliedResource::new(self.object(type_name, &request.planned)))
    }

    async fn read_data(&self, _type_name: &str, _config: &Value) -> Result<Answer> {
        Err(self.status().into())
    }

    async fn open(&self, _type_name: &str, _config: &Value) -> Result<Opened> {
        Err(self.status().into())
    }

    async fn plan_action(&self, _type_name: &str, _config: &Value) -> Result<ActionPlan> {
        Err(self.status().into())
    }

    async fn invoke_action(&self, _type_name: &str, _config: &Value) -> Result<Vec<ActionEvent>> {
        Err(self.status().into())
    }

    async fn call_function(&self, _name: &str, _arguments: &[Value]) -> Result<FunctionAnswer> {
        Err(self.status().into())
    }

    async fn stop(&self) -> Result<String> {
        Ok(self.everything())
    }
}

/// All that comes of a run, as text.
fn outputs(planted: &Planted, apply: bool) -> String {
    let hints = serde_json::json!({"provider": {"token": planted.own}, "values": {
        // Given plainly: the schema calls them sensitive.
        "password": planted.given,
        "written": planted.given,
        "any": {"$sensitive": {planted.given.clone(): planted.given}},
        "text": {"$sensitive": planted.given},
    }});
    let mut options = Options::default();
    (options.cases, options.apply, options.shrink) = (10, apply, 20);
    options.hints = Hints::parse(hints.to_string().as_bytes()).unwrap();
    let recorder = Arc::new(Recorder::new(Vec::new()));
    options.hints.secrets().iter().for_each(|secret| recorder.hide(secret));
    let start = {
        let (planted, recorder) = (planted.clone(), recorder.clone());
        move || {
            let (provider, recorder) = (Arc::new(Sower::new(planted.clone())), recorder.clone());
            async move { Ok(Arc::new(Recording::new(provider, Some(recorder))) as Arc<dyn Provider>) }
        }
    };
    let (report, corpus) = wait(run(start, options, |_| {})).unwrap();
    let recorded = Arc::into_inner(recorder).unwrap().finish().unwrap();
    assert!(report.found().count() > 4, "{}", report.found().count());
    let mut shown = format!("{report:?}\n{corpus:?}\n{}", serde_json::to_string(&report).unwrap());
    shown += &corpus.to_json_lines();
    shown += &Baseline::of(&report).to_json();
    shown += &String::from_utf8(recorded).unwrap();
    for (_, found) in report.found() {
        shown += &format!("{} {:?} {:?}", found.finding.message, found.case, found.smallest);
    }
    shown
}

fn holds(planted: &Planted, apply: bool) -> std::result::Result<(), TestCaseError> {
    let shown = outputs(planted, apply);
    for secret in [&planted.given, &planted.own, &planted.made] {
        if let Some(at) = shown.find(secret.as_str()) {
            let (start, end) = (at.saturating_sub(200), (at + 200).min(shown.len()));
            let around = String::from_utf8_lossy(&shown.as_bytes()[start..end]);
            return Err(TestCaseError::fail(format!("{secret} in …{around}…")));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn no_planted_secret_comes_out(
        given in "[a-zA-Z]{5}[0-9]{4}[<\"]?[a-z]{3}", own in "[A-Z]{9}[0-9]{5}", made in "[a-z0-9]{4}-[a-z0-9]{6}",
        apply in any::<bool>(),
    ) {
        holds(&Planted { given, own, made }, apply)?;
    }
}

/// One secret may be a part of another.
#[test]
fn no_rest_of_a_secret_comes_out() {
    let planted =
        Planted { given: "pass-phrase".into(), own: "pass-phrase123".into(), made: "phrase123-xyz".into() };
    let shown = outputs(&planted, true);
    assert!(!shown.contains("phrase") && !shown.contains("-xyz"));
}

/// What the generator makes of sensitive attributes is shown: without it nobody could see the finding again.
#[test]
fn what_the_generator_makes_is_shown() {
    let planted = Planted { given: "unused-1".into(), own: "unused-2".into(), made: "unused-3".into() };
    let mut options = Options::default();
    (options.cases, options.only) = (30, vec!["kit_wrong".to_owned()]);
    let start = move || {
        let provider: Arc<dyn Provider> = Arc::new(Sower::new(planted.clone()));
        async move { Ok(provider) }
    };
    let (report, corpus) = wait(run(start, options, |_| {})).unwrap();
    let shown = serde_json::to_string(&report).unwrap();
    for shown in [shown, corpus.to_json_lines()] {
        assert!(shown.contains(r#""password":""#) && !shown.contains("sensitive value)"), "{shown}");
    }
}
