//! What fails a run: severities, budgets, baselines and suppressions; and what CI gets to see of it.
//!
//! Reads no logs.

pub mod baseline;
pub mod check_table;
pub mod ci_outputs;
mod limit_text;
pub mod quantity;
pub mod rule_names;
pub mod suppress;
pub mod verdict;
