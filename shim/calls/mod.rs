//! The hooked calls: a folder per vendor, a table per family, a file per table; and what no vendor has of its own.
//!
//! A row is a C prototype and what the hook does with a call: an action, mostly one of [`actions`], and what it is given. From it,
//! [`interpose!`] generates two exports, the public name and its `*Impl` alias (since CANN 8.5 the first calls the second; a program that
//! looks up the first by handle reaches only the second), the lookup of the next definition of each, and an entry for [`loader`], which
//! answers `dlsym` with our exports. A row that disagrees with the header does not compile.

mod actions;
pub mod annotations;
mod ascend;
mod attach;
pub mod entry;
mod host_access;
mod libc;
mod libc_abort;
mod loader;

use crate::runtime::next::Interceptor;
use aclsan_os::stderr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub(crate) use ascend::{PREFIXES, TABLES};

/// Generates the hooks of a family. `fn name(arguments) -> result = action [values] (more);` passes each call to
/// `action(&hook, forward, values, more)`; calls from inside a hook go straight to the next definition.
///
/// * `forward()` calls the next definition with the caller's arguments. With `with argument` at the end of the row, it takes another value
///   for that argument.
/// * `[values]`, if any, is a closure: the values of the call in the log, each a [`Word`](actions::Word); what the runtime writes is
///   `out(pointer)`.
/// * `knowing definition` names the address of the next definition, for `more`.
/// * `=> slot` is for a function that the shim calls too, listed in [`crate::runtime::slots`].
/// * `, symbol` is for calls outside the two layers of the runtime: a single export of that name (for C++ the mangled name, under which our
///   header declares it) without an alias; `as "call"` follows if the known call has another name than the row.
macro_rules! interpose {
    ($($(#[doc = $doc:literal])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?
        = $($action:ident)::+ $([$($value:expr),*])? $(($($more:expr),* $(,)?))? $(with $changed:ident)? $(knowing $definition:ident)?
        $(=> $slot:ident)? $(, $symbol:ident $(as $call:literal)?)?;)+) => {
        $($(#[doc = $doc])*
        #[allow(non_snake_case)]
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;
            use crate::calls::{Fallback, entry, symbol, warn_missing};
            use crate::runtime::next::Interceptor;

            // "C-unwind": a callback may throw through the runtime, and a thread may be cancelled while it waits there.
            pub type Fn = unsafe extern "C-unwind" fn($($ty),*) $(-> $ret)?;
            // The header is the authority: a row that disagrees does not compile.
            const _: unsafe extern "C" fn($($ty),*) $(-> $ret)? = symbol!(declared $name $($symbol)?);

            // Nor does one that the table of known calls lacks.
            const NUMBER: u16 = aclsan_rules::api::functions::number(symbol!(known $name $($symbol $($call)?)?));

            symbol!(slot { $($slot)? } {
                static SLOT: crate::runtime::next::Slot = crate::runtime::next::Slot::new(crate::runtime::next::terminated(concat!(symbol!(named $name $($symbol)?), "\0")));
            });

            pub static ROW: Interceptor = Interceptor::new(symbol!(slot_of $($slot)?), hook as *const (), NUMBER)
                .with_dlsym_hook(&DLSYM_ROW);

            #[cfg_attr(not(test), unsafe(export_name = symbol!(named $name $($symbol)?)))]
            pub unsafe extern "C-unwind" fn hook($($arg: $ty),*) $(-> $ret)? {
                enter(&ROW $(, $arg)*)
            }

            /// Reached through pointers that a program looked up by handle.
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

            #[allow(clippy::too_many_arguments, unused_variables)] // the header's
            #[inline(always)]
            fn enter(row: &'static Interceptor $(, $arg: $ty)*) $(-> $ret)? {
                let Some(next) = row.next() else {
                    warn_missing(row);
                    return Fallback::unsupported();
                };
                $(let $definition = next;)?
                // SAFETY: `next` is the definition that the loader would have called without us; the header gives its type as `Fn`.
                let next = unsafe { std::mem::transmute::<*const (), Fn>(next) };
                // SAFETY: the caller's own arguments, but for one that the row names: a larger size, the start that the runtime knows.
                let forward = move |$($changed)?| unsafe { next($($arg),*) };
                match entry::enter(row, aclsan_unwind::registers::here()) {
                    Some(hook) => $($action)::+(
                        &hook, forward
                        $(, move |done: bool| [$(crate::calls::actions::Word::word($value, done)),*])?
                        $($(, $more)*)?
                    ),
                    None => forward($($changed)?),
                }
            }
        })+

        /// The rows of the family.
        pub static TABLE: &[&[&crate::runtime::next::Interceptor]] = &[$($name::EXPORTS),+];
    };
}
pub(crate) use interpose;

/// Parts of a row of [`interpose!`] that depend on whether it names a symbol.
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

/// The result of a call that no runtime defines.
pub(crate) trait Fallback {
    /// The vendor's "not supported", or zero where the type has no error.
    fn unsupported() -> Self;
}

impl Fallback for i32 {
    fn unsupported() -> Self {
        ascend::NOT_SUPPORTED
    }
}

impl Fallback for u32 {
    fn unsupported() -> Self {
        ascend::NOT_SUPPORTED as u32
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

/// Warns, once, that no runtime defines a call that was made.
fn warn_missing(row: &Interceptor) {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if !ascend::WEAK.contains(&row.name()) && !WARNED.swap(true, Relaxed) {
        stderr::warning(&format!(
            "`{}` was called, but no loaded library defines it: is the runtime installed?",
            row.name()
        ));
    }
}
