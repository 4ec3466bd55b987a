//! `leak-descriptor`: streams, events or descriptors were never destroyed.
//!
//! ## What it reports
//! Objects of one creating call that were not destroyed before the process ended:
//! streams, events, labels; tensors, scalars, arrays and their lists; data buffers,
//! datasets and the descriptions of tensors, operators and models; channels, pictures
//! and configurations of the media units; kernel binaries; communicators. One finding
//! per call site that creates them, with their number.
//!
//! ## Why it matters
//! Each takes a little host memory, and streams and events take one of the device's few
//! thousand slots. Created in each step and never destroyed, they run out (207008, no
//! stream resource) or grow the process without any leaked block.
//!
//! ## Example
//! ```c
//! aclrtCreateStream(&stream);
//! return 0;   // leak-descriptor
//! ```
//!
//! ## How to fix it
//! Destroy each with the function of its type, in the reverse order of creation.
//!
//! ## What it cannot see
//! Objects that CANN creates for itself. What a reset of the device takes with it: that
//! is reported anyway, because the documentation asks for the destroying call.
//!
//! Source: AscendCL API reference, `aclrtCreateStream`, `aclrtCreateEvent`,
//! `aclCreateDataBuffer`, `aclCreateTensor` and their destroying calls (CANN 8.1 to
//! 9.2).

use crate::api::block::Block;
use crate::evidence::finding::Finding;
use crate::evidence::plural::plural;
use crate::evidence::rule::{Rule, Severity};

/// `leak-descriptor`.
pub static RULE: Rule = Rule {
    name: "leak-descriptor",
    severity: Severity::Note,
    summary: "streams, events or descriptors were never destroyed",
    is_live: false,
    source: include_str!("leak_descriptor.rs"),
};

/// Checks `count` objects of one site; `object` is the first of them.
pub fn check(object: &Block, count: u64) -> Option<Finding> {
    let family = object.family();
    let (were, each, keeps) = match count {
        0 => return None,
        1 => ("was", "it", "keeps it"),
        _ => ("were", "each", "keeps them"),
    };
    let message = format!("{} {were} never destroyed", plural(count, family.name()));
    let instead = format!("destroy {each} with `{}`", object.release());
    let finding = Finding::new(&RULE, object.site, message);
    Some(finding.advise(format!("{keeps} until the process ends"), instead))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    #[test]
    fn objects_are_counted_and_the_destroying_call_is_named() {
        let found = check(&block("aclrtCreateStream", 0x1000, 0), 3).unwrap();
        assert_eq!(found.message, "3 streams were never destroyed");
        assert!(found.instead.contains("`aclrtDestroyStream`"));
        assert_eq!(found.severity, Severity::Note);
    }

    #[test]
    fn one_object_is_reported_in_the_singular() {
        let found = check(&block("aclrtCreateEvent", 0x1000, 0), 1).unwrap();
        assert_eq!(found.message, "1 event was never destroyed");
    }

    #[test]
    fn no_objects_are_no_leak() {
        assert_eq!(check(&block("aclrtCreateEvent", 0x1000, 0), 0), None);
    }
}
