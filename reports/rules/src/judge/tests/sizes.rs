//! Copies of more bytes than there are.

use super::*;

#[test]
fn a_size_that_fits_neither_block_is_one_mistake_and_two_offsets_are_two() {
    let call = call_with("aclrtMemcpyAsync", 3);
    let found = |to: &AddressInfo, from: &AddressInfo, count| {
        let copy = Copy {
            to: 0x1000,
            room: u64::MAX,
            from: 0x2000,
            count,
        };
        copy_names(&call, &copy, to, from)
    };
    let at = |start, size, offset| AddressInfo::Live(device_block(start, size), offset);
    let (to, from) = (at(0x1000, 64, 0), at(0x2000, 128, 0));
    assert_eq!(found(&to, &from, u64::MAX), ["copy-overrun"]);
    assert_eq!(found(&to, &from, 129), ["copy-overrun"]);
    assert_eq!(found(&to, &from, 128), ["copy-overrun"]);
    let (to, from) = (at(0x0fd0, 64, 0x30), at(0x1f90, 128, 0x70));
    assert_eq!(found(&to, &from, 20), ["copy-overrun", "copy-overread"]);
}

fn copy_names(call: &Call, copy: &Copy, to: &AddressInfo, from: &AddressInfo) -> Vec<&'static str> {
    let found = super::copy(call, copy, to, from, &EP);
    let errors = found
        .iter()
        .filter(|found| found.severity == Severity::Error);
    errors
        .map(|found| found.rule.name)
        .filter(|name| *name != "destmax-overstated")
        .collect()
}
