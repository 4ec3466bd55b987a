//! Whether a stopped thread is where it may call `dlopen`: in a system call of libc that neither malloc nor the loader makes, with nothing
//! on its stack that may hold their locks.

use super::module::{Module, Modules, Read, is_libc};
use super::registers;
use super::target::Target;
use super::thread::Stopped;
use super::unwind::{self, Caller};

/// Frames of a stack, at most.
const MAX_FRAMES: usize = 512;
/// Room that loading takes on the thread's stack.
const STACK: u64 = 192 * 1024;

/// Functions that may hold a lock that loading needs, in whatever library: allocators bring their own.
const HOLDERS: [&str; 33] = [
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "cfree",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "valloc",
    "pvalloc",
    "malloc_trim",
    "dlopen",
    "dlmopen",
    "dlsym",
    "dlclose",
    "dl_iterate_phdr",
    "fork",
    "_Fork",
    "exit",
    "quick_exit",
    "pthread_create",
    // They wait for all threads with the lock of the list of stacks, which a library with thread-local variables needs.
    "setuid",
    "setgid",
    "seteuid",
    "setegid",
    "setreuid",
    "setregid",
    "setresuid",
    "setresgid",
    "setgroups",
    "__lll_lock_wait_private",
    "__lll_lock_wait",
];

/// Allocators, whose functions have other names, too; and the shim.
const LIBRARIES: [&str; 6] = [
    "ld-linux",
    "ld-2.",
    "libjemalloc",
    "libtcmalloc",
    "libmimalloc",
    "libaclsan",
];

/// Returns the modules of the process if the thread is at a safe point; else says where it is.
pub fn check<'a>(
    target: &'a Target,
    thread: &Stopped,
    read: &'a mut Read,
) -> Result<Modules<'a>, String> {
    let maps = target.maps().map_err(|error| error.to_string())?;
    let mut modules = Modules::new(&target.memory, &maps, read);
    let regs = &thread.registers;
    let mut frame = registers::frame(regs);
    let around = target.memory.bytes(frame.pc.saturating_sub(4), 8);
    let around = around.unwrap_or_default();
    let is_at_call = around.get(..4).and_then(|before| {
        let around = if cfg!(target_arch = "aarch64") {
            &around[..]
        } else {
            before
        };
        registers::system_call(regs, around)
    });
    match is_at_call {
        None => return Err("it computes".into()),
        Some(call) if !call.is_calm() => return Err("it maps memory or loads a library".into()),
        Some(_) => {}
    }
    let is_in_libc = modules
        .at(frame.pc)
        .is_some_and(|module| is_libc(&module.file) || module.file.starts_with("libpthread"));
    if !is_in_libc {
        return Err("it is in a system call of another library than libc".into());
    }
    let stack = modules.mapping_at(frame.sp).ok_or("it has no stack")?;
    if stack.path != "[stack]" && frame.sp - stack.range.0 < STACK {
        return Err("its stack is nearly full".into());
    }
    let mut pc = frame.pc;
    for _ in 0..MAX_FRAMES {
        let is_anonymous = modules.mapping_at(pc).is_some_and(|at| at.path.is_empty());
        if is_anonymous {
            // Code that was generated at run time, which calls allocators and is called by none.
            return Ok(modules);
        }
        let Some(module) = modules.at(pc) else {
            return Err("its stack leads nowhere".into());
        };
        if let Some(holder) = holder(module, pc) {
            return Err(format!("it is inside `{holder}`"));
        }
        let caller = match module.eh_frame_hdr {
            Some(header) => unwind::caller(&target.memory, header, &frame, pc),
            None => Caller::Unknown,
        };
        match caller {
            Caller::None => return Ok(modules),
            Caller::Is(next) => frame = *next,
            Caller::Unknown => {
                return Err(format!("its stack cannot be read in `{}`", module.file));
            }
        }
        // Inside the call, not behind it.
        pc = frame.pc.wrapping_sub(1);
    }
    Err("its stack has no end".into())
}

fn holder(module: &Module, pc: u64) -> Option<String> {
    let is_such = |name: &&&str| module.file.starts_with(**name);
    if LIBRARIES.iter().find(is_such).is_some() {
        return Some(module.file.clone());
    }
    let mut functions = module.functions_at(pc);
    functions
        .find(|name| HOLDERS.contains(name))
        .map(str::to_owned)
}
