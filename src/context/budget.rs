//! Fits items into a budget: each gets one line first, then the most relevant get more text. Pure.

use wire::Level;

/// Characters of a token.
pub const TOKEN: usize = 4;

/// One item that may be included, at each level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its text as a line, as a summary and whole; each at least as long as the one before, or the same.
    pub texts: [String; 3],
    /// Characters that its line in the bundle has besides the text.
    pub around: usize,
}

impl Piece {
    pub fn text(&self, level: Level) -> &str {
        &self.texts[place(level)]
    }

    fn characters(&self, level: Level) -> usize {
        self.text(level).chars().count() + self.around
    }
}

fn place(level: Level) -> usize {
    match level {
        Level::Line => 0,
        Level::Summary => 1,
        Level::Whole => 2,
    }
}

/// Chooses the level of each piece; none if there is no room for its line. Sections take turns: the first piece of each section, then the
/// second. `headings` are the characters of each section's heading; `room` is in characters.
pub fn fit(sections: &[Vec<Piece>], headings: &[usize], most: Level, room: usize) -> Vec<Vec<Option<Level>>> {
    let mut chosen: Vec<Vec<Option<Level>>> = sections.iter().map(|pieces| vec![None; pieces.len()]).collect();
    let mut left = room;
    let turns: Vec<(usize, usize)> = (0..sections.iter().map(Vec::len).max().unwrap_or(0))
        .flat_map(|turn| (0..sections.len()).map(move |section| (section, turn)))
        .filter(|(section, turn)| *turn < sections[*section].len())
        .collect();
    for &(section, turn) in &turns {
        let heading = if chosen[section].iter().all(Option::is_none) { headings.get(section).copied().unwrap_or(0) } else { 0 };
        let needed = heading + sections[section][turn].characters(Level::Line);
        if needed <= left {
            left -= needed;
            chosen[section][turn] = Some(Level::Line);
        }
    }
    for level in Level::ALL.iter().copied().filter(|level| *level != Level::Line && place(*level) <= place(most)) {
        for &(section, turn) in &turns {
            let (piece, Some(now)) = (&sections[section][turn], chosen[section][turn]) else { continue };
            let more = piece.characters(level).saturating_sub(piece.characters(now));
            if more <= left {
                left -= more;
                chosen[section][turn] = Some(level);
            }
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn piece(line: usize, summary: usize, whole: usize) -> Piece {
        Piece { texts: [line, line + summary, line + summary + whole].map(|length| "x".repeat(length)), around: 3 }
    }

    #[test]
    fn everything_gets_a_line_before_anything_gets_depth() {
        let sections = [vec![piece(10, 20, 100), piece(10, 20, 100)], vec![piece(10, 20, 100)]];
        let lines = 3 * 13 + 2 * 5;
        assert_eq!(fit(&sections, &[5, 5], Level::Whole, lines), [vec![Some(Level::Line); 2], vec![Some(Level::Line)]]);
        let one_more = fit(&sections, &[5, 5], Level::Whole, lines + 20);
        assert_eq!(one_more, [vec![Some(Level::Summary), Some(Level::Line)], vec![Some(Level::Line)]], "the first of the first section");
        assert_eq!(fit(&sections, &[5, 5], Level::Line, 10_000), [vec![Some(Level::Line); 2], vec![Some(Level::Line)]]);
        assert_eq!(fit(&sections, &[5, 5], Level::Whole, 17), [vec![None, None], vec![None]]);
    }

    proptest! {
        #[test]
        fn what_is_chosen_fits(
            sections in proptest::collection::vec(proptest::collection::vec((0_usize..50, 0_usize..50, 0_usize..50), 0..8), 0..5),
            level in proptest::sample::select(Level::ALL),
            room in 0_usize..2000,
        ) {
            let sections: Vec<Vec<Piece>> =
                sections.into_iter().map(|pieces| pieces.into_iter().map(|(l, s, w)| piece(l, s, w)).collect()).collect();
            let headings = vec![12; sections.len()];
            let chosen = fit(&sections, &headings, level, room);
            prop_assert_eq!(chosen.len(), sections.len());
            let mut used = 0;
            for (pieces, levels) in sections.iter().zip(&chosen) {
                prop_assert_eq!(pieces.len(), levels.len());
                used += if levels.iter().any(Option::is_some) { 12 } else { 0 };
                used += pieces.iter().zip(levels).filter_map(|(piece, level)| Some(piece.characters((*level)?))).sum::<usize>();
                prop_assert!(levels.iter().flatten().all(|chosen| place(*chosen) <= place(level)));
            }
            prop_assert!(used <= room);
        }
    }
}
