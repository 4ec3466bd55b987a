//! Computes unwind rules from `.eh_frame`: the slow path of [`rule_cache`](crate::rule_cache).

use crate::modules::Module;
use crate::rule::UnwindRule;
use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EhFrameOffset, EndianSlice, NativeEndian,
    ReaderOffset, Register, RegisterRule, UnwindContext, UnwindContextStorage, UnwindSection,
    UnwindTableRow,
};
use std::cell::OnceCell;

/// Code in memory with its unwind table: a loaded module, or bytes that a test or a fuzz target provides.
pub trait Image {
    /// `.eh_frame_hdr`.
    fn eh_frame_hdr(&self) -> Option<&[u8]>;
    /// The bytes from `address` to the end of what is readable there; `None` if nothing is.
    fn readable_from(&self, address: u64) -> Option<&[u8]>;
}

impl Image for Module {
    fn eh_frame_hdr(&self) -> Option<&[u8]> {
        self.eh_frame_hdr
    }

    fn readable_from(&self, address: u64) -> Option<&[u8]> {
        Module::readable_from(self, address)
    }
}

type Bytes<'a> = EndianSlice<'a, NativeEndian>;

/// Storage for the registers that compilers save, two dozen at most. gimli's own holds 192 and builds a table of 25 KiB
/// on the stack before boxing it, twice without optimization: too much for threads with 64 KiB. What needs more is left
/// to the fallback.
struct SmallStorage;

impl<T: ReaderOffset> UnwindContextStorage<T> for SmallStorage {
    type Rules = [(Register, RegisterRule<T>); 32];
    type Stack = Box<[UnwindTableRow<T, Self>; 4]>;
}

type Row = UnwindTableRow<usize, SmallStorage>;

#[cfg(target_arch = "x86_64")]
pub mod regs {
    use gimli::{Register, Vendor, X86_64};
    pub const VENDOR: Vendor = Vendor::Default;
    pub const SP: Register = X86_64::RSP;
    pub const FP: Register = X86_64::RBP;
    pub const RETURN: Register = X86_64::RA;
}
#[cfg(target_arch = "aarch64")]
pub mod regs {
    use gimli::{AArch64, Register, Vendor};
    /// Code that signs its return addresses says so in an instruction of Arm's, whose number other vendors use for
    /// something else.
    pub const VENDOR: Vendor = Vendor::AArch64;
    pub const SP: Register = AArch64::SP;
    pub const FP: Register = AArch64::X29;
    pub const RETURN: Register = AArch64::X30;
}

/// The rule at `pc` in `image`; [`UnwindRule::Unsupported`] if its unwind table has none that fits.
pub fn rule(image: &impl Image, pc: u64) -> UnwindRule {
    lookup(image, pc, convert).unwrap_or(UnwindRule::Unsupported)
}

/// Which registers the frame at `pc` in `image` saved, by their numbers in DWARF, and where, in bytes from the caller's stack pointer.
pub fn saved(image: &impl Image, pc: u64) -> Vec<(u16, i64)> {
    let offset = |(register, rule): &(Register, RegisterRule<usize>)| match rule {
        RegisterRule::Offset(offset) => Some((register.0, *offset)),
        _ => None,
    };
    lookup(image, pc, |row| {
        row.registers().filter_map(offset).collect()
    })
    .unwrap_or_default()
}

/// Reads the table row at `pc`; `None` if there is none, or if it belongs to a signal frame.
fn lookup<T>(image: &impl Image, pc: u64, read: impl FnOnce(&Row) -> T) -> Option<T> {
    let header_bytes = image.eh_frame_hdr()?;
    let at = header_bytes.as_ptr() as u64;
    let bases = BaseAddresses::default().set_eh_frame_hdr(at);
    let header = EhFrameHdr::from(Bytes::new(header_bytes, NativeEndian))
        .parse(&bases, 8)
        .ok()?;
    let gimli::Pointer::Direct(frames_at) = header.eh_frame_ptr() else {
        return None;
    };
    let bytes = image.readable_from(frames_at)?;
    let stripped_cie = OnceCell::new();
    let frames = frames(bytes);
    let bases = bases.set_eh_frame(frames_at);
    // More entries than bytes cannot be; gimli 0.34 overflows when it multiplies them.
    let table = header.table()?;
    if table.iter(&bases).size_hint().0 > header_bytes.len() {
        return None;
    }
    // Not `fde_for_address`: for an entry before the frames gimli 0.34 underflows.
    let gimli::Pointer::Direct(at) = table.lookup(pc, &bases).ok()? else {
        return None;
    };
    let offset = EhFrameOffset(usize::try_from(at.checked_sub(frames_at)?).ok()?);
    let entry = frames
        .fde_from_offset(&bases, offset, |frames, bases, at| {
            let cie = frames.cie_from_offset(bases, at);
            cie.or_else(|error| {
                let rest = bytes.get(at.0..).unwrap_or_default();
                let without = stripped_cie.get_or_init(|| strip_augmentation(rest));
                let frames = self::frames(without);
                frames
                    .cie_from_offset(bases, EhFrameOffset(0))
                    .or(Err(error))
            })
        })
        .ok()
        .filter(|entry| entry.contains(pc))?;
    let mut context = UnwindContext::<usize, SmallStorage>::new_in();
    let row = entry
        .unwind_info_for_address(&frames, &bases, &mut context, pc)
        .ok()?;
    // A signal frame is left by sigreturn, not by a return: leave it to the fallback.
    (!entry.is_signal_trampoline()).then(|| read(row))
}

fn frames(bytes: &[u8]) -> EhFrame<Bytes<'_>> {
    let mut frames = EhFrame::from(Bytes::new(bytes, NativeEndian));
    frames.set_vendor(regs::VENDOR);
    frames
}

/// The entry that `bytes` begin with, without two letters of its augmentation that gimli 0.34 rejects and that carry no
/// data: `B`, return addresses are signed with the second key, and `G`, the stack is tagged. Empty if it has neither.
pub fn strip_augmentation(bytes: &[u8]) -> Vec<u8> {
    /// Offset of the augmentation: after the length, a 0 that marks a CIE, and the version.
    const START: usize = 4 + 4 + 1;
    let without = || {
        let length = u32::from_ne_bytes(*bytes.first_chunk()?) as usize;
        let entry = bytes.get(..length.checked_add(4)?)?;
        let (head, rest) = entry.split_at_checked(START)?;
        let end = rest.iter().position(|&letter| letter == 0)?;
        let (letters, rest) = rest.split_at(end);
        let mut without = head.to_vec();
        without.extend(letters.iter().filter(|letter| !b"BG".contains(letter)));
        without.extend(rest);
        let is_changed = without.len() < entry.len();
        without.resize(entry.len(), 0); // DW_CFA_nop.
        is_changed.then_some(without)
    };
    without().unwrap_or_default()
}

fn convert(row: &Row) -> UnwindRule {
    if row.register(regs::RETURN) == Some(RegisterRule::Undefined) {
        return UnwindRule::End;
    }
    let &CfaRule::RegisterAndOffset { register, offset } = row.cfa() else {
        return UnwindRule::Unsupported;
    };
    if register != regs::SP && register != regs::FP {
        return UnwindRule::Unsupported;
    }
    let below = |offset: i64| offset.checked_neg().and_then(words);
    let saved = match row.register(regs::FP) {
        None | Some(RegisterRule::Undefined | RegisterRule::SameValue) => Some(0),
        Some(RegisterRule::Offset(offset)) => below(offset),
        _ => None,
    };
    let returned = match row.register(regs::RETURN) {
        Some(RegisterRule::Offset(offset)) => below(offset),
        _ => None,
    };
    match (words(offset), saved, returned) {
        (Some(reach), Some(saved), Some(returned)) => {
            UnwindRule::offset(register == regs::FP, reach, saved, returned)
        }
        _ => UnwindRule::Unsupported,
    }
}

fn words(bytes: i64) -> Option<u64> {
    (bytes >= 0 && bytes % 8 == 0).then_some(bytes as u64 / 8)
}
