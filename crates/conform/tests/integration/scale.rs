//! How the cost of a provider grows is found, with a clock that goes as far as the work says.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use objchange::change::{Diagnostic, PlanResourceChange, PlannedResource};
use objchange::schema::{Attribute, Block, NestedBlock, NestedType, NestingMode};
use objchange::{Type, Value};
use objchange_conform::kit::{Kit, ResourceType, trial_block};
use objchange_conform::scale::{Scale, Scaling, Verdict, scale, svg, table};

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// A type whose plans take as many microseconds as this says of the proposed object.
fn costly(block: Block, cost: fn(&Value) -> u64) -> (Kit, Scale) {
    let time = Arc::new(AtomicU64::new(0));
    let (working, looking) = (time.clone(), time);
    let resource = ResourceType::new(block).on_plan(move |request: &PlanResourceChange| {
        working.fetch_add(cost(&request.proposed), Ordering::Relaxed);
        PlannedResource::new(request.proposed.clone())
    });
    let mut scale = Scale::new(Value::object::<&str, Value>([]));
    scale.clock = Arc::new(move || Duration::from_micros(looking.load(Ordering::Relaxed)));
    (Kit::default().resource("kit_thing", resource), scale)
}

fn measured(kit: &Kit, options: &Scale) -> Scaling {
    run(scale(kit, "kit_thing", options)).unwrap()
}

fn count(object: &Value, name: &str) -> u64 {
    object.attribute(name).and_then(Value::len).unwrap_or_default() as u64
}

#[test]
fn the_quadratic_collection_is_named_and_no_other() {
    let (kit, mut options) = costly(trial_block(true), |object| {
        300 + 40 * count(object, "tags") + count(object, "rule").pow(2) + 2 * count(object, "many")
    });
    options.limit = Duration::from_secs(3600);
    let scaling = measured(&kit, &options);
    let places: Vec<_> =
        scaling.collections.iter().map(|curve| (curve.path.as_str(), curve.what.as_str())).collect();
    let wanted = [
        ("keyed", "nested map"),
        ("labels", "map"),
        ("many", "nested list"),
        ("tags", "list"),
        ("unique", "nested set"),
        ("zones", "set"),
        ("disk", "blocks (list)"),
        ("entry", "blocks (map)"),
        ("rule", "blocks (set)"),
    ];
    assert_eq!(places, wanted);
    for curve in &scaling.collections {
        let wanted = match curve.path.as_str() {
            "rule" => Verdict::Quadratic,
            "tags" | "many" => Verdict::Linear,
            _ => Verdict::Flat,
        };
        assert_eq!(curve.plan.verdict, wanted, "{}", curve.path);
        assert_eq!(
            curve.points.iter().map(|point| point.n).collect::<Vec<_>>(),
            [0, 10, 30, 100, 300, 1000, 3000]
        );
        assert_eq!((curve.apply, &curve.stopped), (None, &None));
    }
    let shown = table(&scaling);
    assert!(
        shown.contains("  rule        blocks (set)   3000      9.00 s    n^2.00 ± 0.00  quadratic\n"),
        "{shown}"
    );
    assert!(shown.contains("    3000    9.00 s  ████████████████████████████████████████\n"), "{shown}");
    let picture = svg(scaling.collections.last().unwrap());
    assert!(picture.contains("<title>rule (blocks (set)): plan grows as n^2.00"), "{picture}");
    assert!(serde_json::to_string(&scaling).unwrap().contains(r#""verdict":"quadratic""#));
}

/// The provider sees a name in the nested object and in the nested list of each block.
#[test]
fn blocks_have_the_nested_attributes_that_are_required() {
    let nested = |nesting| {
        Attribute::required(NestedType::new(nesting, [("name", Attribute::required(Type::String))]))
    };
    let inner = Block::new([("one", nested(NestingMode::Single)), ("many", nested(NestingMode::List))], []);
    let block = Block::new([], [("disk", NestedBlock::new(NestingMode::List, inner))]);
    let (kit, options) = costly(block, |object| {
        let disks = object.attribute("disk").and_then(Value::as_elements).unwrap_or_default();
        let has_names = |disk: &&Value| {
            let many = disk.attribute("many").and_then(Value::as_elements).unwrap_or_default();
            let objects: Vec<&Value> = disk.attribute("one").into_iter().chain(many).collect();
            objects.len() == 2
                && objects.iter().all(|object| object.attribute("name").and_then(Value::as_str).is_some())
        };
        1000 * disks.iter().filter(has_names).count() as u64
    });
    let scaling = measured(&kit, &options);
    let found: Vec<_> = scaling
        .collections
        .iter()
        .map(|curve| (curve.path.as_str(), curve.stopped.as_deref(), curve.plan.verdict))
        .collect();
    assert_eq!(found[0], ("disk", None, Verdict::Linear));
}

#[test]
fn what_is_applied_is_timed_and_destroyed() {
    let live = Arc::new(AtomicU64::new(0));
    let counted = live.clone();
    let block = Block::new([("tags", Attribute::optional(Type::list(Type::String)))], []);
    let resource = ResourceType::new(block).on_apply(move |request| {
        match (request.prior.is_null(), request.planned.is_null()) {
            (true, false) => counted.fetch_add(1, Ordering::Relaxed),
            _ => counted.fetch_sub(1, Ordering::Relaxed),
        };
        objchange::change::AppliedResource::new(request.planned.clone())
    });
    let mut options = Scale::new(Value::object::<&str, Value>([]));
    options.apply = true;
    options.sizes = vec![1, 2];
    options.memory = Some(Arc::new(|| Some(7)));
    let kit = Kit::default().resource("kit_thing", resource);
    let scaling = measured(&kit, &options);
    let points = &scaling.collections[0].points;
    assert_eq!(points.len(), 3);
    assert!(points.iter().all(|point| point.apply.is_some() && point.memory == Some(7)));
    assert_eq!(live.load(Ordering::Relaxed), 0);
}

#[test]
fn what_the_provider_refuses_or_what_takes_too_long_ends_it() {
    let secret = ("pins", Attribute::optional(Type::set(Type::String)).sensitive());
    let least = NestedBlock {
        min_items: 2,
        ..NestedBlock::new(NestingMode::List, Block::new([("a", Attribute::required(Type::String))], []))
    };
    let inner = NestedType::new(NestingMode::Single, [("tags", Attribute::optional(Type::list(Type::Bool)))]);
    let block = Block::new([secret, ("one", Attribute::optional(inner))], [("pair", least)]);
    let (kit, options) = costly(block.clone(), |object| count(object, "pair").pow(2) * 1_000_000);
    let scaling = measured(&kit, &options);
    let stopped: Vec<_> =
        scaling.collections.iter().map(|curve| (curve.path.as_str(), curve.stopped.as_deref())).collect();
    assert_eq!(
        stopped,
        [("one.tags", None), ("pins", None), ("pair", Some("it took too long with 10 elements"))]
    );
    let resource = ResourceType::new(block).on_validate(|config| {
        match config.attribute("pins").and_then(Value::as_elements) {
            Some([.., last]) => {
                vec![Diagnostic::error(format!("too many, beginning with {}", last.as_str().unwrap()))]
            }
            _ => Vec::new(),
        }
    });
    let scaling = measured(
        &Kit::default().resource("kit_thing", resource),
        &Scale::new(Value::object::<&str, Value>([])),
    );
    let refused = scaling.collections.iter().find(|curve| curve.path == "pins").unwrap();
    assert_eq!(refused.stopped.as_deref(), Some("too many, beginning with (sensitive value)"));
}
