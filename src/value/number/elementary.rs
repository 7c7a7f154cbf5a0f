//! The exponential and the natural logarithm of doubles, to the last bit as Go computes them on x86-64.
//!
//! Libraries differ in the last bit of about one result in ten. Terraform prints these bits, so its algorithms are
//! followed here: that of FreeBSD's `e_log.c` for the logarithm, and Shibata's ("Efficient evaluation methods of
//! elementary functions suitable for SIMD computation", 2010) for the exponential.

/// The polynomial of `e_log.c`, its odd and its even coefficients, the highest first.
const LN_ODD: [f64; 4] =
    [0.147_981_986_051_165_86, 0.181_835_721_616_180_5, 0.285_714_287_436_623_9, 0.666_666_666_666_673_5];
const LN_EVEN: [f64; 3] = [0.153_138_376_992_093_73, 0.222_221_984_321_497_84, 0.399_999_999_994_094_2];
const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN_2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);

/// The natural logarithm.
pub(super) fn ln(number: f64) -> f64 {
    if !number.is_finite() || number <= 0.0 {
        return number.ln();
    }
    let (mut mantissa, exponent) = super::power::split(number);
    let mut exponent = exponent as f64;
    if mantissa < std::f64::consts::FRAC_1_SQRT_2 {
        mantissa *= 2.0;
        exponent -= 1.0;
    }
    let f = mantissa - 1.0;
    let s = f / (2.0 + f);
    let s2 = s * s;
    let s4 = s2 * s2;
    let polynomial = |coefficients: &[f64]| coefficients.iter().fold(0.0, |sum, c| sum * s4 + c);
    let r = s2 * polynomial(&LN_ODD) + s4 * polynomial(&LN_EVEN);
    let half_square = 0.5 * f * f;
    exponent * LN_2_HIGH - ((half_square - (s * (half_square + r) + exponent * LN_2_LOW)) - f)
}

/// The series of the exponential without its first term, the highest power first.
const EXP_SERIES: [f64; 8] = [
    2.480_158_730_158_73e-5,
    1.984_126_984_126_984e-4,
    1.388_888_888_888_889e-3,
    8.333_333_333_333_333e-3,
    4.166_666_666_666_666_4e-2,
    0.166_666_666_666_666_66,
    0.5,
    1.0,
];
const LN_2_UPPER: f64 = f64::from_bits(0x3fe6_2e42_fefa_3000);
const LN_2_LOWER: f64 = 2.823_529_056_303_157_7e-13;

/// The exponential of a number that is not so large that the result would be subnormal or infinite.
///
/// Products are added without rounding them first, as Go does on processors that can.
pub(super) fn exp(number: f64) -> f64 {
    let exponent = (number * std::f64::consts::LOG2_E).round_ties_even();
    let rest = exponent.mul_add(-LN_2_LOWER, exponent.mul_add(-LN_2_UPPER, number));
    let x = rest * 0.0625;
    let mut y = x * EXP_SERIES.into_iter().reduce(|sum, c| sum.mul_add(x, c)).unwrap_or(1.0);
    // Four times from eˣ - 1 to e²ˣ - 1; the last one adds the 1.
    for _ in 0..3 {
        y *= y + 2.0;
    }
    let result = y.mul_add(y + 2.0, 1.0);
    result * 2_f64.powi(exponent as i32)
}
