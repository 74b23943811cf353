use crate::ui::{chart::percent, text};
use wire::QualityCounts;

/// One number of the page.
pub struct Measure {
    /// The name of its section in the document.
    pub id: &'static str,
    pub title: &'static str,
    /// What it means, in a sentence.
    pub meaning: &'static str,
    /// What makes it appear.
    pub missing: &'static str,
    pub value: fn(&QualityCounts) -> Option<f64>,
    /// How the value reads.
    pub shown: fn(f64) -> String,
    pub counts: fn(&QualityCounts) -> String,
}

/// The numbers of the page, in their order.
pub const MEASURES: [Measure; 5] = [
    Measure {
        id: "utilisation",
        title: "Context utilisation",
        meaning: "Share of the memories in a prompt that the agent's answer uses. A low share means that prompts contain memories that are not needed.",
        missing: "Agents report their answers with POST /api/context/{id}/answer.",
        value: QualityCounts::utilisation,
        shown: percent,
        counts: |c| {
            let answers = text::count(c.answers, "answer", "answers");
            format!("{} of {} used, {answers} reported", text::number(c.used), text::count(c.injected, "memory", "memories"))
        },
    },
    Measure {
        id: "observations",
        title: "Observation rate",
        meaning: "Observations for each assembled context. A value near zero means that agents learn nothing from their conversations.",
        missing: "Agents assemble contexts with assemble_context and record observations with record_observation.",
        value: QualityCounts::observation_rate,
        shown: decimal,
        counts: |c| {
            let observations = text::count(c.observations, "observation", "observations");
            format!("{observations}, {}", text::count(c.contexts, "context", "contexts"))
        },
    },
    Measure {
        id: "growth",
        title: "Profile growth",
        meaning: "New values in a profile each day. It should fall as agents get to know a person.",
        missing: "A profile appears with the first observation about a person.",
        value: QualityCounts::growth,
        shown: decimal,
        counts: |c| text::count(c.leaves, "new value", "new values"),
    },
    Measure {
        id: "corrections",
        title: "Correction rate",
        meaning: "Share of observations that correct an earlier one. It should fall as profiles become accurate.",
        missing: "Agents record corrections with record_observation.",
        value: QualityCounts::correction_rate,
        shown: percent,
        counts: |c| {
            let observations = text::count(c.observations, "observation", "observations");
            format!("{} of {observations}", text::number(c.corrections))
        },
    },
    Measure {
        id: "repeats",
        title: "Repeated questions",
        meaning: "Share of questions that the agent asked for the same person in the 30 days before, in nearly the same words.",
        missing: "Recalls and assembled contexts count as questions.",
        value: QualityCounts::repeat_rate,
        shown: percent,
        counts: |c| format!("{} of {}", text::number(c.repeated), text::count(c.questions, "question", "questions")),
    },
];

/// A number with one decimal, or two below one.
fn decimal(value: f64) -> String {
    if value < 1.0 { format!("{value:.2}") } else { format!("{value:.1}") }
}
