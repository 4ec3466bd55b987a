//! Merges Python frames into the native stack: each run of the interpreter's eval loop is replaced by the functions
//! that it ran.

use crate::frame::NativeFrame;

/// The functions of one run of the eval loop, innermost first, and an address inside the loop's native frame, or 0 if
/// there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    pub anchor: u64,
    pub frames: Vec<u64>,
}

/// Returns the merged stack. A run is matched by its anchor, else with the next native frame for which `is_eval` holds.
/// Runs whose native frames were not recorded go to the outer end.
pub fn merge(native: &[NativeFrame], groups: &[Group], is_eval: impl Fn(u64) -> bool) -> Vec<u64> {
    let mut groups = groups.iter().peekable();
    let mut out = Vec::with_capacity(native.len());
    for (index, frame) in native.iter().enumerate() {
        let end = native.get(index + 1).map_or(u64::MAX, |outer| outer.sp);
        let is_of = |group: &&Group| match group.anchor != 0 && frame.sp != 0 {
            true => (frame.sp..end).contains(&group.anchor),
            false => is_eval(frame.pc),
        };
        match groups.next_if(is_of) {
            Some(group) => out.extend(&group.frames),
            None => out.push(frame.pc),
        }
    }
    out.extend(groups.flat_map(|group| &group.frames));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(frames: &[(u64, u64)]) -> Vec<NativeFrame> {
        frames
            .iter()
            .map(|&(pc, sp)| NativeFrame { pc, sp })
            .collect()
    }

    fn group(anchor: u64, frames: &[u64]) -> Group {
        Group {
            anchor,
            frames: frames.to_vec(),
        }
    }

    #[test]
    fn a_run_is_found_by_an_address_in_its_frame() {
        let native = stack(&[(1, 0x100), (50, 0x200), (2, 0x300), (99, 0x400), (3, 0x500)]);
        let groups = [group(0x2f0, &[901, 902]), group(0x480, &[903])];
        // 50 and 99 are eval loops; 99 is in a part of it that is not recognized.
        assert_eq!(
            merge(&native, &groups, |pc| pc == 50),
            [1, 901, 902, 2, 903, 3]
        );
    }

    #[test]
    fn without_addresses_runs_come_in_order() {
        let native = stack(&[(1, 0), (50, 0), (2, 0), (50, 0), (3, 0)]);
        let groups = [group(0x2f0, &[901]), group(0, &[902])];
        assert_eq!(merge(&native, &groups, |pc| pc == 50), [1, 901, 2, 902, 3]);
    }

    #[test]
    fn runs_beyond_a_native_stack_that_was_cut_are_kept() {
        let native = stack(&[(1, 0x100), (50, 0x200)]);
        let groups = [group(0x250, &[901]), group(0x900, &[902])];
        assert_eq!(merge(&native, &groups, |_| false), [1, 901, 902]);
        assert_eq!(merge(&native, &[], |_| true), [1, 50]);
    }
}
