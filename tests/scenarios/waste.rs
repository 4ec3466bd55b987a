//! Waste, growth and refusals, which only the log can tell: whole outputs of programs, and silence on their look-alikes.

use crate::artifacts::Topology;
use crate::leaks::{are_told, told};
use crate::program::folder;
use crate::rules::compare;

fn is_found(name: &str) {
    let program = format!("{name}.c");
    assert_eq!(
        are_told("findings", &program, &format!("{name}_silent.c")),
        Some(0)
    );
}

#[test]
fn pages_that_cost_more_than_was_asked_for_are_told() {
    is_found("waste/page_class_waste");
}

#[test]
fn a_loop_that_allocates_and_releases_is_told() {
    is_found("waste/hot_loop_allocation");
}

#[test]
fn a_block_that_nothing_names_is_told() {
    is_found("waste/never_used");
}

#[test]
fn a_refusal_with_enough_free_is_told() {
    is_found("waste/fragmented");
}

#[test]
fn a_cache_that_grows_step_by_step_is_told() {
    is_found("leaks/leak_growing");
}

#[test]
fn a_refusal_for_want_of_memory_is_told_with_its_cause_and_who_had_it() {
    for name in ["waste/fragmented", "waste/fragmented_silent"] {
        for topology in [Topology::One, Topology::Split] {
            let (report, _) = told("frag", &format!("{name}.c"), topology);
            let golden = folder().join(format!("{name}.frag"));
            // Behind it stand tables with the process's number.
            let (refusals, _) = report.split_once("==PID== Device memory by page").unwrap();
            compare(&golden, refusals).unwrap();
        }
    }
}
