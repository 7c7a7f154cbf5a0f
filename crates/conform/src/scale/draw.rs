//! Draws measurements as a table and as a picture.

use std::fmt::Write;

use objchange_text::padded;

use super::{Curve, Point, Scaling};

/// The width of the longest bar, in characters.
const BAR: usize = 40;

/// A table of all collections, with a small plot of each whose cost grows faster than its data.
pub fn table(scaling: &Scaling) -> String {
    let mut rows =
        vec![["collection", "", "elements", "plan", "grows as", "apply", "grows as"].map(str::to_owned)];
    for curve in &scaling.collections {
        let last = curve.points.last();
        rows.push([
            curve.path.clone(),
            curve.what.clone(),
            last.map_or_else(String::new, |point| point.n.to_string()),
            last.map_or_else(String::new, |point| seconds(point.plan)),
            named(&curve.plan),
            last.and_then(|point| point.apply).map_or_else(String::new, seconds),
            curve.apply.as_ref().map_or_else(String::new, named),
        ]);
    }
    if scaling.collections.iter().all(|curve| curve.apply.is_none()) {
        rows.iter_mut().for_each(|row| row[5..].iter_mut().for_each(String::clear));
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut out = format!("{}\n", scaling.type_name);
    for row in &rows {
        let cells = row.iter().zip(&widths).filter(|(_, width)| **width > 0);
        let line: String = cells.map(|(cell, width)| format!("  {}", padded(cell, *width))).collect();
        line_to(&mut out, line.trim_end());
    }
    for curve in &scaling.collections {
        if curve.plan.verdict.is_costly() {
            bars(&mut out, curve, ("plan", &curve.plan), |point| Some(point.plan));
        }
        if let Some(growth) = curve.apply.as_ref().filter(|growth| growth.verdict.is_costly()) {
            bars(&mut out, curve, ("apply", growth), |point| point.apply);
        }
        if let Some(stopped) = &curve.stopped {
            line_to(&mut out, &format!("\n  {}: {stopped}", curve.path));
        }
    }
    out
}

fn named(growth: &super::Growth) -> String {
    match growth.verdict.is_costly() {
        true => format!("{growth}  {}", growth.verdict.name()),
        false => growth.to_string(),
    }
}

/// Writing to a string cannot fail.
fn line_to(out: &mut String, line: &str) {
    let _ = writeln!(out, "{line}");
}

fn bars(
    out: &mut String,
    curve: &Curve,
    (step, growth): (&str, &super::Growth),
    time: impl Fn(&Point) -> Option<f64>,
) {
    line_to(out, &format!("\n  {step} of {} ({}), {}", curve.path, curve.what, named(growth)));
    let most = curve.points.iter().filter_map(&time).fold(f64::MIN_POSITIVE, f64::max);
    for point in &curve.points {
        let Some(time) = time(point) else { continue };
        // Between nothing and the longest bar.
        let bar = (time / most * BAR as f64).round().clamp(0.0, BAR as f64) as usize;
        line_to(out, format!("  {:>6}  {:>8}  {}", point.n, seconds(time), "█".repeat(bar)).trim_end());
    }
}

fn seconds(time: f64) -> String {
    match time {
        time if time < 0.001 => format!("{:.0} µs", time * 1e6),
        time if time < 1.0 => format!("{:.1} ms", time * 1e3),
        time => format!("{time:.2} s"),
    }
}

/// A picture of one collection's growth. Both axes are logarithmic, so that a power is a straight line.
pub fn svg(curve: &Curve) -> String {
    let [width, height, edge] = [480.0, 300.0, 48.0];
    let points: Vec<(f64, f64)> = curve
        .points
        .iter()
        .filter(|point| point.n > 0)
        // A clock may measure 0, which has no logarithm.
        .map(|point| ((point.n as f64).log10(), point.plan.max(1e-6).log10()))
        .collect();
    let bounds = |of: fn(&(f64, f64)) -> f64| {
        let (least, most) =
            points.iter().map(of).fold((f64::MAX, f64::MIN), |(l, m), v| (l.min(v), m.max(v)));
        if least > most { (0.0, 1.0) } else { (least.floor(), most.ceil().max(least.floor() + 1.0)) }
    };
    let (x, y) = (bounds(|point| point.0), bounds(|point| point.1));
    let across = |value: f64| edge + (value - x.0) / (x.1 - x.0) * (width - 2.0 * edge);
    let down = |value: f64| height - edge - (value - y.0) / (y.1 - y.0) * (height - 2.0 * edge);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"sans-serif\" font-size=\"11\">\n"
    );
    let title = escaped(&format!("{} ({}): plan grows as {}", curve.path, curve.what, named(&curve.plan)));
    line_to(&mut out, &format!("<title>{title}</title>\n<text x=\"{edge}\" y=\"20\">{title}</text>"));
    for power in powers(x) {
        let (at, label) = (across(power), 10f64.powf(power));
        let bottom = height - edge;
        line_to(&mut out, &format!("<path d=\"M{at:.1} {edge}V{bottom}\" stroke=\"#ddd\"/>"));
        line_to(
            &mut out,
            &format!("<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>", bottom + 16.0),
        );
    }
    for power in powers(y) {
        let (at, right) = (down(power), width - edge);
        line_to(&mut out, &format!("<path d=\"M{edge} {at:.1}H{right}\" stroke=\"#ddd\"/>"));
        let label = seconds(10f64.powf(power));
        line_to(
            &mut out,
            &format!("<text x=\"{:.1}\" y=\"{at:.1}\" text-anchor=\"end\">{label}</text>", edge - 4.0),
        );
    }
    let line: Vec<String> =
        points.iter().map(|point| format!("{:.1},{:.1}", across(point.0), down(point.1))).collect();
    line_to(
        &mut out,
        &format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"#36c\" stroke-width=\"2\"/>",
            line.join(" ")
        ),
    );
    for point in &points {
        line_to(
            &mut out,
            &format!(
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"#36c\"/>",
                across(point.0),
                down(point.1)
            ),
        );
    }
    out.push_str("</svg>\n");
    out
}

/// The powers of ten between two of them.
fn powers((from, to): (f64, f64)) -> impl Iterator<Item = f64> {
    (0..=20).map(move |step| from + f64::from(step)).take_while(move |power| *power <= to)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
