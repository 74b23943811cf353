//! Fits blocks into a budget. Blocks are cut in this order: older turns, reports of agents, what else was retrieved, entries of the memory
//! block, the profile, turns, and then what the caller brings. Pure.

use super::block::{Block, Piece, total};
use wire::{BlockName, ContextCut, CutAction};

/// The last turns, which are never condensed.
pub const RECENT_TURNS: usize = 20;
/// What is cut before documents.
const MEMORIES: [BlockName; 3] = [BlockName::Facts, BlockName::Episodes, BlockName::Connections];
/// Facts, episodes, and documents of connections, if the budget is short.
const MEMORIES_LEAST: usize = 3;
/// Parts of documents if the budget is short.
const CHUNKS_LEAST: usize = 2;

/// What was retrieved for the query.
pub const RETRIEVED: [BlockName; 6] =
    [BlockName::Facts, BlockName::Episodes, BlockName::Knowledge, BlockName::Connections, BlockName::Reports, BlockName::SuggestedActions];

/// The profile, in the order in which it is left out.
const PROFILE: [BlockName; 3] = [BlockName::LearnedInfo, BlockName::StructuredData, BlockName::WorkingMemory];
/// What the caller brings and a call can do without, in the order in which it is left out.
const BROUGHT: [BlockName; 4] = [BlockName::ArtifactIndex, BlockName::ToolResults, BlockName::AgentIdentity, BlockName::Directives];

/// How many entries the memory block has, and the block with so many of them at most: those that were recalled most.
pub type Fewer<'a> = (usize, &'a dyn Fn(usize) -> Option<Block>);

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

/// Cuts step by step until the blocks fit. `condensed` stands for [`older_turns`]; it is used only if it is smaller than they are. The system
/// prompt, skills, the last turn and the time stay.
pub fn fit(
    blocks: Vec<Block>,
    condensed: Option<Piece>,
    entries: Fewer<'_>,
    budget: usize,
) -> Result<(Vec<Block>, Vec<ContextCut>), TooLarge> {
    let mut fitting = Fitting { blocks, condensed: None, budget, cuts: Vec::new() };
    fitting.condense(condensed);
    fitting.leave_out_oversized();
    fitting.leave_out_weakest(BlockName::Reports);
    fitting.shorten(&MEMORIES, MEMORIES_LEAST);
    fitting.shorten(&[BlockName::Knowledge], CHUNKS_LEAST);
    fitting.leave_out_retrieved();
    fitting.leave_out_condensed();
    fitting.leave_out_entries(entries);
    for name in PROFILE {
        fitting.leave_out_oldest(name, 0);
    }
    fitting.leave_out_oldest(BlockName::Turns, 1);
    for name in BROUGHT {
        fitting.leave_out_oldest(name, 0);
    }
    fitting.done()
}

/// Blocks that are being cut.
struct Fitting {
    blocks: Vec<Block>,
    /// The message that stands for older turns, if it came in their place.
    condensed: Option<Piece>,
    budget: usize,
    cuts: Vec<ContextCut>,
}

impl Fitting {
    fn is_too_large(&self) -> bool {
        total(&self.blocks) > self.budget
    }

    fn place(&self, name: BlockName) -> Option<usize> {
        self.blocks.iter().position(|block| block.name == name)
    }

    /// Puts `block` in the place of the one there, or nothing, and notes what that cut.
    fn replace(&mut self, place: usize, block: Option<Block>, action: CutAction, items: usize) {
        let name = self.blocks[place].name;
        let saved = self.blocks[place].tokens().saturating_sub(block.as_ref().map_or(0, Block::tokens));
        match block {
            Some(block) => self.blocks[place] = block,
            None => drop(self.blocks.remove(place)),
        }
        let new = cut(name, action, items, saved);
        match self.cuts.iter_mut().find(|cut| (cut.block, cut.action) == (name, action)) {
            Some(cut) => (cut.items, cut.tokens) = (cut.items + new.items, cut.tokens + new.tokens),
            None => self.cuts.push(new),
        }
    }

    /// Leaves a piece out, and the block with its only one.
    fn leave_out(&mut self, place: usize, piece: usize) {
        let mut block = self.blocks[place].clone();
        block.pieces.remove(piece);
        self.replace(place, (!block.pieces.is_empty()).then_some(block), CutAction::LeftOut, 1);
    }

    fn condense(&mut self, condensed: Option<Piece>) {
        let older = older_turns(&self.blocks);
        let (many, tokens) = (older.len(), older.iter().map(|piece| piece.tokens).sum::<usize>());
        let Some(condensed) = condensed.filter(|condensed| condensed.tokens < tokens && self.is_too_large()) else { return };
        let Some(place) = self.place(BlockName::Turns) else { return };
        let mut turns = self.blocks[place].clone();
        turns.pieces.splice(..many, [condensed.clone()]);
        self.condensed = Some(condensed);
        self.replace(place, Some(turns), CutAction::Condensed, many);
    }

    /// Leaves out each piece that would not fit even if nothing else were there but what is never cut: it would push out all the rest first.
    fn leave_out_oversized(&mut self) {
        let never_cut = |block: &Block| match block.name {
            BlockName::Turns => Block::new(block.name, block.pieces.last().cloned().into_iter().collect()).tokens(),
            name if is_cut(name) || name == BlockName::Memory => 0,
            _ => block.tokens(),
        };
        let room = self.budget.saturating_sub(self.blocks.iter().map(never_cut).sum());
        while self.is_too_large() {
            let oversized = |block: &Block| {
                let last = block.pieces.len() - usize::from(block.name == BlockName::Turns);
                block.pieces.iter().take(last).position(|piece| piece.tokens > room).filter(|_| is_cut(block.name))
            };
            let Some((place, piece)) = self.blocks.iter().enumerate().find_map(|(place, block)| Some((place, oversized(block)?))) else {
                return;
            };
            self.leave_out(place, piece);
        }
    }

    /// Leaves out the last pieces of a block, which are the weakest.
    fn leave_out_weakest(&mut self, name: BlockName) {
        while let Some(place) = self.place(name).filter(|_| self.is_too_large()) {
            self.leave_out(place, self.blocks[place].pieces.len() - 1);
        }
    }

    /// Leaves the first pieces of some blocks, which are the best.
    fn shorten(&mut self, names: &[BlockName], least: usize) {
        if !self.is_too_large() {
            return;
        }
        for place in 0..self.blocks.len() {
            let mut block = self.blocks[place].clone();
            if names.contains(&block.name) && block.pieces.len() > least {
                let left_out = block.pieces.split_off(least).len();
                self.replace(place, Some(block), CutAction::LeftOut, left_out);
            }
        }
    }

    /// Leaves out what was retrieved, the last piece of the longest list first.
    fn leave_out_retrieved(&mut self) {
        while self.is_too_large() {
            let retrieved = self.blocks.iter().enumerate().filter(|(_, block)| RETRIEVED.contains(&block.name));
            let Some((place, block)) = retrieved.max_by_key(|(_, block)| block.pieces.len()) else { return };
            self.leave_out(place, block.pieces.len() - 1);
        }
    }

    /// Leaves out the message that stands for older turns: it is missed less than memory, and has up to 400 tokens.
    fn leave_out_condensed(&mut self) {
        let Some(place) = self.place(BlockName::Turns).filter(|_| self.is_too_large()) else { return };
        let turns = &self.blocks[place].pieces;
        if turns.len() > 1 && turns.first() == self.condensed.as_ref() {
            self.leave_out(place, 0);
        }
    }

    /// Leaves as many entries of the memory block as there is room for.
    fn leave_out_entries(&mut self, (entries, fewer): Fewer<'_>) {
        let Some(place) = self.place(BlockName::Memory).filter(|_| self.is_too_large()) else { return };
        let others = total(&self.blocks) - self.blocks[place].tokens();
        let fits = |most: &usize| others + fewer(*most).as_ref().map_or(0, Block::tokens) <= self.budget;
        let most = largest(entries, fits);
        self.replace(place, fewer(most), CutAction::LeftOut, entries - most);
    }

    /// Leaves out the first pieces of a block, which are the oldest of turns and results, but for the last `least`.
    fn leave_out_oldest(&mut self, name: BlockName, least: usize) {
        while let Some(place) = self.place(name).filter(|place| self.is_too_large() && self.blocks[*place].pieces.len() > least) {
            self.leave_out(place, 0);
        }
    }

    fn done(self) -> Result<(Vec<Block>, Vec<ContextCut>), TooLarge> {
        let tokens = total(&self.blocks);
        if tokens <= self.budget {
            return Ok((self.blocks, self.cuts));
        }
        let mut largest: Vec<(BlockName, usize)> = self.blocks.iter().map(|block| (block.name, block.tokens())).collect();
        largest.sort_by_key(|(name, tokens)| (std::cmp::Reverse(*tokens), *name));
        largest.truncate(3);
        Err(TooLarge { tokens, largest })
    }
}

/// Whether pieces of a block may be left out; the memory block is cut by its entries.
fn is_cut(name: BlockName) -> bool {
    name == BlockName::Turns || RETRIEVED.contains(&name) || PROFILE.contains(&name) || BROUGHT.contains(&name)
}

/// The largest number up to `most` that fits; 0 if none does. What fits, fits with less.
fn largest(most: usize, fits: impl Fn(&usize) -> bool) -> usize {
    let (mut least, mut most) = (0, most);
    while least < most {
        let middle = most - (most - least) / 2;
        if fits(&middle) { least = middle } else { most = middle - 1 }
    }
    least
}

fn cut(block: BlockName, action: CutAction, items: usize, tokens: usize) -> ContextCut {
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    ContextCut { block, action, items: number(items), tokens: number(tokens) }
}
