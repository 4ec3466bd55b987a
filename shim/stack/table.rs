//! Rules out of `.eh_frame`: the slow path behind [`cache`](super::cache).

use super::rule::Rule;
use crate::modules::Module;
use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EhFrameOffset, EndianSlice, NativeEndian,
    ReaderOffset, Register, RegisterRule, UnwindContext, UnwindContextStorage, UnwindSection,
    UnwindTableRow,
};

type Bytes<'a> = EndianSlice<'a, NativeEndian>;

/// Room for the registers that compilers save, two dozen at most. gimli's own has room for 192, and lays a table of 25 KiB on the stack
/// before it is boxed, twice if nothing is optimised: too much for threads with 64 KiB. What needs more is left to the slow walk.
struct Small;

impl<T: ReaderOffset> UnwindContextStorage<T> for Small {
    type Rules = [(Register, RegisterRule<T>); 32];
    type Stack = Box<[UnwindTableRow<T, Self>; 4]>;
}

type Row = UnwindTableRow<usize, Small>;

#[cfg(target_arch = "x86_64")]
mod number {
    use gimli::{Register, X86_64};
    pub const SP: Register = X86_64::RSP;
    pub const FP: Register = X86_64::RBP;
    pub const RETURN: Register = X86_64::RA;
}
#[cfg(target_arch = "aarch64")]
mod number {
    use gimli::{AArch64, Register};
    pub const SP: Register = AArch64::SP;
    pub const FP: Register = AArch64::X29;
    pub const RETURN: Register = AArch64::X30;
}

/// The rule at `pc` in `module`; [`Rule::Beyond`] when its unwind information has none that fits.
pub fn rule(module: &Module, pc: u64) -> Rule {
    lookup(module, pc, convert).unwrap_or(Rule::Beyond)
}

/// Where registers were saved by the frame at `pc` in `module`, in bytes from the caller's stack pointer.
pub fn saved(module: &Module, pc: u64) -> Vec<i64> {
    let offset = |(_, rule): &(Register, RegisterRule<usize>)| match rule {
        RegisterRule::Offset(offset) => Some(*offset),
        _ => None,
    };
    lookup(module, pc, |row| {
        row.registers().filter_map(offset).collect()
    })
    .unwrap_or_default()
}

/// Reads the row at `pc`; `None` when there is none, or it is of a signal's frame.
fn lookup<T>(module: &Module, pc: u64, read: impl FnOnce(&Row) -> T) -> Option<T> {
    let header_bytes = module.eh_frame_hdr?;
    let at = header_bytes.as_ptr() as u64;
    let bases = BaseAddresses::default().set_eh_frame_hdr(at);
    let header = EhFrameHdr::from(Bytes::new(header_bytes, NativeEndian))
        .parse(&bases, 8)
        .ok()?;
    let gimli::Pointer::Direct(frames_at) = header.eh_frame_ptr() else {
        return None;
    };
    let bytes = module.readable_from(frames_at)?;
    let frames = EhFrame::from(Bytes::new(bytes, NativeEndian));
    let bases = bases.set_eh_frame(frames_at);
    // More entries than bytes are a lie, which gimli 0.34 multiplies past the end of all numbers.
    let table = header.table()?;
    if table.iter(&bases).size_hint().0 > header_bytes.len() {
        return None;
    }
    // Not `fde_for_address`: for an entry before the frames, gimli 0.34 subtracts past zero.
    let gimli::Pointer::Direct(at) = table.lookup(pc, &bases).ok()? else {
        return None;
    };
    let offset = EhFrameOffset(usize::try_from(at.checked_sub(frames_at)?).ok()?);
    let entry = frames
        .fde_from_offset(&bases, offset, EhFrame::cie_from_offset)
        .ok()
        .filter(|entry| entry.contains(pc))?;
    let mut context = UnwindContext::<usize, Small>::new_in();
    let row = entry
        .unwind_info_for_address(&frames, &bases, &mut context, pc)
        .ok()?;
    // A signal's frame is left by sigreturn, not by a return: leave it to the slow walk.
    (!entry.is_signal_trampoline()).then(|| read(row))
}

fn convert(row: &Row) -> Rule {
    if row.register(number::RETURN) == Some(RegisterRule::Undefined) {
        return Rule::End;
    }
    let &CfaRule::RegisterAndOffset { register, offset } = row.cfa() else {
        return Rule::Beyond;
    };
    if register != number::SP && register != number::FP {
        return Rule::Beyond;
    }
    let saved = match row.register(number::FP) {
        None | Some(RegisterRule::Undefined | RegisterRule::SameValue) => Some(0),
        Some(RegisterRule::Offset(offset)) => offset.checked_neg().and_then(words),
        _ => None,
    };
    match (words(offset), saved) {
        (Some(reach), Some(saved)) if returns_as_expected(row, saved) => {
            Rule::step(register == number::FP, reach, saved)
        }
        _ => Rule::Beyond,
    }
}

/// Whether the return address lies where [`Rule::Step`] takes it from.
fn returns_as_expected(row: &Row, saved: u64) -> bool {
    let Some(RegisterRule::Offset(offset)) = row.register(number::RETURN) else {
        return false;
    };
    if cfg!(target_arch = "x86_64") {
        offset == -8
    } else {
        saved > 0 && offset == 8 - 8 * saved as i64
    }
}

fn words(bytes: i64) -> Option<u64> {
    (bytes >= 0 && bytes % 8 == 0).then_some(bytes as u64 / 8)
}
