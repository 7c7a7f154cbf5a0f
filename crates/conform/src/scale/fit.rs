//! Estimates the exponent with which a cost grows: a linear fit of logarithms.

use std::fmt;

use serde::Serialize;

/// How a cost grows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Growth {
    /// The exponent of the number of elements; `None` if the measurements show no growth.
    pub exponent: Option<f64>,
    /// The standard error of the exponent.
    pub uncertainty: Option<f64>,
    /// The meaning of the exponent.
    pub verdict: Verdict,
}

/// The kind of growth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// It costs next to nothing, or does not grow.
    Flat,
    /// It grows with the data.
    Linear,
    /// It grows faster than the data.
    Superlinear,
    /// It grows with the square of the data, or faster.
    Quadratic,
}

/// Times below this, in seconds, cannot be told from the noise of a busy machine.
const NOISE: f64 = 50e-6;

/// The number of points that are fitted: the largest ones show the trend.
const MAX_POINTS: usize = 4;

/// Fits the growth of times with the number of elements. The points are in ascending order. A time for 0 elements
/// is taken as the fixed cost of a call.
///
/// ```
/// use objchange_conform::scale::{Verdict, growth};
///
/// let square: Vec<_> = [0, 10, 100, 1000].map(|n| (n, 0.001 + 1e-5 * (n * n) as f64)).into();
/// let growth = growth(&square);
/// assert_eq!(growth.to_string(), "n^2.00 ± 0.00");
/// assert_eq!(growth.verdict, Verdict::Quadratic);
/// ```
pub fn growth(points: &[(usize, f64)]) -> Growth {
    let flat = Growth { exponent: None, uncertainty: None, verdict: Verdict::Flat };
    let fixed_cost = points.iter().find(|(n, _)| *n == 0).map_or(0.0, |(_, time)| *time);
    let logarithms = |(n, time): &(usize, f64)| {
        let variable_cost = time - fixed_cost;
        // The numbers of elements are far below what a double holds exactly.
        (*n > 0 && variable_cost > NOISE && variable_cost > 0.3 * fixed_cost)
            .then(|| ((*n as f64).ln(), variable_cost.ln()))
    };
    let fitted: Vec<(f64, f64)> = points.iter().filter_map(logarithms).collect();
    let fitted = &fitted[fitted.len().saturating_sub(MAX_POINTS)..];
    if fitted.len() < 3 {
        return flat;
    }
    let count = fitted.len() as f64;
    let mean = |coordinate: fn(&(f64, f64)) -> f64| fitted.iter().map(coordinate).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = fitted.iter().map(|point| (point.0 - x).powi(2)).sum();
    if spread <= 0.0 {
        return flat;
    }
    let slope = fitted.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>() / spread;
    let residual: f64 = fitted.iter().map(|point| (point.1 - y - slope * (point.0 - x)).powi(2)).sum();
    // `n log n` has a slope between 1.1 and 1.2 from 100 to 3,000 elements, and is linear here.
    let verdict = match slope {
        slope if slope > 1.8 => Verdict::Quadratic,
        slope if slope > 1.5 => Verdict::Superlinear,
        slope if slope > 0.3 => Verdict::Linear,
        _ => Verdict::Flat,
    };
    // The standard error of the slope. A line has two parameters, which leaves `count - 2` degrees of freedom.
    Growth { exponent: Some(slope), uncertainty: Some((residual / (count - 2.0) / spread).sqrt()), verdict }
}

impl Verdict {
    /// Its stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Linear => "linear",
            Self::Superlinear => "superlinear",
            Self::Quadratic => "quadratic",
        }
    }

    /// Whether users with many elements have to wait.
    pub const fn is_costly(self) -> bool {
        matches!(self, Self::Superlinear | Self::Quadratic)
    }
}

/// `n^1.98 ± 0.03`, or a dash without an exponent.
impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.exponent, self.uncertainty) {
            (Some(exponent), Some(uncertainty)) => write!(f, "n^{exponent:.2} ± {uncertainty:.2}"),
            _ => f.write_str("–"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth_of(cost: impl Fn(f64) -> f64) -> Growth {
        growth(&[0, 10, 30, 100, 300, 1000, 3000].map(|n| (n, cost(n as f64))))
    }

    #[test]
    fn powers_are_found_behind_what_a_call_costs_anyway() {
        for (power, verdict) in [
            (1.0, Verdict::Linear),
            (1.3, Verdict::Linear),
            (1.6, Verdict::Superlinear),
            (2.0, Verdict::Quadratic),
            (3.0, Verdict::Quadratic),
        ] {
            let growth = growth_of(|n| 0.002 + 1e-5 * n.powf(power));
            assert!((growth.exponent.unwrap() - power).abs() < 1e-6, "{growth}");
            assert!(growth.uncertainty.unwrap() < 1e-6, "{growth}");
            assert_eq!(growth.verdict, verdict, "{power}");
        }
    }

    #[test]
    fn what_does_not_grow_is_flat() {
        for cost in [|_: f64| 0.5, |n: f64| 0.5 + n * 1e-6, |_| 0.0] {
            assert_eq!(growth_of(cost).verdict, Verdict::Flat);
        }
        assert_eq!(growth(&[]).verdict, Verdict::Flat);
        assert_eq!(growth(&[(10, 1.0), (10, 2.0), (10, 3.0)]).verdict, Verdict::Flat);
    }

    #[test]
    fn a_scatter_is_uncertain() {
        let growth = growth(&[(0, 0.0), (10, 0.001), (100, 0.03), (1000, 0.09), (3000, 2.0)]);
        assert!(growth.uncertainty.unwrap() > 0.1, "{growth}");
    }
}
