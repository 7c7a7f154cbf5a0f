//! How long reading and writing values takes, and how that grows: `cargo bench --bench formats`.
//!
//! Each group is a format and a direction, each id the number of elements; `typical` is the object of the README.

use std::cell::LazyCell;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use objchange::schema::NestingMode;
use objchange::{Type, Value};

mod scenarios;

/// A value in each of its forms.
struct Forms {
    ty: Type,
    value: Value,
    json: String,
    markers: String,
    msgpack: Vec<u8>,
}

impl Forms {
    fn of(value: Value, ty: &Type) -> Self {
        Self {
            ty: ty.clone(),
            json: value.to_json(ty).expect("it is wholly known"),
            markers: value.to_marker_json(ty).expect("it is finite"),
            msgpack: value.to_msgpack(ty).expect("it carries no marks"),
            value,
        }
    }

    fn of_items(n: usize) -> Self {
        let scenarios::Scenario { schema, prior, .. } = scenarios::items(n, NestingMode::List);
        Self::of(prior, schema.implied_type())
    }
}

fn measure(c: &mut Criterion, id: &str, forms: &dyn Fn() -> Forms) {
    let forms = LazyCell::new(forms);
    let id = || BenchmarkId::from_parameter(id);
    c.benchmark_group("format_read_json").bench_function(id(), |b| {
        let forms = &*forms;
        b.iter_with_large_drop(|| Value::from_json(black_box(&forms.json), &forms.ty));
    });
    c.benchmark_group("format_read_marker_json").bench_function(id(), |b| {
        let forms = &*forms;
        b.iter_with_large_drop(|| Value::from_marker_json(black_box(&forms.markers), &forms.ty));
    });
    c.benchmark_group("format_read_msgpack").bench_function(id(), |b| {
        let forms = &*forms;
        b.iter_with_large_drop(|| Value::from_msgpack(black_box(&forms.msgpack), &forms.ty));
    });
    c.benchmark_group("format_write_json").bench_function(id(), |b| {
        let forms = &*forms;
        b.iter(|| black_box(&forms.value).to_json(&forms.ty));
    });
    c.benchmark_group("format_write_marker_json").bench_function(id(), |b| {
        let forms = &*forms;
        b.iter(|| black_box(&forms.value).to_marker_json(&forms.ty));
    });
    c.benchmark_group("format_write_msgpack").bench_function(id(), |b| {
        let forms = &*forms;
        b.iter(|| black_box(&forms.value).to_msgpack(&forms.ty));
    });
}

fn formats(c: &mut Criterion) {
    measure(c, "typical", &|| {
        let typical = scenarios::typical();
        Forms::of(typical.prior, typical.schema.implied_type())
    });
    for n in [10, 100, 1_000, 10_000, 100_000] {
        measure(c, &n.to_string(), &|| Forms::of_items(n));
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
    targets = formats
}
criterion_main!(benches);
