//! Scales, axis ticks and shares for charts. Pure; the charts themselves are SVG that the server renders.

use super::text;

/// The area of a chart inside its axes, in units of the SVG.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plot {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Plot {
    /// The left edge and the width of the `i`-th of `n` equal bands.
    pub fn band(&self, i: u32, n: u32) -> (f64, f64) {
        let width = self.width / f64::from(n.max(1));
        (self.left + f64::from(i) * width, width)
    }

    /// The y coordinate of `value` on an axis from 0 to `top`.
    pub fn y(&self, value: f64, top: f64) -> f64 {
        self.top + self.height * (1.0 - share_of(value, top))
    }

    /// The y coordinate of the axis.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// The x coordinate of the right edge.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }
}

/// The share of `part` in `whole`, 0 to 1; 0 if `whole` is 0.
pub fn share_of(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}

/// Converts a count into a length.
#[expect(clippy::cast_precision_loss, reason = "lengths in a drawing, three digits are enough")]
pub fn length(n: i64) -> f64 {
    n as f64
}

/// The ticks of an axis from 0 to at least `most`: whole numbers, in at most `steps` round steps.
pub fn ticks(most: i64, steps: i64) -> Vec<i64> {
    let most = most.max(1);
    let mut step = 1_i64;
    for factor in [2, 5, 10].into_iter().cycle() {
        if most <= step.saturating_mul(steps.max(1)) {
            break;
        }
        let decade = step_decade(step);
        step = decade.saturating_mul(factor);
    }
    let last = (most + step - 1) / step;
    (0..=last).map(|i| i * step).collect()
}

/// Formats the count of a tick, which is round: `5,000`, `20k`, `1.5M`.
pub fn compact(n: i64) -> String {
    let (unit, name) = match n {
        1_000_000.. => (1_000_000, "M"),
        10_000.. => (1_000, "k"),
        _ => return text::number(n),
    };
    match n % unit * 10 / unit {
        0 => format!("{}{name}", n / unit),
        tenths => format!("{}.{tenths}{name}", n / unit),
    }
}

/// The power of ten of a round step: 1 for 1, 2 and 5, 10 for 10, 20 and 50.
fn step_decade(step: i64) -> i64 {
    let mut decade = 1;
    while decade * 10 <= step {
        decade *= 10;
    }
    decade
}

/// The entries of `n` that get one of at most `room` labels: evenly spaced, including the last.
pub fn labelled(n: u32, room: u32) -> Vec<u32> {
    let step = n.div_ceil(room.max(1)).max(1);
    (0..n).rev().step_by(step as usize).collect::<Vec<_>>().into_iter().rev().collect()
}

/// Formats a share: `4 %`, `0.4 %`, `0 %`. Below ten it has one decimal, unless that is a zero.
pub fn percent(share: f64) -> String {
    let hundredths = share * 100.0;
    let text = if hundredths < 9.95 { format!("{hundredths:.1}") } else { format!("{hundredths:.0}") };
    format!("{} %", text.trim_end_matches(".0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLOT: Plot = Plot { left: 40.0, top: 10.0, width: 300.0, height: 100.0 };

    #[test]
    fn ticks_are_short() {
        assert_eq!([0, 500, 5_000, 20_000, 150_000, 1_000_000, 2_500_000].map(compact), ["0", "500", "5,000", "20k", "150k", "1M", "2.5M"]);
    }

    #[test]
    fn values_stand_where_they_belong() {
        assert_eq!((PLOT.y(0.0, 8.0), PLOT.y(4.0, 8.0), PLOT.y(8.0, 8.0)), (110.0, 60.0, 10.0));
        assert_eq!((PLOT.y(9.0, 8.0), PLOT.y(1.0, 0.0)), (10.0, 110.0), "nothing leaves the plot");
        assert_eq!((PLOT.band(0, 3), PLOT.band(2, 3), PLOT.band(0, 0)), ((40.0, 100.0), (240.0, 100.0), (40.0, 300.0)));
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(0, 4), [0, 1]);
        assert_eq!(ticks(3, 4), [0, 1, 2, 3]);
        assert_eq!(ticks(7, 4), [0, 2, 4, 6, 8]);
        assert_eq!(ticks(17, 4), [0, 5, 10, 15, 20]);
        assert_eq!(ticks(40, 4), [0, 10, 20, 30, 40]);
        assert_eq!(ticks(41, 4), [0, 20, 40, 60]);
        for most in 1..3000 {
            let ticks = ticks(most, 4);
            assert!(ticks.len() <= 5 && ticks.last().is_some_and(|last| *last >= most), "{most}: {ticks:?}");
        }
    }

    #[test]
    fn labels_end_with_the_last_entry() {
        assert_eq!(labelled(7, 10), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(labelled(30, 6), [4, 9, 14, 19, 24, 29]);
        assert_eq!((labelled(0, 6), labelled(1, 0)), (vec![], vec![0]));
    }

    #[test]
    fn shares_read_as_people_say_them() {
        assert_eq!([0.0, 0.004, 0.04, 0.0999, 0.125, 0.996, 1.0].map(percent), ["0 %", "0.4 %", "4 %", "10 %", "12 %", "100 %", "100 %"]);
    }
}
