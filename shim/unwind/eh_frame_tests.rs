//! Rules from handmade `.eh_frame` entries.

use crate::eh_frame::{regs, rule, strip_augmentation};
use crate::modules::Module;
use crate::rule::UnwindRule;

/// Offset of the one described function from the table, and its length.
const CODE: u32 = 1 << 20;
const LENGTH: u32 = 64;

/// The rule for a function whose entry contains `instructions`, with `letters` as augmentation.
fn rule_by(letters: &[u8], instructions: &[u8]) -> UnwindRule {
    let is_arm = cfg!(target_arch = "aarch64");
    let header = 20u32;
    let (sp, back) = (regs::SP.0 as u8, regs::RETURN.0 as u8);
    // Version, alignment factors, the return address register, and a byte that makes addresses PC-relative.
    let mut cie = [&[0, 0, 0, 0, 1], letters, &[0, 1, 0x78, back, 1, 0x1b]].concat();
    // The initial state: the caller's stack pointer, and on x86-64 the return address.
    cie.extend(match is_arm {
        true => vec![0x0c, sp, 0],
        false => vec![0x0c, sp, 8, 0x80 | back, 1],
    });
    let entry = |mut body: Vec<u8>| {
        body.resize(body.len().next_multiple_of(4), 0);
        [&(body.len() as u32).to_le_bytes()[..], &body].concat()
    };
    let cie = entry(cie);
    let at = header + cie.len() as u32;
    let words = [at + 4 - header, CODE - (at + 8), LENGTH];
    let mut fde = words.map(u32::to_le_bytes).concat();
    fde.push(0);
    fde.extend(instructions);
    let words = [header - 4, 1, CODE, at];
    let mut bytes = vec![1, 0x1b, 0x03, 0x3b];
    bytes.extend(words.map(u32::to_le_bytes).concat());
    bytes.extend([cie, entry(fde), vec![0; 4]].concat());
    let bytes: &'static [u8] = bytes.leak();
    let start = bytes.as_ptr() as u64;
    let range = (start, start + bytes.len() as u64);
    let module = Module {
        range,
        bias: 0,
        path: String::new(),
        build_id: Vec::new(),
        eh_frame_hdr: Some(&bytes[..header as usize]),
        segments: vec![range],
    };
    rule(&module, start + u64::from(CODE + LENGTH / 2))
}

/// A frame of six words that saved both registers.
fn both_saved() -> [u8; 6] {
    let (fp, back) = (0x80 | regs::FP.0 as u8, 0x80 | regs::RETURN.0 as u8);
    match cfg!(target_arch = "aarch64") {
        true => [0x0e, 48, fp, 6, back, 5],
        false => [0x0e, 48, fp, 2, back, 1],
    }
}

#[test]
fn marks_of_signed_return_addresses_and_tagged_stacks_change_no_rule() {
    let rule = rule_by(b"zR", &both_saved());
    assert_ne!(rule, UnwindRule::Unsupported);
    for letters in [b"zRB", b"zBR", b"zRG"] {
        assert_eq!(rule_by(letters, &both_saved()), rule);
    }
    // An unknown letter may mean anything; `S`, a signal frame, is left to the fallback.
    for letters in [b"zRX", b"zRS"] {
        assert_eq!(rule_by(letters, &both_saved()), UnwindRule::Unsupported);
    }
}

#[test]
fn entries_that_are_cut_off_have_no_marks_to_take_away() {
    let entry = [&[15, 0, 0, 0, 0, 0, 0, 0, 1], &b"zRB\0"[..], &[1; 6]].concat();
    let without = strip_augmentation(&entry);
    assert_eq!(without[9..13], *b"zR\0\x01");
    assert_eq!(without.len(), entry.len());
    assert_eq!(strip_augmentation(&[&entry[..], &[7; 9]].concat()), without);
    for end in 0..entry.len() {
        assert_eq!(strip_augmentation(&entry[..end]), [], "{end}");
    }
}

#[cfg(target_arch = "aarch64")]
#[test]
fn return_addresses_are_found_signed_or_not_and_with_or_without_a_frame_pointer() {
    const SIGNED: u8 = 0x2d;
    let (fp, back) = (0x80 | 29, 0x80 | 30);
    let step = |saved, returned| UnwindRule::offset(false, 6, saved, returned);
    for (instructions, rule) in [
        (vec![0x0e, 48, fp, 6, back, 5], step(6, 5)),
        (vec![SIGNED, 0x0e, 48, fp, 6, back, 5], step(6, 5)),
        (vec![0x0e, 48, back, 6], step(0, 6)),
        (vec![SIGNED, 0x0e, 48, back, 4], step(0, 4)),
        (vec![SIGNED, 0x0e, 48], UnwindRule::Unsupported),
        (
            vec![SIGNED, 0x0e, 48, fp, 2, back, 6],
            UnwindRule::Unsupported,
        ),
    ] {
        assert_eq!(rule_by(b"zR", &instructions), rule);
    }
}
