//! The words through which loaded modules call other modules (`JUMP_SLOT`, `GLOB_DAT`, and pointers in tables), found by their relocations
//! and pointed elsewhere.
//!
//! All is done from inside `dl_iterate_phdr`, whose lock keeps modules from being unmapped. What is called there may read the loader's lists,
//! but not call `dlsym`: it takes a lock whose owner may wait for this one.

use super::elf::{self, DT_STRTAB, DT_SYMTAB, half, word};
use super::link_map::{self, DynamicTable};
use crate::maps;
use std::cell::OnceCell;
use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering::*};

const DT_PLTRELSZ: i64 = 2;
const DT_RELA: i64 = 7;
const DT_RELASZ: i64 = 8;
const DT_JMPREL: i64 = 23;

/// Relocations that hold the address of a symbol: in a table of data, in a global offset table, in one for calls.
#[cfg(target_arch = "x86_64")]
const KINDS: [u32; 3] = [1, 6, 7];
#[cfg(target_arch = "aarch64")]
const KINDS: [u32; 3] = [257, 1025, 1026];

/// Bytes of `Elf64_Rela` and `Elf64_Sym`.
const RELA_BYTES: u64 = 24;
const SYMBOL_BYTES: u64 = 24;

/// A loaded module.
pub struct Module {
    /// Added to the file's addresses.
    pub bias: u64,
    /// Its memory.
    pub range: (u64, u64),
    /// Its code.
    pub code: Vec<(u64, u64)>,
    /// Its data that stays writable, or is made read-only after relocation.
    pub data: Vec<(u64, u64)>,
    /// Pages that are read-only after relocation.
    relro: (u64, u64),
    /// Whether they are by now; asked once.
    is_sealed: OnceCell<bool>,
    dynamic: *const DynamicTable,
}

/// A word that holds the address of a symbol.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'a> {
    /// The symbol's name.
    pub symbol: &'a [u8],
    /// The address of the word.
    pub place: u64,
    /// What the word holds.
    pub value: u64,
    /// Whether the module's calls go through it, and the loader may bind it at the first.
    pub is_for_calls: bool,
    /// Whether it is the program's own variable, which may have been assigned since.
    pub is_variable: bool,
    /// The module's own definition of the symbol; 0 if it has none.
    pub own_definition: u64,
}

impl Reference<'_> {
    /// Whether the loader binds the word at the first call: until then it points into the module.
    pub fn is_unbound(&self, module: &Module) -> bool {
        self.is_for_calls
            && self.value != self.own_definition
            && (module.range.0..module.range.1).contains(&self.value)
    }
}

impl Module {
    /// Calls `each` with every word that holds the address of a symbol.
    pub fn for_each_reference(&self, mut each: impl FnMut(Reference)) {
        let address = |tag| elf::address_in(self.bias, self.dynamic, tag);
        let size = |tag| link_map::value(self.dynamic, tag).unwrap_or(0);
        let Some((symbols, strings)) = address(DT_SYMTAB).zip(address(DT_STRTAB)) else {
            return;
        };
        for (table, bytes) in [(DT_RELA, DT_RELASZ), (DT_JMPREL, DT_PLTRELSZ)] {
            let Some(start) = address(table) else {
                continue;
            };
            for at in (start..start + size(bytes)).step_by(RELA_BYTES as usize) {
                let (kind, symbol, addend) = (half(at + 8), half(at + 12), word(at + 16));
                let place = self.bias.wrapping_add(word(at));
                let is_address = KINDS.contains(&kind) && symbol != 0;
                if !is_address || (kind == KINDS[0] && addend != 0) || !self.may_write(place) {
                    continue;
                }
                let entry = symbols + SYMBOL_BYTES * u64::from(symbol);
                let is_defined = half(entry + 4) >> 16 != 0;
                let name = (strings + u64::from(half(entry))) as *const _;
                each(Reference {
                    // SAFETY: the string table of a loaded module holds terminated strings.
                    symbol: unsafe { CStr::from_ptr(name) }.to_bytes(),
                    place,
                    value: cell(place).load(Relaxed),
                    is_for_calls: kind == KINDS[2],
                    is_variable: kind == KINDS[0],
                    own_definition: match is_defined {
                        true => self.bias.wrapping_add(word(entry + 8)),
                        false => 0,
                    },
                });
            }
        }
    }

    /// Makes the word at `place` hold `to` if it holds `from`. `false` if it holds something else, or its page cannot be made writable.
    pub fn redirect(&self, place: u64, from: u64, to: u64) -> bool {
        let is_sealed = (self.relro.0..self.relro.1).contains(&place) && self.is_sealed();
        if is_sealed && !protect(place, libc::PROT_READ | libc::PROT_WRITE) {
            return false;
        }
        let is_done = cell(place)
            .compare_exchange(from, to, AcqRel, Relaxed)
            .is_ok();
        if is_sealed {
            protect(place, libc::PROT_READ);
        }
        is_done
    }

    /// Whether the module's pages are read-only already. Another thread may be relocating it, and pages that are made read-only before that
    /// is done would be its end.
    fn is_sealed(&self) -> bool {
        *self
            .is_sealed
            .get_or_init(|| !maps::is_writable(self.relro.0))
    }

    fn may_write(&self, place: u64) -> bool {
        let is_inside = |range: &(u64, u64)| (range.0..range.1.saturating_sub(7)).contains(&place);
        place.is_multiple_of(8) && self.data.iter().any(is_inside)
    }
}

fn cell(place: u64) -> &'static AtomicU64 {
    // SAFETY: an aligned word of a loaded module's data, by `may_write`, while the loader's lock keeps it mapped; other threads read it as
    // they call through it.
    unsafe { AtomicU64::from_ptr(place as *mut u64) }
}

fn protect(place: u64, protection: c_int) -> bool {
    let page = maps::page_size();
    let start = place & !(page - 1);
    // SAFETY: a whole page of a loaded module, which stays readable.
    unsafe { libc::mprotect(start as *mut c_void, page as usize, protection) == 0 }
}

/// Calls `each` with every loaded module, under the loader's lock.
pub fn for_each_module(mut each: impl FnMut(&Module)) {
    let mut each: &mut dyn FnMut(&Module) = &mut each;
    // SAFETY: `look` takes what is passed here, and `each` outlives the call.
    unsafe { elf::iterate(look, (&raw mut each).cast()) };
}

unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the loader passes an initialized structure.
    let info = unsafe { &*info };
    // SAFETY: what `for_each_module` passed.
    let each = unsafe { &mut *data.cast::<&mut dyn FnMut(&Module)>() };
    if let Some(module) = module(info) {
        each(&module);
    }
    0
}

fn module(info: &libc::dl_phdr_info) -> Option<Module> {
    let dynamic = elf::dynamic_of(info)?;
    let ranges = |kind: u32, flags: u32| {
        elf::headers(info)
            .iter()
            .filter(move |header| header.p_type == kind && header.p_flags & flags == flags)
            .map(|header| {
                let start = info.dlpi_addr.wrapping_add(header.p_vaddr);
                (start, start.wrapping_add(header.p_memsz))
            })
    };
    // As glibc protects it: from the page that it starts in, to the last page that it fills.
    let page = maps::page_size();
    let relro = ranges(libc::PT_GNU_RELRO, 0).next();
    let relro = relro.map_or((0, 0), |(start, end)| {
        (start & !(page - 1), end & !(page - 1))
    });
    Some(Module {
        bias: info.dlpi_addr,
        range: (
            ranges(libc::PT_LOAD, 0).map(|range| range.0).min()?,
            ranges(libc::PT_LOAD, 0).map(|range| range.1).max()?,
        ),
        code: ranges(libc::PT_LOAD, libc::PF_X).collect(),
        data: ranges(libc::PT_LOAD, libc::PF_W).collect(),
        relro,
        is_sealed: OnceCell::new(),
        dynamic,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_call_of_getpid_is_redirected_and_back() {
        extern "C" fn one() -> i32 {
            1
        }
        // SAFETY: no arguments, as below.
        let pid = unsafe { libc::getppid() };
        let redirect = |from: u64, to: u64| {
            let mut count = 0;
            for_each_module(|module| {
                module.for_each_reference(|reference| {
                    let is_meant = reference.symbol == b"getppid" && reference.value != 0;
                    if is_meant && (from == 0 || reference.value == from) {
                        count += u32::from(module.redirect(reference.place, reference.value, to));
                    }
                });
            });
            count
        };
        let one = one as *const () as u64;
        let own = elf::libc_symbol(b"getppid").unwrap() as u64;
        assert!(redirect(0, one) > 0);
        // SAFETY: no arguments.
        let redirected = unsafe { libc::getppid() };
        redirect(one, own);
        // SAFETY: no arguments.
        assert_eq!((redirected, unsafe { libc::getppid() }), (1, pid));
    }
}
