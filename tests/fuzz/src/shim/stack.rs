//! Of the shim's stacks, what reads unwind tables.

#[path = "../../../../shim/stack/rule.rs"]
pub mod rule;
#[path = "../../../../shim/stack/table.rs"]
pub mod table;
