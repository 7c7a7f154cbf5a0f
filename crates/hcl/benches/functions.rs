//! Functions over many elements, or long texts: the cost grows as the size does.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use objchange::{Type, Value};
use objchange_hcl::Functions;

fn calls(n: usize) -> Vec<(&'static str, Vec<Value>)> {
    let numbers = Value::tuple((0..n).map(|i| i.to_string()));
    let backwards = Value::tuple((0..n).rev().map(|i| i.to_string()));
    let map = Value::map(Type::Number, (0..n).map(|i| (i.to_string(), i))).unwrap();
    let lines = Value::from((0..n).map(|i| format!("a{i},\n")).collect::<String>());
    let table = Value::from((0..n).map(|i| format!("{i},x\n")).collect::<String>());
    let json: Vec<String> = (0..n).map(|i| format!("{{\"k\": {i}.5}}")).collect();
    let json = Value::from(format!("[{}]", json.join(",")));
    let yaml = Value::from((0..n).map(|i| format!("- k: {i}\n  v: \"x y\"\n")).collect::<String>());
    vec![
        ("distinct", vec![numbers.clone()]),
        ("setsubtract", vec![numbers.clone(), backwards.clone()]),
        ("matchkeys", vec![numbers.clone(), numbers.clone(), backwards.clone()]),
        ("sort", vec![backwards.clone()]),
        ("flatten", vec![Value::tuple([numbers.clone(), backwards.clone()])]),
        ("zipmap", vec![numbers.clone(), backwards]),
        ("merge", vec![map.clone(), map]),
        ("formatlist", vec![Value::from("%s-%5.2f"), numbers.clone(), Value::from(3)]),
        ("regexall", vec![Value::from("[a-z](\\d+)"), lines.clone()]),
        ("replace", vec![lines.clone(), Value::from("/a(\\d)/"), Value::from("$1")]),
        ("strrev", vec![lines]),
        ("csvdecode", vec![table]),
        ("jsondecode", vec![json]),
        ("yamldecode", vec![yaml]),
        ("jsonencode", vec![numbers.clone()]),
        ("yamlencode", vec![numbers]),
    ]
}

fn functions(c: &mut Criterion) {
    for n in [10, 1_000, 100_000] {
        for (name, arguments) in calls(n) {
            let function = Functions::pure().get(name).unwrap();
            let converted = arguments.iter().enumerate().map(|(i, argument)| function.convert(i, argument));
            let arguments = converted.collect::<Result<Vec<_>, _>>().unwrap();
            let mut group = c.benchmark_group(name);
            group.throughput(Throughput::Elements(n as u64)).sample_size(10);
            group.bench_with_input(BenchmarkId::from_parameter(n), &arguments, |b, arguments| {
                b.iter(|| function.call(black_box(arguments.clone())).unwrap());
            });
        }
    }
}

criterion_group!(benches, functions);
criterion_main!(benches);
