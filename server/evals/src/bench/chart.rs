//! The latencies by the size of the agent, as lines in an SVG image.

use super::plan::Compares;
use super::report::Row;
use std::fmt::Write;

/// The image, and the part of it between the axes.
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 640.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 420.0;
/// Distinct for people who do not see all colours (Okabe and Ito).
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"];

/// Logarithmic axes whose ends are powers of ten.
struct Axes {
    /// Exponents of the least and the largest size.
    sizes: (i32, i32),
    /// Exponents of the least and the largest number of milliseconds.
    times: (i32, i32),
}

impl Axes {
    fn of(rows: &[&Row]) -> Self {
        let range = |values: Vec<f64>| {
            let positive = || values.iter().filter(|value| **value > 0.0);
            let low = positive().fold(f64::INFINITY, |low, value| low.min(*value));
            let high = positive().fold(0.0_f64, |high, value| high.max(*value));
            if low > high {
                return (0, 1);
            }
            let (low, high) = (low.log10().floor() as i32, high.log10().ceil() as i32);
            (low, high.max(low + 1))
        };
        let times = rows.iter().flat_map(|row| [row.summary.p50_ms, row.summary.p95_ms]).collect();
        Self { sizes: range(rows.iter().map(|row| row.memories as f64).collect()), times: range(times) }
    }

    fn x(&self, size: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * share(size, self.sizes)
    }

    fn y(&self, milliseconds: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * share(milliseconds, self.times)
    }
}

/// Where a value is between two powers of ten, 0 to 1.
fn share(value: f64, (low, high): (i32, i32)) -> f64 {
    let exponent = value.max(10_f64.powi(low)).log10();
    (exponent - f64::from(low)) / f64::from(high - low)
}

/// The rows whose latency is compared: a line for p50 and a dashed one for p95 of each operation.
pub fn svg(rows: &[Row]) -> String {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.compares == Compares::Latency).collect();
    let axes = Axes::of(&rows);
    let mut names: Vec<String> = Vec::new();
    for row in &rows {
        if !names.contains(&row.name) {
            names.push(row.name.clone());
        }
    }
    let lines: String = names.iter().enumerate().map(|(place, name)| operation(&axes, &rows, place, name)).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n\
         <text x=\"{LEFT}\" y=\"28\" font-size=\"16\">Milliseconds by memories of the agent (line: p50, dashes: p95)</text>\n\
         {}{lines}</svg>\n",
        grid(&axes)
    )
}

/// A line for each power of ten, with its label.
fn grid(axes: &Axes) -> String {
    let mut grid = String::new();
    let mut line = |from: (f64, f64), to: (f64, f64), label: (f64, f64, &str), text: &str| {
        let ((x1, y1), (x2, y2), (x, y, anchor)) = (from, to, label);
        // Writing to a String cannot fail.
        let _ = writeln!(
            grid,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#dddddd\"/>\n\
             <text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#444444\">{text}</text>"
        );
    };
    for exponent in axes.sizes.0..=axes.sizes.1 {
        let x = axes.x(10_f64.powi(exponent));
        line((x, TOP), (x, BOTTOM), (x, BOTTOM + 20.0, "middle"), &thousands(exponent));
    }
    for exponent in axes.times.0..=axes.times.1 {
        let y = axes.y(10_f64.powi(exponent));
        line((LEFT, y), (RIGHT, y), (LEFT - 8.0, y + 4.0, "end"), &thousands(exponent));
    }
    grid
}

/// A power of ten, with commas.
fn thousands(exponent: i32) -> String {
    let digits = 10_f64.powi(exponent).to_string();
    if exponent < 0 {
        return digits;
    }
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// The two lines of an operation, and its place in the legend.
fn operation(axes: &Axes, rows: &[&Row], place: usize, name: &str) -> String {
    let colour = COLOURS[place % COLOURS.len()];
    let of_name = || rows.iter().filter(|row| row.name == name);
    let points = |time: fn(&Row) -> f64| of_name().map(|row| (axes.x(row.memories as f64), axes.y(time(row)))).collect::<Vec<_>>();
    let y = TOP + 22.0 * place as f64;
    let (x, dash) = (RIGHT + 30.0, "stroke-dasharray=\"5 4\" ");
    format!(
        "{}{}<text x=\"{x}\" y=\"{y}\" fill=\"{colour}\">{name}</text>\n",
        polyline(&points(|row| row.summary.p50_ms), colour, ""),
        polyline(&points(|row| row.summary.p95_ms), colour, dash)
    )
}

fn polyline(points: &[(f64, f64)], colour: &str, dash: &str) -> String {
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let dots = points.iter().map(|(x, y)| format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>\n"));
    format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" {dash}stroke-width=\"2\"/>\n{}",
        path.join(" "),
        dots.collect::<String>()
    )
}
