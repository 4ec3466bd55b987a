//! Built-in suppressions: what CANN's own libraries keep until the process ends.

use aclsan_frames::Pattern;
use aclsan_rules::api::ascend::libraries;

use super::line::{Line, Scope};

/// CANN libraries that allocate through AscendCL for themselves, and what they keep. A block is theirs if the call came from their code,
/// not if they are anywhere on the stack: a program's callback belongs to the program.
const CACHING_LIBRARIES: &[(&[&str], &str)] = &[
    (
        libraries::GRAPH_ENGINE,
        "the graph engine's memory managers live as long as the process",
    ),
    (
        &["libgraph.so", "libgraph_base.so"],
        "graph buffers are cached until the process ends",
    ),
    (
        libraries::COLLECTIVES,
        "communicators keep their exchange buffers until the process ends",
    ),
    (
        &[
            "libopapi.so",
            "libopapi_cv.so",
            "libopapi_legacy.so",
            "libopapi_math.so",
            "libopapi_nn.so",
            "libopapi_oam.so",
            "libopapi_transformer.so",
        ],
        "operators keep constant tables for later launches",
    ),
    (
        libraries::OPERATOR_BASE,
        "the operator base caches executors",
    ),
    (&["libacl_op_compiler.so"], "compiled operators stay cached"),
    (
        &[
            "libaicpu_ascend_builder.so",
            "libaicpu_ascend_engine.so",
            "libaicpu_engine_common.so",
            "libaicpu_extend_kernels.so",
            "libaicpu_kernels.so",
            "libaicpu_processer.so",
            "libaicpu_scheduler.so",
            "libaicpu_sharder.so",
            "libaicpu_tf_builder.so",
            "libaicpu_tf_engine.so",
        ],
        "AI CPU kernels are loaded once and stay",
    ),
];

/// The rules that would otherwise report them.
const RULES: [&str; 4] = [
    "leak",
    "leak-reachable",
    "leak-registration",
    "leak-descriptor",
];

/// A line for each library and rule.
pub fn lines() -> Vec<Line> {
    let libraries = CACHING_LIBRARIES
        .iter()
        .flat_map(|(names, why)| names.iter().map(move |name| (*name, *why)));
    let pairs = libraries.flat_map(|library| RULES.map(|rule| (library, rule)));
    pairs
        .map(|((name, why), rule)| Line {
            rule: Some(rule),
            pattern: Pattern::new(&format!("^{name}$")),
            scope: Scope::Library,
            until: None,
            text: format!("{rule}:^{name}$"),
            place: format!("built in: {why}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use aclsan_render::model::Frame;

    use super::*;

    #[test]
    fn every_built_in_line_names_a_rule_that_there_is() {
        for line in lines() {
            assert!(aclsan_rules::judge::registry::rule(line.rule.unwrap()).is_some());
        }
    }

    #[test]
    fn libraries_of_cann_are_covered_and_those_with_names_like_theirs_are_not() {
        let covers = |module: &str| {
            let frame = Frame {
                module: module.into(),
                ..Frame::default()
            };
            lines().iter().any(|line| line.is_from(&frame))
        };
        for theirs in [
            "/usr/local/Ascend/latest/lib64/libge_executor.so",
            "/usr/local/Ascend/latest/lib64/libgraph.so.1",
            "libgraph_base.so",
            "libhccl.so.2.0.0",
            "libhcomm.so",
            "libopapi.so",
            "libopapi_transformer.so",
            "libnnopbase.so",
            "libacl_op_compiler.so",
            "libaicpu_ascend_engine.so",
        ] {
            assert!(covers(theirs), "{theirs}");
        }
        for users in [
            "/opt/app/libgraphics.so",
            "/opt/app/libgraph_tools.so",
            "libhccl_tools.so",
            "libopapi_mine.so",
            "libcust_opapi.so",
            "libge_mine.so",
            "mylibgraph.so",
            "libgraph.so.bak",
            "libgraph.so.",
            "libgraph.so.1.mine",
            "",
        ] {
            assert!(!covers(users), "{users}");
        }
    }
}
