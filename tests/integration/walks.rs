//! The paths of a walk, and its cost.

use allocation_counter::measure;
use objchange::value::{Descend, Path, PathStack};
use objchange::{Type, Value};
use proptest::prelude::*;

use crate::common;

use common::{Content, any_value};

proptest! {
    #[test]
    fn every_path_leads_to_its_part(value in any_value(Content::ANY)) {
        value.visit(|path, part| {
            let whole = path.to_path();
            assert_eq!(value.at(&whole), Some(part));
            assert_eq!(path.depth(), whole.steps().len());
            assert_eq!(path.is_root(), whole.is_root());
            assert_eq!(path.last().as_ref(), whole.steps().last());
            assert_eq!(PathStack::from(&whole).to_path(), whole);
            assert_eq!(path.to_string(), whole.to_string());
            Descend::Into
        });
    }

    #[test]
    fn a_part_converts_as_by_itself(value in any_value(Content::ANY), other in any_value(Content::ANY)) {
        let before = Path::root().attribute("a").index(3);
        let (alone, inside) = (value.convert(other.ty()), value.convert_at(other.ty(), (&before).into()));
        match (alone, inside) {
            (Ok(alone), Ok(inside)) => prop_assert_eq!(alone, inside),
            (Err(alone), Err(inside)) => {
                let whole: Path = before.steps().iter().chain(alone.path.steps()).cloned().collect();
                prop_assert_eq!(inside.path, whole);
                prop_assert_eq!(inside.kind, alone.kind);
            }
            (alone, inside) => prop_assert!(false, "{:?} {:?}", alone, inside),
        }
    }
}

#[test]
fn a_walk_allocates_nothing_for_paths() {
    let key = |i: usize| format!("a key that does not fit in place {i}");
    let rows = (0..1000).map(|i| (key(i), Value::tuple([1, 2])));
    let value = Value::map(Type::Dynamic, rows).unwrap();
    let mut seen = 0;
    let info = measure(|| {
        value.visit(|path, _| {
            seen += path.depth();
            Descend::Into
        });
    });
    assert_eq!((seen, info.count_total), (1000 + 2 * 2000, 0));
}

#[test]
fn keys_below_a_hidden_key_are_hidden() {
    let path = Path::root().index(Value::from("hunter2").sensitive());
    let list = Value::map(Type::String, [("swordfish", "x")]).unwrap();
    let error = list.convert_at(&Type::map(Type::Number), (&path).into()).unwrap_err();
    assert_eq!(error.path.to_string(), "[(sensitive value)][(sensitive value)]");
    assert!(!format!("{error} {error:?}").contains("swordfish"));
}
