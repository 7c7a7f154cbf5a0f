//! Configurations that a provider refuses in the words that providers use are changed until it takes them.

use std::sync::Mutex;

use objchange::change::Diagnostic;
use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_conform::kit::{Kit, ResourceType};
use objchange_conform::{Acceptance, Hints, Sample, accepted, samples};
use objchange_provider::Component;
use proptest::prelude::*;

/// A rule about the texts or numbers of an attribute, and what is said where it is broken: `{}` is the attribute.
type Rule = (&'static str, fn(&str) -> bool);

const TEXTS: [Rule; 14] = [
    ("expected {} to be one of [bios efi], got something", |t| ["bios", "efi"].contains(&t)),
    (r#"Attribute {} value must be one of: ["bios" "efi"], got: "x""#, |t| ["bios", "efi"].contains(&t)),
    ("Input should be 'bios' or 'efi'", |t| ["bios", "efi"].contains(&t)),
    ("expected length of {} to be in the range (3 - 12), got x", |t| (3..=12).contains(&t.chars().count())),
    ("Attribute {} string length must be at most 5, got: 9", |t| t.chars().count() <= 5),
    ("String should have at least 30 characters", |t| t.chars().count() >= 30),
    ("expected {} to contain a valid CIDR, got: x with err: invalid CIDR address: x", |t| t.contains("/")),
    ("expected {} to be a valid IPv4 address, got: x", |t| t.parse::<std::net::Ipv4Addr>().is_ok()),
    ("\"{}\" contains an invalid JSON: invalid character", |t| {
        serde_json::from_str::<serde_json::Value>(t).is_ok()
    }),
    ("expected {} to have a url with schema of: \"http,https\"", |t| t.starts_with("https://")),
    ("{} must end with '.vmdk'", |t| t.ends_with(".vmdk")),
    ("invalid value for {} (must match regex ^[a-c]{4}$)", |t| {
        t.len() == 4 && t.bytes().all(|c| (b'a'..=b'c').contains(&c))
    }),
    ("strconv.ParseInt: parsing \"x\": invalid syntax", |t| t.parse::<i64>().is_ok()),
    ("this {} is not to our taste", |t| t.starts_with("https://")),
];

const NUMBERS: [Rule; 6] = [
    ("expected {} to be in the range (128 - 4096), got 1", |n| {
        n.parse::<u64>().is_ok_and(|n| (128..=4096).contains(&n))
    }),
    ("Attribute {} value must be at least 1000, got: 1", |n| n.parse::<f64>().is_ok_and(|n| n >= 1000.0)),
    ("Input should be less than 3", |n| n.parse::<f64>().is_ok_and(|n| n < 3.0)),
    ("Attribute must be a whole number, got 0.1", |n| n.parse::<i64>().is_ok()),
    ("expected {} to be divisible by 4, got: 5", |n| n.parse::<u64>().is_ok_and(|n| n % 4 == 0)),
    ("expected {} to be one of [5 6 7], got 9", |n| ["5", "6", "7"].contains(&n)),
];

#[test]
fn an_argument_is_set_where_its_value_is_refused() {
    let block = Block::new(
        [("amount", Attribute::optional(Type::Number)), ("mode", Attribute::optional(Type::String))],
        [],
    );
    let kit = Kit::default().resource(
        "kit_amount",
        ResourceType::new(block.clone()).on_validate(|config| {
            let amount = config.attribute("amount").and_then(|amount| amount.as_number()?.as_i64());
            match amount.unwrap_or_default() {
                0 => vec![Diagnostic::error("amount must be at least 1 when mode is PROVISIONED")],
                _ => Vec::new(),
            }
        }),
    );
    let nothing = block.coerce_config(&Value::object::<&str, Value>([])).unwrap();
    let sample = Sample::new(nothing, "minimal");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let hints = Hints::default();
    let answer = accepted(&kit, Component::Resource, "kit_amount", &block, sample, &hints);
    assert!(matches!(runtime.block_on(answer), Ok(Acceptance::Yes(_))));
}

fn block() -> Block {
    let disk = Block::new(
        [("mode", Attribute::required(Type::String)), ("unit", Attribute::optional(Type::Number))],
        [],
    );
    let attributes = [
        ("first", Attribute::required(Type::String)),
        ("second", Attribute::optional(Type::String)),
        ("third", Attribute::optional(Type::list(Type::String))),
        ("amount", Attribute::optional(Type::Number)),
    ];
    let disks = |mode| NestedBlock::new(mode, disk.clone());
    Block::new(attributes, [("disk", disks(NestingMode::List)), ("spare", disks(NestingMode::Set))])
}

/// The errors of the rules about a configuration.
fn refused(config: &Value, rules: &[(&'static str, Rule)], has_paths: bool) -> Vec<Diagnostic> {
    let mut said = Vec::new();
    for (name, (sentence, is_kept)) in rules {
        config.visit(|path, part| {
            let path = path.to_path();
            let steps = path.steps();
            let is_meant = steps.iter().any(|step| step.to_string() == format!(".{name}"));
            let text = part.as_str().map(str::to_owned).or_else(|| part.as_number().map(ToString::to_string));
            if let Some(text) = text.filter(|text| is_meant && !is_kept(text)) {
                // Old libraries write no path but the name.
                let sentence = sentence.replace("{}", name);
                let mut diagnostic =
                    Diagnostic::error(if has_paths { sentence } else { format!("{name}: {sentence}") });
                let shown = steps.iter().take_while(|step| !step.to_string().contains('…'));
                diagnostic.path = has_paths.then(|| shown.cloned().collect::<Path>());
                assert!(!text.is_empty() || part.as_str().is_some());
                said.push(diagnostic);
            }
            objchange::value::Descend::Into
        });
    }
    said
}

fn kit(rules: Vec<(&'static str, Rule)>, has_paths: bool) -> Kit {
    let validate = move |config: &Value| refused(config, &rules, has_paths);
    Kit::default().resource("t", ResourceType::new(block()).on_validate(validate))
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// The result for a sample.
fn tried(kit: &Kit, sample: Sample, hints: &Hints) -> Acceptance {
    run(accepted(kit, Component::Resource, "t", &block(), sample, hints)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_is_accepted_keeps_all_rules(
        texts in prop::collection::vec(prop::sample::select(TEXTS.to_vec()), 4),
        number in prop::sample::select(NUMBERS.to_vec()),
        unit in prop::sample::select(NUMBERS.to_vec()),
        has_paths: bool,
        seed: u64,
    ) {
        let names = ["first", "second", "third", "mode"];
        let mut rules: Vec<_> = std::iter::zip(names, texts).collect();
        rules.extend([("amount", number), ("unit", unit)]);
        let (kit, hints, block) = (kit(rules.clone(), has_paths), Hints::default(), block());
        for sample in samples(&block, Component::Resource, "t", &hints, seed).take(30) {
            let (label, was_unknown) = (sample.label.clone(), sample.known.is_some());
            // Not every sentence is understood where several are said at once.
            let Acceptance::Yes(sample) = tried(&kit, sample, &hints) else { continue };
            for config in [Some(&sample.config), sample.known.as_ref()].into_iter().flatten() {
                prop_assert!(refused(config, &rules, true).is_empty());
                prop_assert_eq!(&block.coerce_config(config).unwrap(), config);
            }
            prop_assert!(!config_is_lost(&sample, was_unknown), "{}", label);
        }
    }
}

#[test]
fn what_is_said_is_done() {
    let (hints, block) = (Hints::default(), block());
    let (mut all, mut refused) = (0, Vec::new());
    for i in 0..TEXTS.len() * NUMBERS.len() {
        let text = |j: usize| TEXTS[(i + 5 * j) % TEXTS.len()];
        let number = |j: usize| NUMBERS[(i + j) % NUMBERS.len()];
        let rules = vec![
            ("first", text(0)),
            ("second", text(1)),
            ("third", text(2)),
            ("mode", text(3)),
            ("amount", number(0)),
            ("unit", number(1)),
        ];
        let kit = kit(rules, i % 2 == 0);
        for sample in samples(&block, Component::Resource, "t", &hints, i as u64).take(30) {
            let label = sample.label.clone();
            all += 1;
            if let Acceptance::No(said) = tried(&kit, sample, &hints) {
                refused.push(format!("{i} {label}: {said:?}"));
            }
        }
    }
    assert!(refused.len() * 100 <= all, "{} of {all}: {refused:#?}", refused.len());
}

/// Whether what was unknown is not any more.
fn config_is_lost(sample: &Sample, was_unknown: bool) -> bool {
    was_unknown && (sample.known.is_none() || sample.config.is_wholly_known())
}

/// Samples that a rule about the whole configuration refuses, until it does not.
#[track_caller]
fn check(hints: &Hints, rule: impl Fn(&Value) -> Vec<Diagnostic> + Clone + Send + Sync + 'static) {
    let kit = Kit::default().resource("t", ResourceType::new(block()).on_validate(rule.clone()));
    for sample in samples(&block(), Component::Resource, "t", hints, 1).take(60) {
        // The rule may be about the part that must stay unknown.
        if sample.known.is_some() {
            continue;
        }
        let label = sample.label.clone();
        match tried(&kit, sample, hints) {
            Acceptance::Yes(sample) => assert!(rule(&sample.config).is_empty(), "{label}"),
            Acceptance::OnlyKnown(_, said) | Acceptance::No(said) => panic!("{label}: {said:?}"),
        }
    }
}

fn is_set(config: &Value, name: &str) -> bool {
    config.attribute(name).is_some_and(|part| !part.is_null() && part.len() != Some(0))
}

fn at(name: &str, summary: &str) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(summary);
    diagnostic.path = Some(Path::root().attribute(name));
    diagnostic
}

fn conflicting(config: &Value) -> Vec<Diagnostic> {
    if !(is_set(config, "second") && is_set(config, "amount")) {
        return Vec::new();
    }
    vec![
        at("second", r#""second": conflicts with amount"#),
        at("amount", r#""amount": conflicts with second"#),
    ]
}

#[test]
fn what_conflicts_is_taken_away() {
    check(&Hints::default(), conflicting);
}

/// Each is refused because of the other: only one of them goes.
#[test]
fn of_two_that_conflict_one_stays() {
    let kit = Kit::default().resource("t", ResourceType::new(block()).on_validate(conflicting));
    let mut count = 0;
    for sample in samples(&block(), Component::Resource, "t", &Hints::default(), 1).take(60) {
        if sample.known.is_some() || conflicting(&sample.config).is_empty() {
            continue;
        }
        count += 1;
        let label = sample.label.clone();
        let Acceptance::Yes(sample) = tried(&kit, sample, &Hints::default()) else { panic!("{label}") };
        assert!(is_set(&sample.config, "second") || is_set(&sample.config, "amount"), "{label}");
    }
    assert!(count > 0);
}

#[test]
fn what_is_missing_is_set() {
    check(&Hints::default(), |config| {
        let mut said = Vec::new();
        if !is_set(config, "second") && !is_set(config, "amount") {
            said.push(Diagnostic::error("one of `second,amount` must be specified"));
        }
        if is_set(config, "amount") && !is_set(config, "disk") {
            said.push(at("amount", r#""amount": all of `amount,disk` must be specified"#));
        }
        said
    });
}

#[test]
fn counts_are_kept() {
    check(&Hints::default(), |config| {
        let count = config.attribute("disk").and_then(Value::len);
        let mut said = Vec::new();
        if count.is_some_and(|count| count < 2) {
            said.push(at("disk", "Attribute requires 2 item minimum, but config has fewer declared."));
        }
        if count.is_some_and(|count| count > 3) {
            said.push(at("disk", "Too many disk blocks No more than 3 \"disk\" blocks are allowed"));
        }
        if config.attribute("third").and_then(Value::len).is_some_and(|count| count > 1) {
            said.push(at("third", "Attribute third list must contain at most 1 elements, got: 2"));
        }
        said
    });
}

#[test]
fn what_nobody_understands_is_left_out() {
    check(&Hints::default(), |config| {
        let is_odd = is_set(config, "second") || is_set(config, "spare");
        if is_odd { vec![Diagnostic::error("Hm.")] } else { Vec::new() }
    });
}

/// Two other values are tried, no more.
#[test]
fn what_is_refused_for_no_clear_reason_is_given_up_soon() {
    static ASKED: Mutex<usize> = Mutex::new(0);
    let refusing = |config: &Value| {
        *ASKED.lock().unwrap() += 1;
        if is_set(config, "second") { vec![at("second", "Hm.")] } else { Vec::new() }
    };
    let kit = Kit::default().resource("t", ResourceType::new(block()).on_validate(refusing));
    for sample in samples(&block(), Component::Resource, "t", &Hints::default(), 1).take(60) {
        if sample.known.is_some() || !is_set(&sample.config, "second") {
            continue;
        }
        let label = sample.label.clone();
        *ASKED.lock().unwrap() = 0;
        assert!(matches!(tried(&kit, sample, &Hints::default()), Acceptance::Yes(_)), "{label}");
        assert_eq!(*ASKED.lock().unwrap(), 4, "{label}");
    }
}

#[test]
fn what_cannot_be_repaired_says_why() {
    let kit = Kit::default()
        .resource("t", ResourceType::new(block()).on_validate(|_| vec![Diagnostic::error("No.")]));
    let hints = Hints::default();
    for sample in samples(&block(), Component::Resource, "t", &hints, 1).take(20) {
        let Acceptance::No(said) = tried(&kit, sample, &hints) else { panic!("it was taken") };
        assert_eq!(said[0].summary, "No.");
    }
    let hints = Hints::parse(br#"{"types":[{"expect":[{"summary":"No."}]}]}"#).unwrap();
    let sample = samples(&block(), Component::Resource, "t", &hints, 1).next().unwrap();
    assert!(matches!(tried(&kit, sample, &hints), Acceptance::Yes(_)));
}

#[test]
fn what_hints_give_stays_and_no_secret_is_told() {
    let hints = br#"{"values": {"first": {"$sensitive": "hunter2"}, "second": "given"}}"#;
    let hints = Hints::parse(hints).unwrap();
    // It sees the secret, and quotes it.
    let quoting = |config: &Value| {
        let first = config.attribute("first").and_then(Value::as_str).unwrap_or_default();
        vec![at("first", &format!("expected first to be one of [a b], got {first}"))]
    };
    let kit = Kit::default().resource("t", ResourceType::new(block()).on_validate(quoting));
    for sample in samples(&block(), Component::Resource, "t", &hints, 1).take(20) {
        let Acceptance::No(said) = tried(&kit, sample, &hints) else { panic!("it was taken") };
        assert!(!format!("{said:?}").contains("hunter2"), "{said:?}");
    }
    static SEEN: Mutex<Vec<Value>> = Mutex::new(Vec::new());
    let watching = |config: &Value| {
        SEEN.lock().unwrap().push(config.clone());
        let is_set = is_set(config, "third");
        if is_set { vec![at("third", "expected third to be one of [a b], got c")] } else { Vec::new() }
    };
    let kit = Kit::default().resource("t", ResourceType::new(block()).on_validate(watching));
    for sample in samples(&block(), Component::Resource, "t", &hints, 1).take(20) {
        tried(&kit, sample, &hints);
    }
    let seen = SEEN.lock().unwrap();
    assert!(seen.iter().all(|config| {
        let first = config.attribute("first").unwrap();
        !config.contains_marked() && (!first.is_known() || first.as_str() == Some("hunter2"))
    }));
    assert!(seen.len() > 20);
}
