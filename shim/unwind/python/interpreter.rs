//! The interpreter of this process: its exported functions and its version.

use super::frames::{self, Step, mix};
use super::layout::{self, Layout};
use super::reader::{CheckedReader, UncheckedReader};
use crate::MAX_DEPTH;
use crate::modules;
use aclsan_os::loader::dlerror::DlerrorGuard;
use aclsan_os::loader::dlsym::{dlsym, keep_loaded};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering::*};

/// An interpreter whose frames can be read. What each walk needs comes first.
#[repr(C, align(64))]
pub struct Interpreter {
    /// Its structure offsets.
    pub layout: Layout,
    own_state: unsafe extern "C" fn() -> *mut c_void,
    is_finalizing: unsafe extern "C" fn() -> c_int,
    /// Its own words: `3.11.7`.
    pub version: String,
    /// Its types of code objects, strings and byte strings.
    pub types: [u64; 3],
    is_initialized: unsafe extern "C" fn() -> c_int,
    line: unsafe extern "C" fn(*mut c_void, c_int) -> c_int,
    eval: (u64, u64),
}

const _: () = assert!(std::mem::offset_of!(Interpreter, version) <= 64);

static READER: AtomicPtr<Interpreter> = AtomicPtr::new(std::ptr::null_mut());

/// The interpreter whose frames are read.
#[inline(always)]
pub fn reader() -> Option<&'static Interpreter> {
    // SAFETY: null, or what `read` stored, which is never freed.
    unsafe { READER.load(Acquire).as_ref() }
}

/// Whether an interpreter is read.
#[inline(always)]
pub fn is_read() -> bool {
    reader().is_some()
}

/// Whether the calling thread can have Python frames.
pub fn is_own_thread() -> bool {
    reader().is_some_and(|interpreter| interpreter.state().is_some())
}

/// Starts reading an interpreter whose layout has been validated.
pub fn read(interpreter: &'static Interpreter) {
    READER.store(std::ptr::from_ref(interpreter).cast_mut(), Release);
}

/// A hash of the calling thread's Python frames; 0 without an interpreter.
#[inline(always)]
pub fn hash() -> u64 {
    reader().map_or(0, Interpreter::hash)
}

impl Interpreter {
    /// Finds the loaded interpreter, or the reason why it cannot be read; `None` if there is none.
    pub fn find() -> Option<Result<&'static Self, String>> {
        let (scope, version) = ["", "libpython3"].iter().find_map(|name| {
            let scope = scope(name)?;
            Some((scope, symbol(scope, c"Py_GetVersion")?))
        })?;
        // SAFETY: CPython's function of that name, in all versions; needs neither the GIL nor an initialized
        // interpreter.
        let version = unsafe {
            std::mem::transmute::<*mut c_void, extern "C" fn() -> *const c_char>(version)
        };
        // SAFETY: it returns a static terminated string.
        let version = unsafe { CStr::from_ptr(version()) }
            .to_string_lossy()
            .into_owned();
        Some(Self::of(scope, &version).map(|found| &*Box::leak(Box::new(found))))
    }

    fn of(scope: Scope, text: &str) -> Result<Self, String> {
        let version = text.split(' ').next().unwrap_or_default().to_owned();
        let describe = |what: &str| format!("Python {version} {what}");
        if text.contains("free-threading") {
            return Err(describe(
                "is a free-threaded build, whose frames cannot be read",
            ));
        }
        let minor =
            minor(&version).ok_or_else(|| describe("is not a supported version (3.8 to 3.14)"))?;
        let find = |name: &CStr| {
            symbol(scope, name)
                .ok_or_else(|| describe(&format!("lacks `{}`", name.to_string_lossy())))
        };
        let layout = match layout::known(minor) {
            Some(layout) => layout,
            None => layout::from_debug_offsets(minor, find(c"_PyRuntime")? as u64, &CheckedReader)
                .ok_or_else(|| describe("describes its frames in an unknown format"))?,
        };
        let is_finalizing = find(c"_Py_IsFinalizing").or_else(|_| find(c"Py_IsFinalizing"))?;
        let own_state = find(c"PyGILState_GetThisThreadState")?;
        keep_loaded(own_state.cast_const().cast());
        let types = [
            find(c"PyCode_Type")? as u64,
            find(c"PyUnicode_Type")? as u64,
            find(c"PyBytes_Type")? as u64,
        ];
        let (is_initialized, line) = (find(c"Py_IsInitialized")?, find(c"PyCode_Addr2Line")?);
        let eval = find(c"_PyEval_EvalFrameDefault")
            .map(|eval| function_range(eval as u64))
            .unwrap_or_default();
        Ok(Self {
            // SAFETY: CPython's function: takes no arguments, returns the thread state or null.
            own_state: unsafe {
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *mut c_void>(own_state)
            },
            // SAFETY: CPython's function: takes no arguments, returns a truth value.
            is_finalizing: unsafe {
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(is_finalizing)
            },
            // SAFETY: as above.
            is_initialized: unsafe {
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(is_initialized)
            },
            // SAFETY: CPython's function: takes a code object and an offset, returns a line.
            line: unsafe {
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void, c_int) -> c_int>(
                    line,
                )
            },
            version,
            layout,
            types,
            eval,
        })
    }

    /// The calling thread's state. `None` if it has none, or if the interpreter is finalizing and frees the states of
    /// running threads.
    #[inline(always)]
    pub fn state(&self) -> Option<u64> {
        // SAFETY: reads a variable; needs no GIL.
        if unsafe { (self.is_finalizing)() } != 0 {
            return None;
        }
        // SAFETY: reads a thread-local pointer; needs no GIL, and returns null without an interpreter.
        let state = unsafe { (self.own_state)() };
        (!state.is_null()).then_some(state as u64)
    }

    /// Whether there can be frames at all.
    pub fn is_initialized(&self) -> bool {
        // SAFETY: reads a variable; needs no GIL.
        (unsafe { (self.is_initialized)() }) != 0
    }

    /// The line of an instruction of a code object; 0 if it has none.
    pub fn line(&self, code: u64, at: u64) -> u32 {
        // SAFETY: a frame of this thread holds the code object; the function only reads its line table.
        let line = unsafe { (self.line)(code as *mut c_void, at as c_int) };
        u32::try_from(line).unwrap_or(0)
    }

    /// Whether a return address is in the eval loop.
    pub fn is_eval(&self, pc: u64) -> bool {
        (self.eval.0..self.eval.1).contains(&pc.wrapping_sub(1))
    }

    /// Not inlined into the hook, whose code programs without Python run too.
    #[inline(never)]
    fn hash(&self) -> u64 {
        let Some(state) = self.state() else { return 0 };
        let (mut hash, mut count) = (0u64, 0);
        let walked = frames::walk(&self.layout, &UncheckedReader, state, |step| {
            if let Step::Frame { code, at } = step {
                let Some(identity) = frames::identity(&self.layout, &UncheckedReader, code) else {
                    return false;
                };
                hash = mix(hash, at, identity);
                count += 1;
            }
            count < MAX_DEPTH
        });
        walked.map_or(0, |()| hash)
    }
}

/// Where symbols are looked up.
#[derive(Clone, Copy)]
struct Scope(*mut c_void);

/// The whole program for an empty name, else a privately loaded library with that file name.
fn scope(name: &str) -> Option<Scope> {
    if name.is_empty() {
        return Some(Scope(libc::RTLD_DEFAULT));
    }
    let path = modules::path_of(name)?;
    let _dlerror = DlerrorGuard::new();
    // SAFETY: a terminated name; RTLD_NOLOAD loads nothing and runs no constructor.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    (!handle.is_null()).then_some(Scope(handle))
}

fn symbol(scope: Scope, name: &CStr) -> Option<*mut c_void> {
    let _dlerror = DlerrorGuard::new();
    let found = dlsym(scope.0, name);
    (!found.is_null()).then_some(found)
}

/// Makes dladdr1 return the symbol table entry.
const RTLD_DL_SYMENT: c_int = 1;

/// The address range of the function at `start`, from the symbol table.
fn function_range(start: u64) -> (u64, u64) {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let mut symbol: *mut libc::Elf64_Sym = std::ptr::null_mut();
    // SAFETY: fills both local variables if it knows the address.
    let known = unsafe {
        libc::dladdr1(
            start as *const c_void,
            info.as_mut_ptr(),
            (&raw mut symbol).cast(),
            RTLD_DL_SYMENT,
        )
    };
    if known == 0 || symbol.is_null() {
        return (start, start + 1);
    }
    // SAFETY: the loader's own entry for the symbol, alive as long as the library.
    let size = unsafe { (*symbol).st_size };
    (start, start + size)
}

/// The minor version, 11 for `3.11.7`, if it is a known one.
fn minor(version: &str) -> Option<u8> {
    let mut parts = version.split('.');
    let (major, minor) = (parts.next()?, parts.next()?.parse().ok()?);
    (major == "3" && (8..=14).contains(&minor)).then_some(minor)
}

#[cfg(test)]
mod tests {
    use super::minor;

    #[test]
    fn only_versions_whose_layout_is_known_are_taken() {
        assert_eq!(minor("3.8.18"), Some(8));
        assert_eq!(minor("3.14.0rc2"), Some(14));
        assert_eq!(minor("3.7.16"), None);
        assert_eq!(minor("3.15.0a1"), None);
        assert_eq!(minor("2.7.18"), None);
        assert_eq!(minor("rubbish"), None);
    }
}
