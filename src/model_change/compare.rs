//! Comparing two embedding models on the questions of agents: how much of what they find is the same, and how much of what is right.

use crate::recall;
use foundation::{Engine, Error, OpContext};
use std::collections::HashSet;
use verb::verb;
use wire::{AgentId, MemoryId, PlaygroundRequest, RecallHit, RecallRequest, RetrievalFilter, UserId, UserRef};

/// Hits that are compared.
const K: u32 = 10;

/// A question as an agent asked it, and the memories that answer it, if somebody said so.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Labelled {
    pub agent_id: AgentId,
    pub user_id: Option<UserId>,
    pub query: String,
    /// Empty if nobody said so.
    pub memory_ids: Vec<MemoryId>,
}

/// What two models find for the same questions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Questions for which one of the two found something.
    pub answered: usize,
    /// Questions that can no longer be asked: their agent or user is gone.
    pub skipped: usize,
    overlap: f64,
    labelled: usize,
    recall: [f64; 2],
}

impl Comparison {
    /// The mean share of the ten best hits that both models have; none without an answered question.
    pub fn overlap(&self) -> Option<f64> {
        (self.answered > 0).then(|| self.overlap / self.answered as f64)
    }

    /// The mean share of the right memories among the ten best hits of each model; none without a labelled question.
    pub fn recall(&self) -> Option<[f64; 2]> {
        (self.labelled > 0).then(|| self.recall.map(|sum| sum / self.labelled as f64))
    }

    fn add(&mut self, right: &[MemoryId], found: &[HashSet<MemoryId>; 2]) {
        let [one, other] = found;
        let most = one.len().max(other.len());
        if most > 0 {
            self.answered += 1;
            self.overlap += one.intersection(other).count() as f64 / most as f64;
        }
        if !right.is_empty() {
            self.labelled += 1;
            for (sum, found) in self.recall.iter_mut().zip(found) {
                *sum += right.iter().filter(|id| found.contains(id)).count() as f64 / right.len() as f64;
            }
        }
    }
}

/// The newest different questions of an organisation's log.
///
/// # Errors
/// When the database is out of reach.
#[verb]
pub async fn logged(engine: &Engine, ctx: &OpContext, most: usize) -> Result<Vec<Labelled>, Error> {
    let (mut questions, mut known, mut filter) = (Vec::new(), HashSet::new(), RetrievalFilter::default());
    while questions.len() < most {
        let page = recall::retrievals(engine, ctx, &filter).await?;
        for row in page.rows {
            let question = Labelled { agent_id: row.agent_id, user_id: row.user_id, query: row.query, memory_ids: vec![] };
            if questions.len() < most && known.insert(question.clone()) {
                questions.push(question);
            }
        }
        filter.after = page.next;
        if filter.after.is_none() {
            break;
        }
    }
    Ok(questions)
}

/// Asks questions under the models of two engines. Nothing is counted or logged.
///
/// # Errors
/// When a database is out of reach.
#[verb]
pub async fn compare(engine: &Engine, other: &Engine, ctx: &OpContext, questions: &[Labelled], sum: &mut Comparison) -> Result<(), Error> {
    for question in questions {
        match (find(engine, ctx, question).await, find(other, ctx, question).await) {
            (Ok(one), Ok(other)) => sum.add(&question.memory_ids, &[one, other]),
            (Err(Error::NotFound(_) | Error::Invalid(_)), _) => sum.skipped += 1,
            (Err(error), _) | (_, Err(error)) => return Err(error),
        }
    }
    Ok(())
}

/// The memories among the best hits of a question.
async fn find(engine: &Engine, ctx: &OpContext, question: &Labelled) -> Result<HashSet<MemoryId>, Error> {
    let user_id = question.user_id.map(UserRef::Id);
    let recall = RecallRequest { k: K, user_id, ..RecallRequest::new(&question.query) };
    let found = recall::playground(engine, ctx, &PlaygroundRequest { agent_id: question.agent_id, recall }).await?;
    Ok(found.hits.iter().filter_map(RecallHit::memory).map(|hit| hit.memory_id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn ids(ids: &[u128]) -> HashSet<MemoryId> {
        ids.iter().map(|id| MemoryId(Uuid::from_u128(*id))).collect()
    }

    #[test]
    fn overlap_counts_answered_questions_and_recall_labelled_ones() {
        let mut sum = Comparison::default();
        assert_eq!((sum.overlap(), sum.recall()), (None, None));
        sum.add(&[], &[ids(&[]), ids(&[])]);
        assert_eq!((sum.answered, sum.overlap()), (0, None), "nothing was found by either");
        sum.add(&[MemoryId(Uuid::from_u128(1)), MemoryId(Uuid::from_u128(2))], &[ids(&[1, 3]), ids(&[1, 2, 3, 4])]);
        sum.add(&[], &[ids(&[7]), ids(&[])]);
        assert_eq!((sum.answered, sum.overlap(), sum.recall()), (2, Some(0.25), Some([0.5, 1.0])));
    }
}
