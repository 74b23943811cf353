//! How many answers are among the first ten, here and in LangGraph's store with the same memories and vectors.

use super::caller::Measured;
use super::peer::Peer;
use super::store::{Asked, Reach, Sql};
use super::{Labelled, Target};
use crate::Failure;
use crate::retrieval::{Answered, Line, answers};
use models::Role;
use std::collections::HashSet;
use uuid::Uuid;

/// Loads a file of `remembrancer eval retrieval` with the model, and asks its questions with the ranking `hybrid`; the peer is asked the same if
/// there is one.
///
/// # Errors
/// When a question names what is not in the file, Python fails, or a database is out of reach.
pub async fn labelled(target: &Target, lines: &[Line]) -> Result<Labelled, Failure> {
    let mut sql = Sql::connect(&target.urls).await?;
    let (mut questions, mut ours, mut theirs) = (0, 0.0, 0.0);
    for (ctx, answered) in answers(&target.engine, &target.urls, lines).await? {
        questions += answered.len();
        ours += answered.iter().map(|one| share(one, one.hits.iter().map(|id| id.0))).sum::<f64>();
        let Some(python) = &target.peer else { continue };
        let reach = Reach { tenant: ctx.tenant_id.0, agents: vec![ctx.agent_id()?.0], model: target.embedder.model().to_owned() };
        let measured = Measured { size: 0, key: String::new(), reach, asked: with_vectors(target, &answered).await? };
        let hits = Peer::start(python, &target.urls.agent_memory, &measured, &mut sql).await?.hits().await?;
        theirs += answered.iter().zip(hits).map(|(one, hits)| share(one, hits.into_iter())).sum::<f64>();
    }
    let mean = |sum: f64| sum / (questions.max(1)) as f64;
    Ok(Labelled { questions, ours: mean(ours), peer: target.peer.as_ref().map(|_| mean(theirs)) })
}

/// The questions with the vectors of the model.
async fn with_vectors(target: &Target, answered: &[Answered]) -> Result<Vec<Asked>, Failure> {
    let texts: Vec<String> = answered.iter().map(|one| one.query.clone()).collect();
    let vectors = target.embedder.embed(texts.clone(), Role::Query).await?;
    Ok(texts.into_iter().zip(vectors).map(|(text, vector)| Asked { text, terms: vec![], vector, ids: vec![] }).collect())
}

/// The share of the memories that hold an answer that is among some hits.
fn share(one: &Answered, hits: impl Iterator<Item = Uuid>) -> f64 {
    let hits: HashSet<Uuid> = hits.collect();
    one.wanted.iter().filter(|id| hits.contains(&id.0)).count() as f64 / one.evidence.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::MemoryId;

    #[test]
    fn what_a_write_swallowed_counts_as_missed() {
        let ids = [1, 2, 3].map(|number| MemoryId(Uuid::from_u128(number)));
        let one = Answered { query: String::new(), wanted: HashSet::from([ids[0], ids[1]]), evidence: 4, hits: vec![] };
        assert_eq!(share(&one, [ids[0].0, ids[2].0, ids[0].0].into_iter()), 0.25);
        assert_eq!(share(&one, std::iter::empty()), 0.0);
    }
}
