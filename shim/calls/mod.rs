//! The calls that are interposed: a table per family, a file per table.
//!
//! A row is a C prototype and the function that gives it its behaviour. [`interpose!`] makes of it two exports, the public name and its
//! `*Impl` alias (CANN 8.5 and later call the second through the first; programs that look the first up by handle only pass the second),
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
mod memset;
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

use crate::runtime::ACL_ERROR_API_NOT_SUPPORT;
use crate::runtime::next::Interceptor;
use aclsan_os::stderr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Every table, all exports of each row.
pub(crate) static TABLES: &[&[&[&Interceptor]]] = &[
    device::TABLE,
    host::TABLE,
    dvpp::TABLE,
    copy::TABLE,
    memset::TABLE,
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
/// `= behaviour => slot;` is for a function that the shim calls too: [`crate::runtime::slots`] says which.
/// `= behaviour, symbol;` is for calls outside the runtime's two layers: one export, named `symbol` (a C++ function's is its mangled name,
/// under which our header declares it), no such alias; `, symbol as "call";` if the known call's name is another than the row's.
macro_rules! interpose {
    ($($(#[doc = $doc:literal])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $behaviour:path
        $(=> $slot:ident)? $(, $symbol:ident $(as $call:literal)?)?;)+) => {
        $($(#[doc = $doc])*
        #[allow(non_snake_case)]
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;
            use crate::calls::{Fallback, entry, symbol, warn_missing};
            use crate::runtime::next::Interceptor;

            // "C-unwind": a callback may throw through the runtime, and a thread be cancelled while it waits there.
            pub type Fn = unsafe extern "C-unwind" fn($($ty),*) $(-> $ret)?;
            // The header is the authority: a row that disagrees does not compile.
            const _: unsafe extern "C" fn($($ty),*) $(-> $ret)? = symbol!(declared $name $($symbol)?);

            // So is the table of known calls.
            const NUMBER: u16 = aclsan_rules::functions::number(symbol!(known $name $($symbol $($call)?)?));

            symbol!(slot { $($slot)? } {
                static SLOT: crate::runtime::next::Slot = crate::runtime::next::Slot::new(crate::runtime::next::terminated(concat!(symbol!(named $name $($symbol)?), "\0")));
            });

            pub static ROW: Interceptor = Interceptor::new(symbol!(slot_of $($slot)?), hook as *const (), NUMBER)
                .with_dlsym_hook(&DLSYM_ROW);

            #[cfg_attr(not(test), unsafe(export_name = symbol!(named $name $($symbol)?)))]
            pub unsafe extern "C-unwind" fn hook($($arg: $ty),*) $(-> $ret)? {
                enter(&ROW $(, $arg)*)
            }

            /// For what a program finds by a handle.
            static DLSYM_ROW: Interceptor =
                Interceptor::new(symbol!(slot_of $($slot)?), dlsym_hook as *const (), NUMBER).for_dlsym();

            unsafe extern "C-unwind" fn dlsym_hook($($arg: $ty),*) $(-> $ret)? {
                enter(&DLSYM_ROW $(, $arg)*)
            }

            symbol!(impl_alias { $($symbol)? } {
                static IMPL_SLOT: crate::runtime::next::Slot = crate::runtime::next::Slot::new(crate::runtime::next::terminated(concat!(stringify!($name), "Impl\0")));

                pub static IMPL_ROW: Interceptor =
                    Interceptor::new(&IMPL_SLOT, impl_alias as *const (), NUMBER).for_impl_alias();

                #[cfg_attr(not(test), unsafe(export_name = concat!(stringify!($name), "Impl")))]
                pub unsafe extern "C-unwind" fn impl_alias($($arg: $ty),*) $(-> $ret)? {
                    enter(&IMPL_ROW $(, $arg)*)
                }

                pub static EXPORTS: &[&Interceptor] = &[&ROW, &IMPL_ROW];
            } {
                pub static EXPORTS: &[&Interceptor] = &[&ROW];
            });

            #[allow(clippy::too_many_arguments)] // the header's
            #[inline(always)]
            fn enter(row: &'static Interceptor $(, $arg: $ty)*) $(-> $ret)? {
                let Some(next) = row.next() else {
                    warn_missing(row);
                    return Fallback::unsupported();
                };
                // SAFETY: `next` is the definition that the loader would have called; the header gives its type as `Fn`.
                let next = unsafe { std::mem::transmute::<*const (), Fn>(next) };
                match entry::enter(row, aclsan_unwind::registers::here()) {
                    Some(hook) => $behaviour(&hook, next $(, $arg)*),
                    // SAFETY: the caller's own arguments, unchanged.
                    None => unsafe { next($($arg),*) },
                }
            }
        })+

        /// The family's rows.
        pub static TABLE: &[&[&crate::runtime::next::Interceptor]] = &[$($name::EXPORTS),+];
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
    (slot {} { $($own:tt)* }) => { $($own)* };
    (slot { $slot:ident } { $($own:tt)* }) => {};
    (slot_of) => { &SLOT };
    (slot_of $slot:ident) => { crate::runtime::slots::$slot.slot() };
    (impl_alias {} { $($with:tt)* } { $($without:tt)* }) => { $($with)* };
    (impl_alias { $symbol:ident } { $($with:tt)* } { $($without:tt)* }) => { $($without)* };
}
pub(crate) use symbol;

/// The answer where no runtime defines the call.
pub(crate) trait Fallback {
    /// AscendCL's "not supported", or nothing.
    fn unsupported() -> Self;
}

impl Fallback for i32 {
    fn unsupported() -> Self {
        ACL_ERROR_API_NOT_SUPPORT
    }
}

impl Fallback for u32 {
    fn unsupported() -> Self {
        ACL_ERROR_API_NOT_SUPPORT as u32
    }
}

impl Fallback for u64 {
    fn unsupported() -> Self {
        0
    }
}

impl Fallback for bool {
    fn unsupported() -> Self {
        false
    }
}

impl Fallback for () {
    fn unsupported() -> Self {}
}

impl<T> Fallback for *mut T {
    fn unsupported() -> Self {
        std::ptr::null_mut()
    }
}

/// Calls that are made only where somebody defines them, which is us: callers know what to do without.
const WEAK_SYMBOL: &str = "NnopbaseMatchArgs";

/// Says, once, that no runtime defines a call that was made.
fn warn_missing(row: &Interceptor) {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if row.name() != WEAK_SYMBOL && !WARNED.swap(true, Relaxed) {
        stderr::warning(&format!(
            "`{}` was called, but no loaded library defines it: is the runtime installed?",
            row.name()
        ));
    }
}
