//! Modules of another process, read from its memory: files may have been replaced, or be in another container.

use std::collections::{HashMap, HashSet};

use super::memory::Memory;

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
const DT_PLTRELSZ: u64 = 2;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_RELA: u64 = 7;
const DT_RELASZ: u64 = 8;
const DT_STRSZ: u64 = 10;
const DT_JMPREL: u64 = 23;
const DT_GNU_HASH: u64 = 0x6fff_fef5;
/// Bytes of `Elf64_Sym` and of `Elf64_Rela`.
const SYMBOL_BYTES: u64 = 24;
const RELA_BYTES: u64 = 24;
/// Symbols of a module, at most: far more than libc has.
const MAX_SYMBOLS: u64 = 1 << 20;

/// A mapping, as `/proc/PID/maps` has it.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Its addresses.
    pub range: (u64, u64),
    /// Whether it is executable.
    pub is_code: bool,
    /// Whether it is data of the process's own that may be written.
    pub is_data: bool,
    /// Where in the file it begins.
    pub offset: u64,
    /// The file, or a name in brackets; empty for anonymous memory.
    pub path: String,
}

impl Mapping {
    /// Parses a line.
    pub fn parse(line: &str) -> Option<Self> {
        let mut fields = line.splitn(6, ' ');
        let (start, end) = fields.next()?.split_once('-')?;
        let permissions = fields.next()?;
        let hex = |text| u64::from_str_radix(text, 16).ok();
        let offset = hex(fields.next()?)?;
        let path = fields.nth(2).unwrap_or_default().trim_start();
        Some(Self {
            range: (hex(start)?, hex(end)?),
            is_code: permissions.contains('x'),
            is_data: permissions == "rw-p",
            offset,
            path: path.trim_end_matches(" (deleted)").to_owned(),
        })
    }

    /// Whether it contains an address.
    pub fn contains(&self, address: u64) -> bool {
        (self.range.0..self.range.1).contains(&address)
    }

    /// The name of the file.
    pub fn file(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

/// A module: its tables, found through its program headers.
#[derive(Debug)]
pub struct Module {
    /// Its file's name.
    pub file: String,
    /// Added to the file's addresses.
    bias: u64,
    /// `.eh_frame_hdr`.
    pub eh_frame_hdr: Option<u64>,
    /// Entries of its dynamic table.
    dynamic: HashMap<u64, u64>,
    symbols: Vec<Symbol>,
}

#[derive(Debug)]
struct Symbol {
    start: u64,
    size: u64,
    name: String,
}

impl Module {
    /// Reads the module whose file begins at `base`; `None` if that is no ELF file.
    fn read(memory: &Memory, base: u64, file: &str) -> Option<Self> {
        let header = memory.bytes(base, 64)?;
        if !header.starts_with(b"\x7fELF") || header[4] != 2 {
            return None;
        }
        let number = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let table = base.wrapping_add(u64::from_le_bytes(header[32..40].try_into().ok()?));
        let headers: Vec<(u32, u64)> = (0..u64::from(number(56)))
            .filter_map(|i| {
                let at = table.wrapping_add(i * u64::from(number(54)));
                Some((memory.half(at)?, memory.word(at.wrapping_add(16))?))
            })
            .collect();
        let address = |kind| headers.iter().find(|header| header.0 == kind);
        let bias = base.wrapping_sub(address(PT_LOAD)?.1 & !0xfff);
        let at = |kind| address(kind).map(|header| header.1.wrapping_add(bias));
        let mut module = Self {
            file: file.to_owned(),
            bias,
            eh_frame_hdr: at(PT_GNU_EH_FRAME),
            dynamic: at(PT_DYNAMIC).map_or_else(HashMap::new, |at| dynamic(memory, at)),
            symbols: Vec::new(),
        };
        module.symbols = module.read_symbols(memory).unwrap_or_default();
        Some(module)
    }

    /// The address of a table. glibc relocates these in place, but not those of the vDSO.
    fn table(&self, tag: u64) -> Option<u64> {
        let value = *self.dynamic.get(&tag)?;
        Some(if value < self.bias {
            value.wrapping_add(self.bias)
        } else {
            value
        })
    }

    fn read_symbols(&self, memory: &Memory) -> Option<Vec<Symbol>> {
        let (table, strings) = (self.table(DT_SYMTAB)?, self.table(DT_STRTAB)?);
        let count = u64::from(symbol_count(memory, self.table(DT_GNU_HASH)?)?);
        let bytes = memory.bytes(table, (count.min(MAX_SYMBOLS) * SYMBOL_BYTES) as usize)?;
        // At once: a thread of the program waits meanwhile.
        let size = self.dynamic.get(&DT_STRSZ);
        let names = size.and_then(|&size| memory.bytes(strings, size as usize));
        let name = |offset: u32| match &names {
            Some(names) => {
                let rest = names.get(offset as usize..).unwrap_or_default();
                let name = rest.split(|&byte| byte == 0).next();
                String::from_utf8_lossy(name.unwrap_or_default()).into_owned()
            }
            None => {
                let text = memory.text(strings.wrapping_add(offset.into()), 256);
                String::from_utf8_lossy(&text).into_owned()
            }
        };
        let symbols = bytes
            .chunks_exact(SYMBOL_BYTES as usize)
            .filter_map(|entry| {
                let word = |at: usize| {
                    u64::from_le_bytes(entry[at..at + 8].try_into().unwrap_or_default())
                };
                let is_function = matches!(entry[4] & 15, 2 | 10);
                let is_defined = entry[6] != 0 || entry[7] != 0;
                (is_function && is_defined).then(|| Symbol {
                    start: word(8).wrapping_add(self.bias),
                    size: word(16),
                    name: name(word(0) as u32),
                })
            });
        Some(symbols.collect())
    }

    /// Addresses of the words that the loader fills, through which the module calls others.
    pub fn slots(&self, memory: &Memory) -> HashSet<u64> {
        let tables = [(DT_RELA, DT_RELASZ), (DT_JMPREL, DT_PLTRELSZ)];
        let places = tables.iter().flat_map(|(table, size)| {
            let start = self.table(*table).unwrap_or(0);
            let size = self.dynamic.get(size).copied().unwrap_or(0);
            let bytes = memory.bytes(start, size as usize).unwrap_or_default();
            let places = bytes
                .chunks_exact(RELA_BYTES as usize)
                .map(|entry| u64::from_le_bytes(entry[..8].try_into().unwrap_or_default()));
            places.collect::<Vec<_>>()
        });
        places.map(|place| place.wrapping_add(self.bias)).collect()
    }

    /// Exported functions: names and addresses.
    pub fn functions(&self) -> impl Iterator<Item = (&str, u64)> {
        self.symbols
            .iter()
            .map(|symbol| (symbol.name.as_str(), symbol.start))
    }

    /// The address of an exported function.
    pub fn function(&self, name: &str) -> Option<u64> {
        let found = self.symbols.iter().find(|symbol| symbol.name == name)?;
        Some(found.start)
    }

    /// The exported functions that contain an address.
    pub fn functions_at(&self, address: u64) -> impl Iterator<Item = &str> {
        let at = self.symbols.iter();
        at.filter(move |symbol| {
            (symbol.start..symbol.start.saturating_add(symbol.size)).contains(&address)
        })
        .map(|symbol| symbol.name.as_str())
    }
}

fn dynamic(memory: &Memory, at: u64) -> HashMap<u64, u64> {
    let entries = (0..256).map(|entry| at.wrapping_add(16 * entry));
    entries
        .map_while(|at| Some((memory.word(at)?, memory.word(at.wrapping_add(8))?)))
        .take_while(|(tag, _)| *tag != 0)
        .collect()
}

/// Number of symbols that a GNU hash table covers: one more than the last of its last chain.
fn symbol_count(memory: &Memory, table: u64) -> Option<u32> {
    let half = |offset: u64| memory.half(table.wrapping_add(offset));
    let (buckets, first) = (half(0)?, half(4)?);
    let start = table.wrapping_add(16 + 8 * u64::from(half(8)?));
    let chains = start.wrapping_add(4 * u64::from(buckets));
    let bytes = memory.bytes(start, 4 * buckets as usize)?;
    let last = bytes
        .chunks_exact(4)
        .map(|bucket| u32::from_le_bytes(bucket.try_into().unwrap_or_default()))
        .max()?;
    if last < first {
        return Some(first);
    }
    (last..last.saturating_add(MAX_SYMBOLS as u32))
        .find(|&at| {
            memory
                .half(chains.wrapping_add(4 * u64::from(at - first)))
                .is_none_or(|hash| hash & 1 != 0)
        })
        .map(|last| last + 1)
}

/// The loader's functions.
#[derive(Clone, Copy, Debug)]
pub struct LoaderFunctions {
    /// `dlopen`.
    pub dlopen: u64,
    /// `dlsym`.
    pub dlsym: u64,
    /// `dlerror`.
    pub dlerror: u64,
}

/// Modules that were read, by address and file. `None` is no ELF file.
pub type Read = HashMap<(u64, String), Option<Module>>;

/// The modules of a process, read as they are needed.
pub struct Modules<'a> {
    memory: &'a Memory,
    /// All mappings.
    pub mappings: Vec<Mapping>,
    read: &'a mut Read,
}

impl<'a> Modules<'a> {
    /// Those of the mappings in `maps`. What earlier looks have read is read again only where the loader was not done.
    pub fn new(memory: &'a Memory, maps: &str, read: &'a mut Read) -> Self {
        read.retain(|_, module| {
            module
                .as_ref()
                .is_some_and(|module| !module.symbols.is_empty())
        });
        Self {
            memory,
            mappings: maps.lines().filter_map(Mapping::parse).collect(),
            read,
        }
    }

    /// The mapping that contains an address.
    pub fn mapping_at(&self, address: u64) -> Option<&Mapping> {
        self.mappings
            .iter()
            .find(|mapping| mapping.contains(address))
    }

    /// The module whose code contains an address.
    pub fn at(&mut self, address: u64) -> Option<&Module> {
        let place = self
            .mappings
            .iter()
            .position(|mapping| mapping.contains(address))?;
        let here = &self.mappings[place];
        if here.path.is_empty() {
            return None;
        }
        let of_file = self.mappings[..=place].iter().rev();
        let base = of_file
            .take_while(|mapping| mapping.path == here.path || mapping.path.is_empty())
            .find(|mapping| mapping.path == here.path && mapping.offset == 0)?
            .range
            .0;
        let (memory, file) = (self.memory, here.file());
        let read = self.read.entry((base, here.path.clone()));
        read.or_insert_with(|| Module::read(memory, base, file))
            .as_ref()
    }

    /// The first module whose file's name is accepted.
    fn named(&mut self, is_meant: impl Fn(&str) -> bool) -> Option<&Module> {
        let meant = self.mappings.iter();
        let meant = meant.filter(|mapping| mapping.is_code && is_meant(mapping.file()));
        let address = meant.map(|mapping| mapping.range.0).next()?;
        self.at(address)
    }

    /// The loader's functions: in libc, before glibc 2.34 in libdl, or libc's own of another name.
    ///
    /// # Errors
    /// If libc is not there, or lacks them.
    pub fn loader_functions(mut self) -> anyhow::Result<LoaderFunctions> {
        let mut find = |names: [&str; 2]| {
            let of_libdl = |file: &str| file.starts_with("libdl.so") || file.starts_with("libdl-2");
            let in_libdl = self.named(of_libdl).and_then(|dl| dl.function(names[0]));
            let in_libc = self.named(is_libc).and_then(|libc| {
                let mut found = names.iter();
                found.find_map(|name| libc.function(name))
            });
            in_libc.or(in_libdl)
        };
        let dlopen = find(["dlopen", "__libc_dlopen_mode"]);
        let dlsym = find(["dlsym", "__libc_dlsym"]);
        let dlerror = find(["dlerror", "dlerror"]);
        match (dlopen, dlsym) {
            (Some(dlopen), Some(dlsym)) => Ok(LoaderFunctions {
                dlopen,
                dlsym,
                dlerror: dlerror.unwrap_or(0),
            }),
            _ => anyhow::bail!("the process has no `dlopen` of glibc: is its libc another one?"),
        }
    }
}

/// Whether a file is glibc's libc.
pub fn is_libc(file: &str) -> bool {
    file.starts_with("libc.so") || file.starts_with("libc-2")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_line_of_maps_is_parsed() {
        let line =
            "7f00-8f00 r-xp 00001000 fe:00 12                         /usr/lib/a b.so (deleted)";
        let mapping = Mapping::parse(line).expect("parses");
        assert_eq!((mapping.range, mapping.offset), ((0x7f00, 0x8f00), 0x1000));
        assert_eq!((mapping.file(), mapping.is_code), ("a b.so", true));
        let anonymous = Mapping::parse("1000-2000 rw-p 00000000 00:00 0 ").expect("parses");
        assert!(anonymous.path.is_empty() && anonymous.is_data);
    }

    #[test]
    fn functions_of_libc_are_found_in_the_memory_of_this_process() {
        let memory = Memory::open(Path::new("/proc/self/mem")).expect("own memory");
        let maps = std::fs::read_to_string("/proc/self/maps").expect("own maps");
        let mut read = Read::new();
        let mut modules = Modules::new(&memory, &maps, &mut read);
        let malloc = modules
            .named(is_libc)
            .and_then(|libc| libc.function("malloc"))
            .expect("malloc");
        let at = modules.at(malloc).expect("libc");
        assert!(at.functions_at(malloc + 1).any(|name| name == "malloc"));
        assert!(modules.loader_functions().is_ok());
    }
}
