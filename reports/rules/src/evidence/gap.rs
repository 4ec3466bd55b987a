//! Missing edges, by number.

/// The number of a missing edge: races about one block that the same edge would order share it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GapId(pub u64);
