//! A loaded module, described by its program headers.

use aclsan_os::files;
use std::ffi::CStr;

/// A loaded program or library.
#[derive(Debug)]
pub struct Module {
    /// Start and end address.
    pub range: (u64, u64),
    /// Address minus the file's own virtual address.
    pub bias: u64,
    /// The path as the loader knows it; for the program itself its real path.
    pub path: String,
    /// `NT_GNU_BUILD_ID`, or empty.
    pub build_id: Vec<u8>,
    /// `.eh_frame_hdr`, valid while the module is loaded.
    pub eh_frame_hdr: Option<&'static [u8]>,
    /// Readable segments.
    pub segments: Vec<(u64, u64)>,
}

/// Compares what the list itself holds: a module's bytes may be gone while the list still has it.
impl PartialEq for Module {
    fn eq(&self, other: &Self) -> bool {
        let place = |module: &Self| {
            (
                module.range,
                module.bias,
                module.eh_frame_hdr.map(<[u8]>::as_ptr_range),
            )
        };
        place(self) == place(other) && self.path == other.path && self.build_id == other.build_id
    }
}

impl Module {
    /// The bytes from `address` to the end of its segment; `None` if no readable segment contains it.
    pub fn readable_from(&self, address: u64) -> Option<&'static [u8]> {
        let &(_, end) = self
            .segments
            .iter()
            .find(|&&(start, end)| (start..end).contains(&address))?;
        // SAFETY: the loader maps the segment readable while the module is loaded, and callers ask about modules whose
        // code is on the calling thread's stack.
        Some(unsafe { std::slice::from_raw_parts(address as *const u8, (end - address) as usize) })
    }
}

/// The module with these program headers; `None` if none of it is loaded.
pub fn of(info: &libc::dl_phdr_info) -> Option<Module> {
    // SAFETY: the loader provides as many program headers as it says, mapped as long as the module is.
    let headers =
        unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let bias = info.dlpi_addr;
    let extent = |header: &libc::Elf64_Phdr| {
        (
            bias + header.p_vaddr,
            bias + header.p_vaddr + header.p_memsz,
        )
    };
    let of = |kind: u32| headers.iter().filter(move |header| header.p_type == kind);
    let segments: Vec<_> = of(libc::PT_LOAD)
        .filter(|header| header.p_flags & libc::PF_R != 0)
        .map(extent)
        .collect();
    let loaded = || of(libc::PT_LOAD).map(extent);
    let range = (
        loaded().map(|(start, _)| start).min()?,
        loaded().map(|(_, end)| end).max()?,
    );
    let mut module = Module {
        range,
        bias,
        path: path(info, bias),
        build_id: Vec::new(),
        eh_frame_hdr: None,
        segments,
    };
    let part =
        |(start, end): (u64, u64)| module.readable_from(start)?.get(..(end - start) as usize);
    let eh_frame_hdr = of(libc::PT_GNU_EH_FRAME).map(extent).next().and_then(part);
    let build_id = of(libc::PT_NOTE)
        .map(extent)
        .filter_map(part)
        .find_map(build_id)
        .unwrap_or_default();
    module.eh_frame_hdr = eh_frame_hdr;
    module.build_id = build_id.to_vec();
    Some(module)
}

fn path(info: &libc::dl_phdr_info, _bias: u64) -> String {
    let name = if info.dlpi_name.is_null() {
        c""
    } else {
        // SAFETY: the loader's names are terminated strings that live as long as the module.
        unsafe { CStr::from_ptr(info.dlpi_name) }
    };
    if name.is_empty() {
        return match files::executable_path().to_string_lossy() {
            nothing if nothing.is_empty() => "/proc/self/exe".into(),
            program => program.into_owned(),
        };
    }
    name.to_string_lossy().into_owned()
}

/// Finds the build ID among the notes of a `PT_NOTE` segment: name size, description size, type, "GNU\0", the ID; each
/// padded to 4 bytes.
fn build_id(mut notes: &[u8]) -> Option<&[u8]> {
    const NT_GNU_BUILD_ID: u32 = 3;
    loop {
        let (head, rest) = notes.split_first_chunk::<12>()?;
        let word =
            |at: usize| u32::from_ne_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (name_bytes, description_bytes) = (word(0) as usize, word(4) as usize);
        let (name, rest) = rest.split_at_checked(name_bytes.checked_next_multiple_of(4)?)?;
        let description = rest.get(..description_bytes)?;
        if word(8) == NT_GNU_BUILD_ID && name.starts_with(b"GNU\0") {
            return Some(description);
        }
        notes = rest.get(description_bytes.checked_next_multiple_of(4)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_id_is_found_behind_another_note() {
        let notes = b"\x04\0\0\0\x05\0\0\0\x01\0\0\0GNU\0abcde\0\0\0\x04\0\0\0\x02\0\0\0\x03\0\0\0GNU\0\xab\xcd\0\0";
        assert_eq!(build_id(notes), Some(&b"\xab\xcd"[..]));
        assert_eq!(build_id(&notes[..40]), None);
    }
}
