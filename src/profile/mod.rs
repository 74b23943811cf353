//! Profiles: what an agent knows about a person, as leaves that cite observations. A leaf is derived and never a source: a fact has its home
//! in a memory.

mod apply;
mod confidence;
mod connections;
pub mod documents;
mod forget;
mod judge;
mod merge;
mod model;
mod people;
mod read;
mod rules;
mod sensitive;
mod shared;
pub mod store;
mod synthesis;
mod versions;
mod working_memory;

pub use apply::{Applied, Drawn, apply};
pub(crate) use connections::has_connection;
pub use connections::{connection, connections, put_connection};
pub use documents::{index_attachment, index_profile, put_entities, search_user_context};
pub(crate) use forget::{find as find_leaf, replace_leaf};
pub use forget::{forget_leaf, forget_leaf_of, restore_leaf};
pub use judge::{Verdict, judge};
pub use model::{Citation, Diff, Leaf, LeafState, NewLeaf, Part, Subject};
pub use people::{people, person};
pub use read::{Doubtful, ProfileContext, View, for_context, get};
pub use rules::{Observation, statement};
pub(crate) use sensitive::is_sensitive;
pub use synthesis::{by_model, by_rules};
pub use versions::versions;
pub use words::tree::{TreeError, flatten, folded, normalise};
