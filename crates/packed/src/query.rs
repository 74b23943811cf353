//! The vector of a question, as packed vectors are compared with it.

/// A question's vector: exact, and in whole steps for fast products with packed vectors.
pub struct Query {
    pub exact: Vec<f64>,
    pub steps: Vec<i16>,
    /// What one step is worth.
    pub step: f64,
    pub norm: f64,
    /// The length of what the steps lose.
    pub lost: f64,
}

impl Query {
    pub fn new(vector: &[f32]) -> Self {
        let exact: Vec<f64> = vector.iter().map(|value| f64::from(*value)).collect();
        let most = exact.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        // The sum of products with numbers up to 127 fits 32 bits for any vectors.
        let limit = (f64::from(i32::MAX) / (127.0 * exact.len().max(1) as f64)).floor().min(f64::from(i16::MAX));
        let step = if most > 0.0 { most / limit } else { 1.0 };
        let steps: Vec<i16> = exact.iter().map(|value| (value / step).round().clamp(-limit, limit) as i16).collect();
        let lost = exact.iter().zip(&steps).map(|(value, steps)| value - f64::from(*steps) * step);
        Self { norm: length(exact.iter().copied()), lost: length(lost), exact, steps, step }
    }
}

/// The length of a vector.
pub fn length(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt()
}
