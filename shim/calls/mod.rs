//! The calls that are interposed: a table per family, a file per table.
//!
//! A row is a C prototype and the function that gives it its behaviour. [`interpose!`] makes of it two exports, the public name and its
//! `*Impl` twin (CANN 8.5 and later call the second through the first; programs that look the first up by handle only pass the second),
//! the search for the next definition of each, and an entry for [`loader`], which answers `dlsym` with our exports. A row that
//! disagrees with the header does not compile.

mod aclnn;
mod aclop;
pub mod annotations;
mod batch;
mod capture;
mod collective;
mod copy;
mod data_buffer;
mod device;
mod device_values;
mod dvpp;
pub mod entry;
mod exception;
pub(crate) mod fenced;
mod hiai;
mod host;
mod indirect_copy;
mod ipc;
mod kernel;
mod libc;
mod lifecycle;
mod loader;
mod managed;
mod mbuf;
mod media;
mod model;
mod notify;
mod pool;
mod registration;
mod runtime;
mod stream;
mod stream_allocator;
mod tensor;
mod video_blocks;
mod virtual_memory;

use crate::next::{Foreign, Interposed};
use crate::own_copy::{self, Copied};
use crate::uncancelled::Uncancelled;
use crate::{abi, say};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub use abi::ACL_DEVICE;
pub use loader::dlopen::ASKED;

const ACL_ERROR_API_NOT_SUPPORT: i32 = 200_001;

/// Every table, all exports of each row.
pub(crate) static TABLES: &[&[&[&Interposed]]] = &[
    device::TABLE,
    host::TABLE,
    dvpp::TABLE,
    copy::TABLE,
    lifecycle::TABLE,
    stream::TABLE,
    exception::TABLE,
    virtual_memory::TABLE,
    media::TABLE,
    video_blocks::TABLE,
    hiai::TABLE,
    runtime::TABLE,
    kernel::TABLE,
    data_buffer::TABLE,
    aclop::TABLE,
    model::TABLE,
    tensor::TABLE,
    aclnn::TABLE,
    collective::TABLE,
    pool::TABLE,
    batch::TABLE,
    indirect_copy::TABLE,
    device_values::TABLE,
    mbuf::TABLE,
    notify::TABLE,
    stream_allocator::TABLE,
    capture::TABLE,
    ipc::TABLE,
    registration::TABLE,
    managed::TABLE,
];

/// Makes a family's hooks. `fn name(arguments) -> result = behaviour;` hands each call to
/// `behaviour(&hook, next, arguments)`, where `next` is the definition behind ours; calls from inside a hook go straight to it.
/// `= behaviour, symbol;` is for calls outside the runtime's two layers: one export, named `symbol` (a C++ function's is its mangled name,
/// under which our header declares it), no twin; `, symbol as "call";` if the known call's name is another than the row's.
macro_rules! interpose {
    ($($(#[doc = $doc:literal])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $behaviour:path
        $(, $symbol:ident $(as $call:literal)?)?;)+) => {
        $($(#[doc = $doc])*
        #[allow(non_snake_case)]
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;
            use crate::calls::{Answer, entry, missing, symbol};
            use crate::next::Interposed;

            // "C-unwind": a callback may throw through the runtime, and a thread be cancelled while it waits there.
            pub type Fn = unsafe extern "C-unwind" fn($($ty),*) $(-> $ret)?;
            // The header is the authority: a row that disagrees does not compile.
            const _: unsafe extern "C" fn($($ty),*) $(-> $ret)? = symbol!(declared $name $($symbol)?);

            // So is the table of known calls.
            const NUMBER: u16 = aclsan_rules::functions::number(symbol!(known $name $($symbol $($call)?)?));

            pub static ROW: Interposed = Interposed::new(
                concat!(symbol!(named $name $($symbol)?), "\0"), hook as *const (), NUMBER)
                .with_private(&PRIVATE);

            #[cfg_attr(not(test), unsafe(export_name = symbol!(named $name $($symbol)?)))]
            pub unsafe extern "C-unwind" fn hook($($arg: $ty),*) $(-> $ret)? {
                enter(&ROW $(, $arg)*)
            }

            /// For what a program finds by a handle.
            static PRIVATE: Interposed = Interposed::new(
                concat!(symbol!(named $name $($symbol)?), "\0"), private as *const (), NUMBER);

            unsafe extern "C-unwind" fn private($($arg: $ty),*) $(-> $ret)? {
                enter(&PRIVATE $(, $arg)*)
            }

            symbol!(twin { $($symbol)? } {
                pub static TWIN: Interposed = Interposed::new(
                    concat!(stringify!($name), "Impl\0"), twin as *const (), NUMBER);

                #[cfg_attr(not(test), unsafe(export_name = concat!(stringify!($name), "Impl")))]
                pub unsafe extern "C-unwind" fn twin($($arg: $ty),*) $(-> $ret)? {
                    enter(&TWIN $(, $arg)*)
                }

                pub static EXPORTS: &[&Interposed] = &[&ROW, &TWIN];
            } {
                pub static EXPORTS: &[&Interposed] = &[&ROW];
            });

            #[allow(clippy::too_many_arguments)] // the header's
            #[inline(always)]
            fn enter(row: &'static Interposed $(, $arg: $ty)*) $(-> $ret)? {
                let Some(next) = row.next() else {
                    missing(row);
                    return Answer::not_supported();
                };
                // SAFETY: `next` is the definition that the loader would have called; the header gives its type as `Fn`.
                let next = unsafe { std::mem::transmute::<*const (), Fn>(next) };
                match entry::enter(row, crate::stack::registers::here()) {
                    Some(hook) => $behaviour(&hook, next $(, $arg)*),
                    // SAFETY: the caller's own arguments, unchanged.
                    None => unsafe { next($($arg),*) },
                }
            }
        })+

        /// The family's rows.
        pub static TABLE: &[&[&crate::next::Interposed]] = &[$($name::EXPORTS),+];
    };
}
pub(crate) use interpose;

/// What a row of [`interpose!`] has by itself, and what by the symbol that it names.
macro_rules! symbol {
    (declared $name:ident) => { crate::abi::$name };
    (declared $name:ident $symbol:ident) => { crate::abi::$symbol };
    (known $name:ident $($symbol:ident)?) => { stringify!($name) };
    (known $name:ident $symbol:ident $call:literal) => { $call };
    (named $name:ident) => { stringify!($name) };
    (named $name:ident $symbol:ident) => { stringify!($symbol) };
    (twin {} { $($with:tt)* } { $($without:tt)* }) => { $($with)* };
    (twin { $symbol:ident } { $($with:tt)* } { $($without:tt)* }) => { $($without)* };
}
pub(crate) use symbol;

/// The answer where no runtime defines the call.
pub(crate) trait Answer {
    /// AscendCL's "not supported", or nothing.
    fn not_supported() -> Self;
}

impl Answer for i32 {
    fn not_supported() -> Self {
        ACL_ERROR_API_NOT_SUPPORT
    }
}

impl Answer for u32 {
    fn not_supported() -> Self {
        ACL_ERROR_API_NOT_SUPPORT as u32
    }
}

impl Answer for u64 {
    fn not_supported() -> Self {
        0
    }
}

impl Answer for bool {
    fn not_supported() -> Self {
        false
    }
}

impl Answer for () {
    fn not_supported() -> Self {}
}

impl<T> Answer for *mut T {
    fn not_supported() -> Self {
        std::ptr::null_mut()
    }
}

/// Calls that are made only where somebody defines them, which is us: callers know what to do without.
const WEAK: &str = "NnopbaseMatchArgs";

/// Says, once, that no runtime defines a call that was made.
fn missing(row: &Interposed) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if row.name() != WEAK && !SAID.swap(true, Relaxed) {
        say::warning(&format!(
            "`{}` was called, but no loaded library defines it: is the runtime installed?",
            row.name()
        ));
    }
}

/// Writes `bytes` to a block's memory, by the runtime's own copy unless it is host memory; `false` if the runtime would not.
pub fn copy_to(is_host: bool, to: *mut c_void, bytes: &[u8]) -> bool {
    if is_host {
        let copied = own_copy::write(to as u64, bytes);
        if copied == Copied::Unknown {
            // SAFETY: pinned memory that the runtime gave out for at least this many bytes: guard::plan asked for them.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len()) };
        }
        return copied != Copied::Not;
    }
    copy(
        to,
        bytes.as_ptr().cast(),
        bytes.len(),
        abi::ACL_MEMCPY_HOST_TO_DEVICE,
    )
}

/// Reads a block's memory, as [`copy_to`] writes it.
pub fn copy_from(is_host: bool, from: *const c_void, bytes: &mut [u8]) -> bool {
    if is_host {
        let copied = own_copy::read(from as u64, bytes);
        if copied == Copied::Unknown {
            // SAFETY: pinned memory of a block that is still live, for as many bytes as `copy_to` wrote.
            unsafe { std::ptr::copy_nonoverlapping(from.cast(), bytes.as_mut_ptr(), bytes.len()) };
        }
        return copied != Copied::Not;
    }
    copy(
        bytes.as_mut_ptr().cast(),
        from,
        bytes.len(),
        abi::ACL_MEMCPY_DEVICE_TO_HOST,
    )
}

fn copy(to: *mut c_void, from: *const c_void, bytes: usize, kind: abi::aclrtMemcpyKind) -> bool {
    let _uncancelled = Uncancelled::enter();
    if crate::capture::forbids_copies() {
        return false;
    }
    let Some(next) = copy::aclrtMemcpy::ROW.next() else {
        return false;
    };
    // SAFETY: the next definition of aclrtMemcpy, whose type the header gives.
    let next = unsafe { std::mem::transmute::<*const (), copy::aclrtMemcpy::Fn>(next) };
    // SAFETY: one end is ours, the other lies in a live block; the runtime checks what it can.
    unsafe { next(to, bytes, from, bytes, kind) == 0 }
}

/// Whether a release by the call of that name may be made later, by [`release_later`]: it waits for nothing and asks for no context.
pub fn can_release_later(name: &str) -> bool {
    later(name).is_some()
}

fn later(name: &str) -> Option<&'static Interposed> {
    match name {
        "aclrtFree" => Some(&device::aclrtFree::ROW),
        "aclrtFreeHost" => Some(&host::aclrtFreeHost::ROW),
        "acldvppFree" => Some(&dvpp::acldvppFree::ROW),
        "hi_mpi_dvpp_free" => Some(&dvpp::hi_mpi_dvpp_free::ROW),
        _ => None,
    }
}

/// Releases the block at `address`, as the program asked for earlier by the call of that name.
pub fn release_later(name: &str, address: u64) -> i32 {
    let _uncancelled = Uncancelled::enter();
    let Some(next) = later(name).and_then(Interposed::next) else {
        return ACL_ERROR_API_NOT_SUPPORT;
    };
    // SAFETY: the next definition of a release, all of which have this type by the headers.
    let next = unsafe { std::mem::transmute::<*const (), device::aclrtFree::Fn>(next) };
    // SAFETY: a block that the runtime gave out, that the program has released, and that nobody else releases: it was taken out of the
    // quarantine.
    crate::front::release(address as *mut c_void, |start| unsafe { next(start) })
}

/// `aclrtGetSocName`, if the runtime has it; may be null.
pub fn soc_name() -> Option<*const std::ffi::c_char> {
    let _uncancelled = Uncancelled::enter();
    static SOC_NAME: Foreign = Foreign::new(c"aclrtGetSocName");
    let function = SOC_NAME.find()?;
    // SAFETY: the runtime's own definition, of this type by the header.
    let function = unsafe {
        std::mem::transmute::<*const (), unsafe extern "C" fn() -> *const std::ffi::c_char>(
            function,
        )
    };
    // SAFETY: takes nothing, returns a string that the runtime keeps.
    Some(unsafe { function() })
}

/// `aclrtGetRunMode`, if the runtime has it and answers.
pub fn run_mode() -> Option<abi::aclrtRunMode> {
    let _uncancelled = Uncancelled::enter();
    let next = lifecycle::aclrtGetRunMode::ROW.next()?;
    // SAFETY: the next definition of aclrtGetRunMode, whose type the header gives.
    let next = unsafe { std::mem::transmute::<*const (), lifecycle::aclrtGetRunMode::Fn>(next) };
    let mut mode = 0;
    // SAFETY: writes into our own variable.
    (unsafe { next(&mut mode) } == 0).then_some(mode)
}

/// `aclrtMemGetAddressRange`: bytes of the block that starts at `address`; 0 where the runtime has no such call. Only for an address that it
/// has just given out: a question that fails would leave an error message behind, so after one failure it is not asked again.
pub fn address_range(address: *mut c_void) -> u64 {
    let _uncancelled = Uncancelled::enter();
    static FAILED: AtomicBool = AtomicBool::new(false);
    let Some(next) = managed::aclrtMemGetAddressRange::ROW.next() else {
        return 0;
    };
    if FAILED.load(Relaxed) {
        return 0;
    }
    // SAFETY: the next definition of aclrtMemGetAddressRange, whose type the header gives.
    let next =
        unsafe { std::mem::transmute::<*const (), managed::aclrtMemGetAddressRange::Fn>(next) };
    let (mut base, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: writes into our own variables.
    let status = unsafe { next(address, &mut base, &mut size) };
    FAILED.fetch_or(status != 0, Relaxed);
    if status == 0 && base == address {
        size as u64
    } else {
        0
    }
}

/// `aclrtGetDevice`: the calling thread's device, if it has one.
pub fn current_device() -> Option<i32> {
    let _uncancelled = Uncancelled::enter();
    static GET_DEVICE: Foreign = Foreign::new(c"aclrtGetDevice");
    let function = GET_DEVICE.find()?;
    // SAFETY: the runtime's own definition, of this type by the header.
    let function = unsafe {
        std::mem::transmute::<*const (), unsafe extern "C" fn(*mut i32) -> i32>(function)
    };
    let mut device = -1;
    // SAFETY: writes into our own variable.
    (unsafe { function(&mut device) } == 0).then_some(device)
}
