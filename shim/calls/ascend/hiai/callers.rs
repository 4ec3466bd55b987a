//! Tells the program's calls of the Matrix's memory functions from those that the Matrix makes through its own public names.

use crate::state::Callers;
use crate::state::process::Process;
use aclsan_log::CallSiteId;
use aclsan_os::lock::MutexGuard;
use std::ffi::c_void;

/// Names of the Matrix's libraries in its kits; they release for one another.
const MATRIX: [&str; 3] = ["libmatrix", "libhiai", "libengine"];
/// Libraries that may be between a caller and the code it acts for: a thread's entry, a deleter.
const BETWEEN: [&str; 6] = [
    "libstdc++",
    "libc++",
    "libc.",
    "libc-",
    "libpthread",
    "libgcc",
];

/// Whether the call was made by the library that defines the release, or by another of the Matrix's. A call without a visible caller counts
/// as theirs: their threads may jump into the release.
pub fn is_theirs(process: &Process, site: CallSiteId, definition: *const ()) -> bool {
    let known = |callers: &Callers| callers.get(&site).copied();
    if let Some(is_theirs) = known(&callers(process)) {
        return is_theirs;
    }
    let frames = process.log.call_sites.get(site).map(|known| known.frames);
    let is_theirs = are_theirs(&frames.unwrap_or_default(), definition);
    callers(process).insert(site, is_theirs);
    is_theirs
}

fn callers(process: &Process) -> MutexGuard<'_, Callers> {
    let callers = &process.calls.matrix_callers;
    callers.lock()
}

fn are_theirs(frames: &[u64], definition: *const ()) -> bool {
    // A return address may be the first byte after the library's code.
    let libraries = frames
        .iter()
        .map(|frame| library_of(frame.wrapping_sub(1) as *const c_void));
    let is_between = |name: &str| BETWEEN.iter().any(|library| name.starts_with(library));
    let caller = libraries.flatten().find(|(_, name)| !is_between(name));
    caller.is_none_or(|(base, name)| {
        let is_definer = library_of(definition.cast()).is_some_and(|(other, _)| other == base);
        is_definer || MATRIX.iter().any(|library| name.starts_with(library))
    })
}

/// The start of the library that contains `address`, and its file name.
fn library_of(address: *const c_void) -> Option<(usize, String)> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: fills `info`, our own variable, when it knows the address.
    if unsafe { libc::dladdr(address, info.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: filled above.
    let info = unsafe { info.assume_init() };
    // SAFETY: a terminated path, which the loader keeps while the library is loaded.
    let path = unsafe { std::ffi::CStr::from_ptr(info.dli_fname) };
    let path = path.to_string_lossy();
    let name = path.rsplit('/').next().unwrap_or_default();
    Some((info.dli_fbase as usize, name.to_owned()))
}
