//! Blocks that libc was given, found where libc dies of it: without `libc_free=1`, nobody sees them before.
//!
//! glibc aborts with a message such as `free(): invalid pointer`, or faults where it reads the size of its chunk, 8 bytes before the block.
//! The fault has the address. For an abort it is looked for in what libc's functions keep of it: `free` has it in a register that it saved
//! for its caller and that the functions that it called have saved for it; those have the chunk, 16 bytes before it; and the
//! caller's instruction before the call may say where the argument came from. Old versions print it.
//! It counts only if it is the start of a live block, and if there is no second one. A register of the program's that is passed through
//! does not count: it may hold any block.
//!
//! Source: glibc 2.17 to 2.41, `malloc/malloc.c` (`__libc_free`, `_int_free`, `munmap_chunk`, `malloc_printerr`).

use super::{entry, libc::LIBC_CALLS};
use crate::heap::record_call;
use crate::lifecycle::crash;
use crate::state::modules::{self, ProcessModules};
use crate::state::process::Process;
use crate::state::thread;
use aclsan_os::crash::Crash;
use aclsan_os::safe_copy::{self, CopyOutcome};
use aclsan_rules::api::block::AddressInfo;
use aclsan_unwind::argument::{self, Place};
use aclsan_unwind::frame::{Frame, NativeFrame};
use aclsan_unwind::interrupted::PAST_INSTRUCTION;
use aclsan_unwind::step::StackRange;
use aclsan_unwind::symbolize;
use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// glibc's message about an abort: a length, and text. Null if there is no such variable.
static MESSAGE: AtomicPtr<*const AbortMessage> = AtomicPtr::new(std::ptr::null_mut());

/// glibc's `struct abort_msg_s`.
#[repr(C)]
struct AbortMessage {
    bytes: u32,
    text: [c_char; 0],
}

#[cfg(not(test))]
#[ctor::ctor(unsafe)]
fn init() {
    crash::find_freed_with(on_crash);
    // SAFETY: a pseudo-handle and a terminated name.
    let message = unsafe { ::libc::dlsym(::libc::RTLD_DEFAULT, c"__abort_msg".as_ptr()) };
    MESSAGE.store(message.cast(), Relaxed);
}

/// Bytes of a chunk of glibc's before the memory that it gives out, and where among them its size is.
const CHUNK: u64 = 16;
const SIZE: u64 = 8;
/// In the size: the chunk is a mapping of its own.
const IS_MAPPED: u64 = 2;
/// Most bytes of stack between the signal and the call of `free`.
const MOST_STACK: u64 = 64 * 1024;

/// If the crash is that of a block that libc was given, records that call and returns the block's address.
fn on_crash(crash: &Crash, frames: &[NativeFrame]) -> Option<u64> {
    let process = Process::if_initialized()?;
    let library = modules::at(frames.first()?.pc.wrapping_sub(1))?.range;
    let is_inner = |frame: &&NativeFrame| (library.0..library.1).contains(&frame.pc);
    let inner = frames.iter().take_while(is_inner).count();
    // Without the caller, it is not known how far libc's frames reach.
    frames.get(inner)?;
    let names: Vec<String> = frames[..inner]
        .iter()
        .flat_map(|frame| symbolize::names(frame.pc))
        .filter_map(|named| named.function)
        .collect();
    let has = |part: &str| names.iter().any(|name| name.contains(part));
    let address = match crash.signal {
        ::libc::SIGSEGV if has("free") || has("realloc") => {
            Some(crash.address.wrapping_add(SIZE)).filter(|&at| is_start(process, at))
        }
        ::libc::SIGABRT => aborted(process, crash, &frames[..=inner]),
        _ => None,
    }?;
    let row = &LIBC_CALLS[usize::from(has("realloc"))];
    let [pc, sp, fp, _] = crash.registers;
    let leaf = Frame {
        pc: pc.wrapping_add(PAST_INSTRUCTION),
        sp,
        fp,
    };
    let hook = entry::enter(row, leaf)?.with_own_range(Some(library));
    hook.record(|recorder| {
        recorder.thread.calls_until_sample = 0;
        record_call(recorder, 0, &[address], 0);
    });
    Some(address)
}

/// Whether a live block of memory starts there.
fn is_start(process: &Process, address: u64) -> bool {
    match process.heap.live.place(address) {
        AddressInfo::Live(block, 0) => block.family().is_memory(),
        _ => false,
    }
}

/// The block that libc aborts about. Of `frames`, all but the last are libc's.
fn aborted(process: &Process, crash: &Crash, frames: &[NativeFrame]) -> Option<u64> {
    let message = message()?;
    if !["free()", "munmap_chunk()", "double free"]
        .iter()
        .any(|part| message.contains(part))
    {
        return None;
    }
    if let Some((_, address)) = message.rsplit_once(": 0x") {
        let digits = address.split(|c: char| !c.is_ascii_hexdigit()).next()?;
        let address = u64::from_str_radix(digits, 16).ok()?;
        return is_start(process, address).then_some(address);
    }
    let mut found: Vec<u64> = kept_by_free(crash, frames)
        .into_iter()
        .chain(argument(crash, frames))
        .filter(|&word| is_start(process, word))
        .collect();
    let chunks = stack_words(crash, frames).into_iter();
    let chunks = chunks.chain(crash.preserved).filter(|&word| word != 0);
    let starts = chunks.map(|word| word.wrapping_add(CHUNK));
    found.extend(starts.filter(|&start| is_start(process, start)));
    found.sort_unstable();
    found.dedup();
    match found[..] {
        [one] if would_say(one, &message) => Some(one),
        _ => None,
    }
}

/// The text of the abort.
fn message() -> Option<String> {
    let at = MESSAGE.load(Relaxed);
    if at.is_null() {
        return None;
    }
    // SAFETY: glibc's variable, a pointer.
    let message = unsafe { at.read_volatile() };
    if message.is_null() {
        return None;
    }
    // SAFETY: glibc's structure, whose text it has just written and terminated.
    let text = unsafe { &raw const (*message).text };
    // SAFETY: as above.
    let text = unsafe { CStr::from_ptr(text.cast()) };
    Some(text.to_string_lossy().into_owned())
}

/// Whether glibc would say that of this block: it distinguishes by the word before it.
fn would_say(block: u64, message: &str) -> bool {
    let mut size = [0; 8];
    if safe_copy::read(block - SIZE, &mut size) != CopyOutcome::Done {
        return false;
    }
    let is_mapped = u64::from_le_bytes(size) & IS_MAPPED != 0;
    is_mapped == message.contains("munmap_chunk()")
}

/// The words of the stack from the signal up to the frame that called libc.
fn stack_words(crash: &Crash, frames: &[NativeFrame]) -> Vec<u64> {
    let low = crash.registers[1] & !7;
    let bytes = frames
        .last()
        .map_or(0, |caller| caller.sp.wrapping_sub(low));
    if bytes > MOST_STACK {
        return Vec::new();
    }
    let mut stack = vec![0; bytes as usize];
    match safe_copy::read(low, &mut stack) {
        CopyOutcome::Done => stack
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()))
            .collect(),
        CopyOutcome::Faulted | CopyOutcome::Unsupported => Vec::new(),
    }
}

/// What libc's outermost function had in the registers that it saved for its caller: values of its own.
fn kept_by_free(crash: &Crash, frames: &[NativeFrame]) -> Vec<u64> {
    let Some(own) = frames.len().checked_sub(2) else {
        return Vec::new();
    };
    saved(frames, own)
        .into_iter()
        .filter_map(|(register, _)| register_in(crash, frames, own, register))
        .collect()
}

/// The argument of the call of libc, where the instruction before it says what that was.
fn argument(crash: &Crash, frames: &[NativeFrame]) -> Option<u64> {
    let caller = frames.last()?;
    let mut code = [0; argument::BYTES];
    let at = caller.pc.wrapping_sub(argument::BYTES as u64);
    if safe_copy::read(at, &mut code) != CopyOutcome::Done {
        return None;
    }
    let register = |number: u16| match number {
        STACK_POINTER => Some(caller.sp),
        _ => register_in(crash, frames, frames.len() - 1, number),
    };
    let slot = match argument::first(&code)? {
        Place::Register(number) => return register(number),
        Place::Memory(number, offset) => register(number)?.wrapping_add_signed(offset),
        Place::Variable(offset) => caller.pc.wrapping_add_signed(offset),
    };
    let mut word = [0; 8];
    let is_read = safe_copy::read(slot, &mut word) == CopyOutcome::Done;
    is_read.then(|| u64::from_le_bytes(word))
}

fn saved(frames: &[NativeFrame], at: usize) -> Vec<(u16, i64)> {
    StackRange::new(thread::stack_range()).saved::<ProcessModules>(frames[at].pc)
}

/// A register that calls preserve, as it was in the frame at `at` when that called the next inner one: the outermost function further in
/// that saved it has it.
fn register_in(crash: &Crash, frames: &[NativeFrame], at: usize, register: u16) -> Option<u64> {
    let slot = (0..at).rev().find_map(|inner| {
        let slots = saved(frames, inner).into_iter();
        let mut slots = slots.filter(|(other, _)| *other == register);
        let (_, offset) = slots.next()?;
        Some(frames[inner + 1].sp.wrapping_add_signed(offset))
    });
    match slot {
        Some(slot) => StackRange::new(thread::stack_range()).word(slot),
        None => preserved(crash, register),
    }
}

/// In DWARF.
const STACK_POINTER: u16 = if cfg!(target_arch = "aarch64") { 31 } else { 7 };

/// A register by its number in DWARF, as it was at the signal.
fn preserved(crash: &Crash, register: u16) -> Option<u64> {
    let numbers: &[u16] = match cfg!(target_arch = "aarch64") {
        true => &[19, 20, 21, 22, 23, 24, 25, 26, 27, 28],
        false => &[3, 6, 12, 13, 14, 15],
    };
    let at = numbers.iter().position(|&number| number == register)?;
    Some(crash.preserved[at])
}
