//! How long finding common types and converting takes, and how that grows: `cargo bench --bench conversion`.
//!
//! Each group is a shape of input, each id the number of its elements, or of its levels where it is `nested`.

use std::cell::LazyCell;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use objchange::value::unify;
use objchange::{Type, Value};

const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];

/// The types of n elements.
type Types = fn(usize) -> Vec<Type>;

/// One of three types that have another in common.
fn one_of_three(i: usize) -> Type {
    [Type::String, Type::Number, Type::Bool][i % 3].clone()
}

/// Objects with a name of their own become a map.
fn objects_of_other_names(n: usize) -> Vec<Type> {
    (0..n).map(|i| Type::object([(format!("a{i}"), Type::String), ("id".into(), one_of_three(i))])).collect()
}

/// Objects with the same names stay objects.
fn objects_of_the_same_names(n: usize) -> Vec<Type> {
    (0..n).map(|i| Type::object([("id", Type::Number), ("name", one_of_three(i))])).collect()
}

/// Whether all of these become one list has to be asked again, because one element is null.
fn tuples_with_nulls(n: usize) -> Vec<Type> {
    let tuple = |i: usize| match i % 3 {
        0 => Type::tuple([Type::Dynamic]),
        1 => Type::tuple([Type::object([("a", one_of_three(i))]), Type::object([("b", Type::Number)])]),
        _ => Type::tuple([]),
    };
    (0..n).map(tuple).collect()
}

fn tuples_of_objects_of_tuples(n: usize) -> Vec<Type> {
    let inner = |i: usize| Type::tuple((0..i % 4).map(one_of_three));
    (0..n)
        .map(|i| Type::tuple([Type::object([("t", inner(i)), ("u", inner(i / 4))]), inner(i / 2)]))
        .collect()
}

/// Each list is a candidate for what all the others become. All the lists do, but the set does not.
fn lists_and_a_set(n: usize) -> Vec<Type> {
    let element = |i: usize| {
        let bits = (0..17).map(|bit| if i >> bit & 1 == 1 { Type::Number } else { Type::String });
        Type::tuple(bits)
    };
    let bools = Type::tuple((0..17).map(|_| Type::Bool));
    (1..n).map(|i| Type::list(element(i))).chain([Type::set(bools)]).collect()
}

fn common_types(c: &mut Criterion) {
    let shapes: [(&str, Types); 5] = [
        ("unify_objects_of_other_names", objects_of_other_names),
        ("unify_objects_of_the_same_names", objects_of_the_same_names),
        ("unify_tuples_with_nulls", tuples_with_nulls),
        ("unify_tuples_of_objects_of_tuples", tuples_of_objects_of_tuples),
        ("unify_lists_and_a_set", lists_and_a_set),
    ];
    for (name, types) in shapes {
        let mut group = c.benchmark_group(name);
        for n in SIZES {
            let types = LazyCell::new(|| types(n));
            group.bench_function(BenchmarkId::from_parameter(n), |b| {
                let types = &*types;
                b.iter(|| unify(black_box(types)));
            });
        }
        group.finish();
    }
}

/// Two levels of tuples, of which each asks whether the inner one has elements of one type.
fn nested(levels: usize) -> Value {
    let empty = || Value::tuple::<Value>([]);
    (0..levels).fold(empty(), |inner, _| {
        Value::tuple([Value::tuple([Value::null(Type::Dynamic)]), Value::tuple([inner, empty()])])
    })
}

fn nesting(c: &mut Criterion) {
    let mut group = c.benchmark_group("convert_nested");
    for levels in [5, 10, 20, 40, 60] {
        let value = LazyCell::new(|| Value::tuple([nested(levels), Value::tuple::<Value>([])]));
        group.bench_function(BenchmarkId::from_parameter(levels), |b| {
            let value = &*value;
            b.iter(|| black_box(value).convert(&Type::list(Type::Dynamic)));
        });
    }
    group.finish();
}

fn conversions(c: &mut Criterion) {
    type Elements = fn(usize) -> Value;
    let mixed: Elements = |n| {
        Value::tuple((0..n).map(|i| match i % 3 {
            0 => Value::from(i),
            1 => Value::from(format!("text-{i}")),
            _ => Value::from(true),
        }))
    };
    let numbers: Elements = |n| Value::tuple((0..n).map(Value::from));
    let texts: Elements = |n| Value::tuple((0..n).map(|i| Value::from(i.to_string())));
    let objects: Elements = |n| {
        Value::tuple((0..n).map(|i| {
            let name = if i % 2 == 0 { Value::from(i) } else { Value::from(format!("name-{i}")) };
            Value::object([("id", Value::from(i)), ("name", name), ("more", Value::from(true))])
        }))
    };
    let labelled: Elements = |n| Value::object((0..n).map(|i| (format!("key-{i:06}"), Value::from(i))));
    let named = || Type::object([("id", Type::Number), ("name", Type::String)]);
    let shapes: [(&str, Elements, Type); 9] = [
        ("convert_mixed_to_list", mixed, Type::list(Type::Dynamic)),
        ("convert_mixed_to_set", mixed, Type::set(Type::Dynamic)),
        ("convert_numbers_to_strings", numbers, Type::list(Type::String)),
        ("convert_strings_to_numbers", texts, Type::list(Type::Number)),
        ("convert_tuple_to_list_of_objects", objects, Type::list(named())),
        ("convert_tuple_to_set_of_objects", objects, Type::set(named())),
        ("convert_objects_to_list_of_what_they_share", objects, Type::list(Type::Dynamic)),
        ("convert_object_to_map", labelled, Type::map(Type::String)),
        ("convert_object_to_map_of_what_it_holds", labelled, Type::map(Type::Dynamic)),
    ];
    for (name, elements, to) in shapes {
        let mut group = c.benchmark_group(name);
        for n in SIZES {
            let value = LazyCell::new(|| elements(n));
            group.bench_function(BenchmarkId::from_parameter(n), |b| {
                let value = &*value;
                b.iter_with_large_drop(|| black_box(value).convert(&to).expect("it converts"));
            });
        }
        group.finish();
    }
}

fn config() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(10)
}

criterion_group! {
    name = benches;
    config = config();
    targets = common_types, nesting, conversions
}
criterion_main!(benches);
