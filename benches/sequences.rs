//! How long a longest common subsequence takes where the lists differ a lot: `cargo bench --bench sequences`.
//!
//! Each group is a shape, each id the number of elements on a side. Lists that differ a little are in `engine`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use objchange::Value;
use objchange::change::{common_subsequence, longest_common_subsequence};

const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];

/// A linear congruential generator: the same lists in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn shuffled(&mut self, mut list: Vec<usize>) -> Vec<usize> {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
        list
    }
}

/// Each element occurs so many times, and is somewhere else on the other side.
fn shuffled(n: usize, times: usize) -> [Vec<usize>; 2] {
    let mut numbers = Numbers(1);
    [(); 2].map(|()| numbers.shuffled((0..n).map(|i| i / times).collect()))
}

/// Each element is any of so many.
fn any_of(n: usize, kinds: usize) -> [Vec<usize>; 2] {
    let mut numbers = Numbers(1);
    [(); 2].map(|()| (0..n).map(|_| numbers.below(kinds)).collect())
}

fn numbers(c: &mut Criterion) {
    type Lists = fn(usize) -> [Vec<usize>; 2];
    let shapes: [(&str, Lists); 5] = [
        ("shuffled", |n| shuffled(n, 1)),
        ("reversed", |n| [(0..n).collect(), (0..n).rev().collect()]),
        ("shuffled_each_4_times", |n| shuffled(n, 4)),
        ("shuffled_each_32_times", |n| shuffled(n, 32)),
        ("any_of_16", |n| any_of(n, 16)),
    ];
    for (name, build) in shapes {
        let mut group = c.benchmark_group(format!("common_subsequence/{name}"));
        group.sample_size(10);
        for n in SIZES {
            let [xs, ys] = build(n);
            group.bench_function(BenchmarkId::from_parameter(n), |b| {
                b.iter(|| common_subsequence(black_box(&xs), black_box(&ys)));
            });
        }
        group.finish();
    }
}

fn values(c: &mut Criterion) {
    let mut group = c.benchmark_group("longest_common_subsequence/shuffled");
    group.sample_size(10);
    for n in SIZES {
        let [xs, ys] = shuffled(n, 1)
            .map(|list| list.into_iter().map(|i| Value::from(format!("v{i}"))).collect::<Vec<Value>>());
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter_with_large_drop(|| longest_common_subsequence(black_box(&xs), black_box(&ys)));
        });
    }
    group.finish();
}

criterion_group!(benches, numbers, values);
criterion_main!(benches);
