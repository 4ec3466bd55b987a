//! Whether this library was loaded late: into a program that was already running, where the loader has bound calls without it.

use super::elf;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Whether this library comes after libc in load order. One that is preloaded or linked comes before.
pub fn is_late() -> bool {
    static KNOWN: AtomicU8 = AtomicU8::new(0);
    match KNOWN.load(Relaxed) {
        0 => {
            let is_late = is_after_libc();
            KNOWN.store(1 + u8::from(is_late), Relaxed);
            is_late
        }
        known => known == 2,
    }
}

/// Addresses in this library and in libc, and which of the two modules comes first, by number.
struct First {
    addresses: [u64; 2],
    found: Option<usize>,
}

fn is_after_libc() -> bool {
    let Some(libc) = elf::libc_symbol(b"dl_iterate_phdr") else {
        return false;
    };
    let own = is_late as fn() -> bool as *const ();
    let mut first = First {
        addresses: [own as u64, libc as u64],
        found: None,
    };
    // SAFETY: `look` takes what is passed here, and `first` outlives the call.
    unsafe { elf::iterate(look, (&raw mut first).cast()) };
    first.found == Some(1)
}

unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the loader passes an initialized structure.
    let info = unsafe { &*info };
    // SAFETY: what `is_after_libc` passed.
    let first = unsafe { &mut *data.cast::<First>() };
    let is_here = |&address: &u64| {
        elf::headers(info).iter().any(|header| {
            let start = info.dlpi_addr + header.p_vaddr;
            header.p_type == libc::PT_LOAD && (start..start + header.p_memsz).contains(&address)
        })
    };
    first.found = first.addresses.iter().position(is_here);
    c_int::from(first.found.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_program_is_not_late() {
        assert!(!is_late());
    }
}
