//! Fits blocks into a budget, in a fixed order: older turns, retrieved memories, parts of documents, and then all that was retrieved, piece
//! by piece. Everything else is never cut. Pure.

use super::block::{Block, Piece, total};
use crate::api::{BlockName, ContextCut, CutAction};

/// The last turns, which are never condensed.
pub const RECENT_TURNS: usize = 20;
/// What is cut before documents.
const MEMORIES: [BlockName; 3] = [BlockName::Facts, BlockName::Episodes, BlockName::Connections];
/// Facts, episodes, and documents of connections, if the budget is short.
const MEMORIES_LEAST: usize = 3;
/// Parts of documents if the budget is short.
const CHUNKS_LEAST: usize = 2;

/// What was retrieved for the query. The text of others never makes a prompt impossible, so all of it may be left out.
pub const RETRIEVED: [BlockName; 5] =
    [BlockName::Facts, BlockName::Episodes, BlockName::Knowledge, BlockName::Connections, BlockName::SuggestedActions];

/// What remains too large after everything was cut that may be cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    pub tokens: usize,
    /// The largest blocks with their tokens, the largest first.
    pub largest: Vec<(BlockName, usize)>,
}

/// The turns that may be condensed, oldest first.
pub fn older_turns(blocks: &[Block]) -> &[Piece] {
    let turns = blocks.iter().find(|block| block.name == BlockName::Turns).map(|block| block.pieces.as_slice()).unwrap_or_default();
    &turns[..turns.len().saturating_sub(RECENT_TURNS)]
}

/// Cuts step by step until the blocks fit. `condensed` stands for [`older_turns`]; it is used only if it is smaller than they are.
pub fn fit(mut blocks: Vec<Block>, condensed: Option<Piece>, budget: usize) -> Result<(Vec<Block>, Vec<ContextCut>), TooLarge> {
    let mut cuts = Vec::new();
    if total(&blocks) > budget
        && let Some(condensed) = condensed
    {
        cuts.extend(condense(&mut blocks, condensed));
    }
    for (names, least) in [(&MEMORIES[..], MEMORIES_LEAST), (&[BlockName::Knowledge], CHUNKS_LEAST)] {
        if total(&blocks) > budget {
            cuts.extend(blocks.iter_mut().filter(|block| names.contains(&block.name)).filter_map(|block| shorten(block, least)));
        }
    }
    while total(&blocks) > budget {
        let Some(one) = leave_out(&mut blocks) else { break };
        match cuts.iter_mut().find(|cut| cut.block == one.block) {
            Some(cut) => (cut.items, cut.tokens) = (cut.items + one.items, cut.tokens + one.tokens),
            None => cuts.push(one),
        }
    }
    let tokens = total(&blocks);
    if tokens <= budget {
        return Ok((blocks, cuts));
    }
    let mut largest: Vec<(BlockName, usize)> = blocks.iter().map(|block| (block.name, block.tokens())).collect();
    largest.sort_by_key(|(name, tokens)| (std::cmp::Reverse(*tokens), *name));
    largest.truncate(3);
    Err(TooLarge { tokens, largest })
}

fn condense(blocks: &mut [Block], condensed: Piece) -> Option<ContextCut> {
    let older: usize = older_turns(blocks).iter().map(|piece| piece.tokens).sum();
    let saved = older.checked_sub(condensed.tokens).filter(|saved| *saved > 0)?;
    let turns = blocks.iter_mut().find(|block| block.name == BlockName::Turns)?;
    let many = turns.pieces.len() - RECENT_TURNS;
    turns.pieces.splice(..many, [condensed]);
    Some(cut(BlockName::Turns, CutAction::Condensed, many, saved))
}

/// Leaves the first pieces of a block, which are the best.
fn shorten(block: &mut Block, least: usize) -> Option<ContextCut> {
    let left_out = block.pieces.split_off(least.min(block.pieces.len()));
    let saved = left_out.iter().map(|piece| piece.tokens).sum();
    (!left_out.is_empty()).then(|| cut(block.name, CutAction::LeftOut, left_out.len(), saved))
}

/// Leaves out the last piece of the longest list of what was retrieved, and its block if it was the only one.
fn leave_out(blocks: &mut Vec<Block>) -> Option<ContextCut> {
    let retrieved = blocks.iter().enumerate().filter(|(_, block)| RETRIEVED.contains(&block.name));
    let (place, _) = retrieved.max_by_key(|(_, block)| block.pieces.len())?;
    let (name, before) = (blocks[place].name, blocks[place].tokens());
    blocks[place].pieces.pop();
    let left = if blocks[place].pieces.is_empty() {
        blocks.remove(place);
        0
    } else {
        blocks[place].tokens()
    };
    Some(cut(name, CutAction::LeftOut, 1, before - left))
}

fn cut(block: BlockName, action: CutAction, items: usize, tokens: usize) -> ContextCut {
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    ContextCut { block, action, items: number(items), tokens: number(tokens) }
}
