//! Blocks that programs cut up by themselves: what `aclsan findings` prints of each program's log, whole. Half of these rules need the log;
//! `replay` looks that the other half speaks at the call, too.

use crate::artifacts::Topology;
use crate::leaks::told;
use crate::program::folder;
use crate::rules::{compare, programs};

#[test]
fn each_mistake_is_told_and_its_look_alike_is_not() {
    let mut wrong = Vec::new();
    for name in programs("carving") {
        for topology in [Topology::One, Topology::Split] {
            let (report, _) = told("findings", &name, topology);
            if name.ends_with("_silent.c") {
                if !report.contains("0 errors, 0 warnings, 0 notes") {
                    wrong.push(format!("{name} ({topology:?}) must be silent:\n{report}"));
                }
            } else {
                let path = folder().join(&name).with_extension("report");
                wrong.extend(compare(&path, &report).err());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
