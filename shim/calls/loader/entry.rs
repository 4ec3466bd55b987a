//! The functions that calls are redirected to after an attach, by name.

use super::dladdr::{dladdr_entry, dladdr1_entry};
use super::dlopen::dlclose_entry;
use super::naked_entries::{dlopen_entry, dlsym_entry, dlvsym_entry};
use super::row;
use crate::runtime::next::Interceptor;
use aclsan_os::loader::elf;

/// The other end of a redirected call.
#[derive(Clone, Copy)]
pub enum Entry {
    /// A hook of AscendCL.
    Row(&'static Interceptor),
    /// A function of the loader, by its name.
    Loader(&'static str),
}

/// The loader's functions that we answer.
const LOADER: [&str; 6] = ["dlsym", "dlvsym", "dlopen", "dlclose", "dladdr", "dladdr1"];

/// What calls of `symbol` are redirected to; `None` if we do not hook it.
pub fn entry(symbol: &[u8]) -> Option<Entry> {
    let of_loader = || LOADER.iter().find(|name| name.as_bytes() == symbol);
    match symbol.starts_with(b"dl") {
        true => of_loader().map(|name| Entry::Loader(name)),
        false => row(symbol).map(Entry::Row),
    }
}

impl Entry {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Row(row) => row.name(),
            Self::Loader(name) => name,
        }
    }

    /// The hook for a caller that is bound to `definition`; `None` if there is none left.
    pub fn hook_for(self, definition: u64) -> Option<*const ()> {
        match self {
            Self::Row(row) => row.hook_for_bound(definition as *mut ()),
            Self::Loader(name) => Some(of_loader(name)),
        }
    }

    /// The definition behind the hook at `address`; `None` if that is no hook.
    pub fn definition_of(self, address: u64) -> Option<*const ()> {
        match self {
            Self::Row(row) => row.next_of(address as *const ()),
            Self::Loader(name) if of_loader(name) as u64 == address => {
                elf::libc_symbol(name.as_bytes())
            }
            Self::Loader(_) => None,
        }
    }
}

fn of_loader(name: &str) -> *const () {
    match name {
        "dlsym" => dlsym_entry as *const (),
        "dlvsym" => dlvsym_entry as *const (),
        "dlopen" => dlopen_entry as *const (),
        "dlclose" => dlclose_entry as *const (),
        "dladdr" => dladdr_entry as *const (),
        _ => dladdr1_entry as *const (),
    }
}
