//! Walks the stack of a stopped thread by the unwind tables of its modules, which are read from its memory, one entry at a time.

use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameOffset, LittleEndian, Register, RegisterRule,
    UnwindContext, UnwindSection,
};

use super::memory::Memory;
use super::registers::{Frame, RETURN, SP};

/// Encodings of the table's count and entries, the only ones that linkers write.
const COUNT_IS_U32: u8 = 0x03;
const ENTRIES_ARE_RELATIVE_I32: u8 = 0x3b;
/// Longest entry that is believed.
const MAX_ENTRY: usize = 1 << 16;

/// The caller of a frame.
pub enum Caller {
    /// It.
    Is(Box<Frame>),
    /// There is none: this is where the thread began.
    None,
    /// Not known: no table, or one that needs more than registers. Signal handlers' are such.
    Unknown,
}

/// The caller of `frame`, whose module has its table at `header`; `pc` is an address inside the calling instruction.
pub fn caller(memory: &Memory, header: u64, frame: &Frame, pc: u64) -> Caller {
    step(memory, header, frame, pc).unwrap_or(Caller::Unknown)
}

fn step(memory: &Memory, header: u64, frame: &Frame, pc: u64) -> Option<Caller> {
    let entry = find_entry(memory, header, pc)?;
    let at = entry.wrapping_add(4);
    let cie_pointer = memory.half(at)?;
    let common = at.checked_sub(cie_pointer.into())?;
    let mut bytes = record(memory, common)?;
    let split = bytes.len();
    bytes.extend(record(memory, entry)?);
    // Its common entry is elsewhere in memory, and just before it here.
    bytes[split + 4..split + 8].copy_from_slice(&(split as u32 + 4).to_le_bytes());
    let section = EhFrame::new(&bytes, LittleEndian);
    let bases = BaseAddresses::default().set_eh_frame(entry.wrapping_sub(split as u64));
    let entry = section
        .fde_from_offset(&bases, EhFrameOffset(split), EhFrame::cie_from_offset)
        .ok()?;
    if entry.cie().is_signal_trampoline() {
        return None;
    }
    let mut context = UnwindContext::new();
    let row = entry
        .unwind_info_for_address(&section, &bases, &mut context, pc)
        .ok()?;
    let CfaRule::RegisterAndOffset { register, offset } = row.cfa() else {
        return None;
    };
    let base = match register.0 {
        SP => frame.sp,
        other => frame.saved.get(usize::from(other)).copied().flatten()?,
    };
    let cfa = base.wrapping_add_signed(*offset);
    let value = |number: u16| match row.register(Register(number)) {
        None | Some(RegisterRule::SameValue) => Some(frame.saved[usize::from(number)]),
        Some(RegisterRule::Undefined) => Some(None),
        Some(RegisterRule::Offset(offset)) => {
            Some(Some(memory.word(cfa.wrapping_add_signed(offset))?))
        }
        Some(RegisterRule::ValOffset(offset)) => Some(Some(cfa.wrapping_add_signed(offset))),
        Some(_) => None,
    };
    let pc = match value(RETURN)? {
        None | Some(0) => return Some(Caller::None),
        Some(pc) => pc,
    };
    let mut saved = [None; 32];
    for (number, saved) in saved.iter_mut().enumerate() {
        *saved = value(number as u16)?;
    }
    saved[usize::from(SP)] = Some(cfa);
    // A stack grows towards lower addresses.
    (cfa > frame.sp).then(|| Caller::Is(Box::new(Frame { pc, sp: cfa, saved })))
}

/// The address of the entry that covers `pc`, by the sorted table of `.eh_frame_hdr`.
fn find_entry(memory: &Memory, header: u64, pc: u64) -> Option<u64> {
    let head = memory.bytes(header, 12)?;
    if head[0] != 1 || head[2] != COUNT_IS_U32 || head[3] != ENTRIES_ARE_RELATIVE_I32 {
        return None;
    }
    let count = u32::from_le_bytes(head[8..12].try_into().ok()?);
    let relative =
        |at: u64| Some(header.wrapping_add_signed(memory.half(at)?.cast_signed().into()));
    let start_of = |index: u32| relative(header + 12 + 8 * u64::from(index));
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        match start_of(middle)? <= pc {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    relative(header + 12 + 8 * u64::from(low.checked_sub(1)?) + 4)
}

/// A record of `.eh_frame`, with its length.
fn record(memory: &Memory, at: u64) -> Option<Vec<u8>> {
    let length = memory.half(at)? as usize;
    (length > 4 && length < MAX_ENTRY).then(|| memory.bytes(at, length + 4))?
}
