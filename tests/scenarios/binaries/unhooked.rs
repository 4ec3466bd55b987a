//! Every name that AscendCL's libraries export is watched, or has a reason in `shim/calls/ascend/unhooked.txt` why it is not.

use crate::exports::defined;
use std::collections::{BTreeMap, BTreeSet};

/// The libraries that programs link, by folder of a topology.
const LIBRARIES: &[&str] = &[
    "simulator/lib/libascendcl.so",
    "simulator/lib/libacl_dvpp.so",
    "simulator/lib/libacl_dvpp_mpi.so",
    "simulator/lib/libacl_cblas.so",
    "simulator/lib/libacl_op_compiler.so",
    "simulator/lib/libacl_tdt_channel.so",
    "simulator/lib/libacl_tdt_queue.so",
    "simulator/lib/libhccl.so",
    "simulator/lib/libnnopbase.so",
    "simulator/split/lib/libacl_rt.so",
];

/// The simulator's own names, the lower layer's, and C++.
const OTHERS: &[&str] = &["aclsim", "rt", "_Z"];

/// The names below each reason.
fn reasons() -> BTreeMap<&'static str, &'static str> {
    let text = include_str!("../../../shim/calls/ascend/unhooked.txt");
    let mut reason = "";
    let mut names = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix('[') {
            Some(heading) => reason = heading,
            None => {
                for name in line.split_whitespace() {
                    let before = names.insert(name, reason);
                    assert_eq!(before, None, "{name} has two reasons");
                }
            }
        }
    }
    names
}

#[test]
fn every_exported_name_is_watched_or_has_a_reason() {
    let exported = LIBRARIES.iter().flat_map(|library| defined(library));
    let exported: BTreeSet<String> = exported
        .filter(|name| !OTHERS.iter().any(|prefix| name.starts_with(prefix)))
        .collect();
    assert!(exported.len() > 700, "{}", exported.len());
    let (hooked, reasons) = (defined("libaclsan.so"), reasons());
    let undecided: Vec<_> = exported
        .iter()
        .filter(|name| !hooked.contains(*name) && !reasons.contains_key(name.as_str()))
        .collect();
    assert!(
        undecided.is_empty(),
        "hook them, or give a reason: {undecided:?}"
    );
    let stale: Vec<_> = reasons
        .keys()
        .filter(|name| hooked.contains(**name) || !exported.contains(**name))
        .collect();
    assert!(stale.is_empty(), "hooked, or exported by nobody: {stale:?}");
}
