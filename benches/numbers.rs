//! How long arithmetic takes: `cargo bench --bench numbers`.
//!
//! Each group is an operation, each id what kind of numbers it is given.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use objchange::value::{ArithmeticError, Number};

type Operation = fn(&Number, &Number) -> Result<Number, ArithmeticError>;

fn arithmetic(c: &mut Criterion) {
    let number = |text: &str| Number::parse(text).expect("these are numbers");
    let part = |of: &str| number("1").try_div(&number(of)).expect("it is not zero");
    let kinds = [
        ("integers", number("123456789"), number("987")),
        ("doubles", Number::from_f64(1.1).expect("a number"), Number::from_f64(0.7).expect("a number")),
        ("512_bits", part("3"), part("7")),
        ("far_apart", number("1e5000"), number("1e-5000")),
    ];
    let operations: [(&str, Operation); 4] = [
        ("add", Number::try_add),
        ("mul", Number::try_mul),
        ("div", Number::try_div),
        ("rem", Number::try_rem),
    ];
    for (name, operation) in operations {
        let mut group = c.benchmark_group(name);
        for (kind, a, b) in &kinds {
            group.bench_function(BenchmarkId::from_parameter(kind), |bencher| {
                bencher.iter(|| operation(black_box(a), black_box(b)));
            });
        }
        group.finish();
    }
    let mut group = c.benchmark_group("pow");
    let exponents = [("whole", number("300")), ("fraction", number("1.7"))];
    for (kind, exponent) in &exponents {
        group.bench_function(BenchmarkId::from_parameter(kind), |bencher| {
            bencher.iter(|| black_box(&kinds[0].1).try_pow(black_box(exponent)));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    targets = arithmetic
}
criterion_main!(benches);
