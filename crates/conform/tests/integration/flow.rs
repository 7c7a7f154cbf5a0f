//! In which order, and with what, the judge asks.

use std::sync::{Arc, Mutex};

use objchange::change::{
    AppliedResource, ApplyResourceChange, PlanResourceChange, PlannedResource, PrivateData,
};
use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_conform::kit::{Kit, ResourceType};
use objchange_conform::{Clause, FindingSeverity, Flavor, Judgement, Trial, judge};
use objchange_provider::{Answer, ImportAnswer, ReadResource};

fn judged(resource: ResourceType, trial: &Trial) -> Judgement {
    let kit = Kit::default().resource("kit_thing", resource);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(judge(&kit, "kit_thing", trial)).unwrap()
}

fn plain() -> Block {
    Block::new([("id", Attribute::computed(Type::String)), ("name", Attribute::optional(Type::String))], [])
}

fn named(name: impl Into<Value>) -> Value {
    Value::object([("name", name.into())])
}

fn unknown() -> Value {
    named(Value::unknown(Type::String))
}

fn created(object: &Value) -> Value {
    let name = object.attribute("name").unwrap().clone();
    Value::object([("id", Value::from("x")), ("name", name)])
}

/// Planned data goes to the final plan and to apply, what apply leaves goes on to what comes then.
#[test]
fn what_a_provider_leaves_comes_back_to_it_as_it_was() {
    for flavor in [Flavor::Terraform, Flavor::OpenTofu] {
        let log: Arc<Mutex<Vec<String>>> = Arc::default();
        let text = |private: &PrivateData| String::from_utf8(private.0.clone()).unwrap();
        let (planned, applied, read) = (log.clone(), log.clone(), log.clone());
        let resource = ResourceType::new(plain())
            .on_plan(move |request: &PlanResourceChange| {
                let said = format!("plan {} {}", text(&request.private), text(&request.planned_private));
                planned.lock().unwrap().push(said);
                let mut answer = PlannedResource::new(match request.proposed.is_null() {
                    true => request.proposed.clone(),
                    false => created(&request.proposed),
                });
                answer.private = PrivateData(b"planned".to_vec());
                answer
            })
            .on_apply(move |request: &ApplyResourceChange| {
                applied.lock().unwrap().push(format!("apply {}", text(&request.private)));
                let mut answer = AppliedResource::new(request.planned.clone());
                answer.private = PrivateData(b"applied".to_vec());
                answer
            })
            .on_read(move |request: &ReadResource| {
                read.lock().unwrap().push(format!("read {}", text(&request.private)));
                let mut answer = Answer::new(request.state.clone());
                answer.private = PrivateData(b"read".to_vec());
                answer
            })
            .on_import(|_| ImportAnswer::default());
        let mut trial = Trial::new(named("a"));
        (trial.apply, trial.flavor) = (true, flavor);
        let judgement = judged(resource, &trial);
        let clauses: Vec<_> = judgement.findings.iter().map(|finding| finding.clause).collect();
        assert_eq!(clauses, [Clause::I1], "nothing is imported here");
        let last = if flavor == Flavor::Terraform { "plan  planned" } else { "plan  " };
        let wanted = [
            "plan  ",
            "plan  ",
            last,
            "apply planned",
            "read applied",
            "read read",
            "plan applied ",
            "plan read ",
            // With the configuration that is generated.
            "plan read ",
            "plan read ",
            "apply planned",
        ];
        assert_eq!(*log.lock().unwrap(), wanted, "{flavor:?}");
    }
}

/// While the name is not known it may change, and the object is planned to be replaced; then it is replaced by one of the same
/// name. The provider is asked for a new object when all is known, and cannot say that nothing has changed.
#[test]
fn a_replacement_stays_one_when_all_is_known() {
    let resource = ResourceType::new(plain()).requires_replace([Path::root().attribute("name")]);
    let mut trial = Trial::new(named("a"));
    trial.update = Some((unknown(), Some(named("a"))));
    trial.apply = true;
    assert_eq!(judged(resource, &trial), Judgement::default());
}

#[test]
fn an_update_may_turn_out_to_be_none() {
    let mut trial = Trial::new(named("a"));
    trial.update = Some((unknown(), Some(named("a"))));
    trial.apply = true;
    assert_eq!(judged(ResourceType::new(plain()), &trial), Judgement::default());
}

/// In a set of blocks Terraform may match the elements wrongly by itself.
#[test]
fn what_differs_in_a_set_that_was_not_known_is_a_note() {
    let state = ("state", Attribute::computed(Type::String));
    let rule = Block::new([("name", Attribute::optional(Type::String)), state], []);
    let block = |mode| Block::new([], [("rule", NestedBlock::new(mode, rule.clone()))]);
    let config = |name: Value| Value::object([("rule", Value::tuple([named(name)]))]);
    for (mode, weight) in
        [(NestingMode::Set, FindingSeverity::Note), (NestingMode::List, FindingSeverity::Error)]
    {
        let planned = |request: &PlanResourceChange| {
            let rules = request.proposed.attribute("rule").unwrap();
            let rule = |rule: &Value| {
                let name = rule.attribute("name").unwrap().clone();
                let state = if name.is_known() { "late" } else { "early" };
                Value::object([("name", name), ("state", Value::from(state))])
            };
            let elements: Vec<Value> = rules.as_elements().unwrap().iter().map(rule).collect();
            let ty = rules.ty().element().unwrap().clone();
            let rules = match rules.ty() {
                Type::Set(_) => Value::set(ty, elements),
                _ => Value::list(ty, elements),
            };
            PlannedResource::new(Value::object([("rule", rules.unwrap())]))
        };
        let mut trial = Trial::new(config(Value::unknown(Type::String)));
        trial.known = Some(config(Value::from("a")));
        let judgement = judged(ResourceType::new(block(mode)).on_plan(planned), &trial);
        assert!(!judgement.findings.is_empty());
        for finding in judgement.findings {
            assert_eq!((finding.clause, finding.severity), (Clause::F2, weight), "{finding:?}");
        }
    }
}

/// OpenTofu knows no computed blocks, and sees blocks that are not configured.
#[test]
fn computed_blocks_are_terraforms() {
    let disk = Block::new([("name", Attribute::optional_computed(Type::String))], []);
    let block = Block::new([], [("disk", NestedBlock::new(NestingMode::List, disk).computed())]);
    let planned = |request: &PlanResourceChange| {
        let ty = request.schema.block_type("disk").unwrap().block.implied_type().clone();
        let disks = Value::list(ty, [named("chosen")]).unwrap();
        PlannedResource::new(Value::object([("disk", disks)]))
    };
    let mut trial = Trial::new(Value::object::<&str, Value>([]));
    let found = |trial: &Trial| {
        let judgement = judged(ResourceType::new(block.clone()).on_plan(planned), trial);
        judgement.findings.into_iter().map(|finding| (finding.clause, finding.kind)).collect::<Vec<_>>()
    };
    assert_eq!(found(&trial), []);
    trial.flavor = Flavor::OpenTofu;
    assert_eq!(found(&trial), [(Clause::P5, "block_count_disagrees".to_owned())]);
}

/// The known values of a plan are the result of the apply: planned once more from there, nothing is left to
/// do.
#[test]
fn a_plan_rests_on_itself() {
    let block = Block::new(
        [("name", Attribute::optional(Type::String)), ("turn", Attribute::computed(Type::Bool))],
        [],
    );
    let planned = |request: &PlanResourceChange| {
        let name = request.proposed.attribute("name").unwrap().clone();
        let turn = request.prior.attribute("turn").and_then(Value::as_bool).is_some_and(|turn| !turn);
        PlannedResource::new(Value::object([("name", name), ("turn", Value::from(turn))]))
    };
    let judgement = judged(ResourceType::new(block).on_plan(planned), &Trial::new(named("a")));
    let found: Vec<_> =
        judgement.findings.iter().map(|f| (f.clause, f.path.to_string(), f.message.as_str())).collect();
    let message = "from what was planned there is still something to do: update";
    assert_eq!(found, [(Clause::C2, "turn".to_owned(), message)]);
}
