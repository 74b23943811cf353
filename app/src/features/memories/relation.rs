//! Labels of links.

use wire::{MemoryLink, Relation};

/// The words between this memory and the other end of a link: `contradicts`, `is supported by`.
pub fn relation(link: &MemoryLink) -> &'static str {
    link.relation.phrase(link.outgoing)
}

/// Whether the other end contradicts this memory and is not deleted.
pub fn disputes(link: &MemoryLink) -> bool {
    link.relation == Relation::Contradicts && !link.other_deleted
}
