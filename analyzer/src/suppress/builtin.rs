//! Suppressions that come with aclsan: what CANN's own libraries keep until the process ends.

use super::line::{Line, Reach};
use super::pattern::Pattern;

/// Libraries of CANN that allocate through AscendCL for themselves, and what they keep. A block is theirs when the call came from their
/// code, not when they are somewhere on the stack: a program's callback is the program's.
const KEEPERS: &[(&str, &str)] = &[
    (
        "^libge_*.so",
        "the graph engine's memory managers live as long as the process",
    ),
    (
        "^libgraph*.so",
        "graph buffers are cached until the process ends",
    ),
    (
        "^libhccl*.so",
        "communicators keep their exchange buffers until the process ends",
    ),
    (
        "^libopapi*.so",
        "operators keep constant tables for later launches",
    ),
    ("^libnnopbase.so", "the operator base caches executors"),
    ("^libacl_op_compiler.so", "compiled operators stay cached"),
    ("^libaicpu_*.so", "AI CPU kernels are loaded once and stay"),
];

/// The rules that they would otherwise set off.
const RULES: [&str; 3] = ["leak", "leak-registration", "leak-descriptor"];

/// A line for each library and rule.
pub fn lines() -> Vec<Line> {
    let pairs = KEEPERS
        .iter()
        .flat_map(|keeper| RULES.map(|rule| (keeper, rule)));
    pairs
        .map(|(&(pattern, why), rule)| Line {
            rule: Some(rule),
            pattern: Pattern::new(pattern),
            reach: Reach::Caller,
            until: None,
            text: format!("{rule}:{pattern}"),
            place: format!("built in: {why}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_line_names_a_rule_that_there_is() {
        for line in lines() {
            assert!(aclsan_rules::catalogue::rule(line.rule.unwrap()).is_some());
        }
    }
}
