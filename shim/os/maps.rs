//! What the process's address space holds at an address that no known block explains. Slow: reads `/proc/self/maps`.

use crate::cancel::CancelGuard;
use crate::files;
use crate::page_range::page_down;
pub use crate::page_range::page_size;
use crate::seccomp;
use aclsan_log::Mapping;

/// The mapping at `address`. Also `Unknown` for memory that may belong to the runtime: reserved ranges, device
/// files, shared memory.
pub fn at(address: u64) -> Mapping {
    let _uncancelled = CancelGuard::enter();
    let maps = files::read("/proc/self/maps").unwrap_or_default();
    let kind = maps.lines().find_map(|line| kind(line, address));
    kind.unwrap_or(Mapping::Unknown)
}

/// Whether a block of `size` bytes can exist at `address`. A runtime may return something that is no address.
#[inline(always)]
pub fn is_plausible_range(address: u64, size: u64) -> bool {
    (address | size) >> 56 == 0
}

/// First address and end of the mapping that contains `address`.
pub fn mapping_containing(address: u64) -> Option<(u64, u64)> {
    let maps = files::read("/proc/self/maps")?;
    let mut ranges = maps.lines().filter_map(parse);
    let found = ranges.find(|mapped| (mapped.low..mapped.high).contains(&address))?;
    Some((found.low, found.high))
}

/// Whether the memory at `address` may be written.
pub fn is_writable(address: u64) -> bool {
    let _uncancelled = CancelGuard::enter();
    let maps = files::read("/proc/self/maps").unwrap_or_default();
    let mut entries = maps.lines().filter_map(parse);
    entries.any(|mapped| mapped.is_writable && (mapped.low..mapped.high).contains(&address))
}

/// The range around `low..high` that is mapped for reading and writing and not for execution; `None` if some of `low..high` is not.
pub fn plain_data_around(low: u64, high: u64) -> Option<(u64, u64)> {
    let _uncancelled = CancelGuard::enter();
    let maps = files::read("/proc/self/maps")?;
    let mut around = (0, 0);
    for mapped in maps
        .lines()
        .filter_map(parse)
        .filter(|mapped| mapped.is_data)
    {
        match mapped.low == around.1 {
            true => around.1 = mapped.high,
            false if around.0 <= low && low < around.1 => break,
            false => around = (mapped.low, mapped.high),
        }
    }
    (around.0 <= low && high <= around.1).then_some(around)
}

/// Whether memory is mapped at an address.
pub fn is_mapped(address: *mut std::ffi::c_void) -> bool {
    if seccomp::is_seccomp_active() {
        return true; // Cannot ask: report nothing.
    }
    let page = page_size() as usize;
    let start = address.map_addr(|address| page_down(address as u64) as usize);
    let mut resident = 0;
    // SAFETY: writes one byte for one page to a local variable; ENOMEM if nothing is mapped.
    let answer = unsafe { libc::mincore(start, page, &mut resident) };
    answer == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::ENOMEM)
}

/// A line of `/proc/self/maps`.
pub struct MapsEntry<'a> {
    pub low: u64,
    pub high: u64,
    pub is_readable: bool,
    pub is_writable: bool,
    pub is_shared: bool,
    /// Whether it is readable and writable and not executable.
    pub is_data: bool,
    pub path: &'a str,
    pub kind: Mapping,
}

impl MapsEntry<'_> {
    /// Whether it maps a device file.
    pub fn is_device(&self) -> bool {
        let is_memory = self.path.starts_with("/dev/shm/") || self.path.starts_with("/dev/zero");
        self.path.starts_with("/dev/") && !is_memory
    }

    /// Whether it is private memory of this process that was filled and then made read-only. The kernel's own pages
    /// (`[vvar]`, `[vdso]`, `[vsyscall]`) and file mappings do not count.
    pub fn is_sealed(&self) -> bool {
        let is_memory = ["[heap]", "[stack", "[anon"];
        let is_own =
            self.path.is_empty() || is_memory.iter().any(|name| self.path.starts_with(name));
        self.is_readable && !self.is_writable && !self.is_shared && is_own
    }
}

/// Parses a line.
pub fn parse(line: &str) -> Option<MapsEntry<'_>> {
    let (range, rest) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    let hex = |text| u64::from_str_radix(text, 16).ok();
    let permissions = rest.split_ascii_whitespace().next()?;
    // Five fields, then a name that may contain spaces.
    let path = rest.find(['/', '[']).map_or("", |at| &rest[at..]);
    let is_shared = permissions.ends_with('s');
    let is_data = permissions.starts_with("rw") && !is_shared;
    let kind = match path {
        "[stack]" => Mapping::Stack,
        "[heap]" => Mapping::Heap,
        "" if is_data => Mapping::Anonymous,
        _ if path.starts_with('/') && !path.starts_with("/dev/") && !is_shared => Mapping::Image,
        _ => Mapping::Unknown,
    };
    Some(MapsEntry {
        low: hex(start)?,
        high: hex(end)?,
        is_readable: permissions.starts_with('r'),
        is_writable: permissions.starts_with("rw"),
        is_shared,
        is_data: permissions.starts_with("rw-"),
        path,
        kind,
    })
}

/// What a line of `/proc/self/maps` says about `address`; `None` if it covers other addresses.
fn kind(line: &str, address: u64) -> Option<Mapping> {
    let mapped = parse(line)?;
    (mapped.low..mapped.high)
        .contains(&address)
        .then_some(mapped.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_line_is_distinguished() {
        let at = |line| kind(line, 0x1800).unwrap();
        assert_eq!(
            at("1000-2000 rw-p 00000000 00:00 0                          [stack]"),
            Mapping::Stack
        );
        assert_eq!(
            at("1000-2000 rw-p 00000000 00:00 0                          [heap]"),
            Mapping::Heap
        );
        assert_eq!(at("1000-2000 rw-p 00000000 00:00 0 "), Mapping::Anonymous);
        assert_eq!(at("1000-2000 ---p 00000000 00:00 0 "), Mapping::Unknown);
        assert_eq!(
            at("1000-2000 r--p 00000000 fe:00 12                         /usr/lib/libc.so.6"),
            Mapping::Image
        );
        assert_eq!(
            at("1000-2000 rw-s 00000000 00:05 12                         /dev/davinci_manager"),
            Mapping::Unknown
        );
        assert_eq!(
            at("1000-2000 rw-s 00000000 00:01 12                         /memfd:x (deleted)"),
            Mapping::Unknown
        );
        assert_eq!(kind("2000-3000 rw-p 00000000 00:00 0 ", 0x1800), None);
    }

    #[test]
    fn memory_that_was_filled_and_sealed_is_neither_a_file_nor_the_kernels() {
        let line = |permissions, name| format!("1000-2000 {permissions} 00000000 00:00 0   {name}");
        let is_sealed = |line: String| parse(&line).unwrap().is_sealed();
        for name in ["", "[heap]", "[stack]", "[anon:arena]"] {
            assert!(is_sealed(line("r--p", name)), "{name}");
            assert!(!is_sealed(line("rw-p", name)), "{name}");
        }
        assert!(is_sealed(line("r-xp", "")));
        assert!(!is_sealed(line("---p", "")) && !is_sealed(line("r--s", "")));
        for name in [
            "[vvar]",
            "[vvar_vclock]",
            "[vdso]",
            "[vsyscall]",
            "/usr/lib/libc.so.6",
        ] {
            assert!(!is_sealed(line("r--p", name)), "{name}");
        }
    }

    #[test]
    fn a_variable_on_this_stack_or_heap_is_host_memory() {
        let (here, boxed) = (1u64, Box::new(1u64));
        assert!(matches!(
            at(&raw const here as u64),
            Mapping::Stack | Mapping::Anonymous
        ));
        assert!(matches!(
            at(&raw const *boxed as u64),
            Mapping::Heap | Mapping::Anonymous
        ));
        assert_eq!(at(at as *const () as u64), Mapping::Image);
    }
}
