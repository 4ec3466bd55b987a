//! Reads an executable's headers: architecture, loader, needed libraries.

use std::fs::File;
use std::path::Path;

use anyhow::Context;
use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH, FileHeader64};
use object::read::elf::{ElfFile, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol, ReadCache};

type Parsed<'data> = ElfFile<'data, FileHeader64<Endianness>, &'data ReadCache<File>>;

/// The parts of an ELF file that decide whether the shim reaches it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Elf {
    /// 32 or 64.
    pub bits: u8,
    /// `e_machine`.
    pub machine: u16,
    /// `PT_INTERP`, the loader; `None` for statically linked programs and for libraries.
    pub interpreter: Option<String>,
    /// `DT_NEEDED`.
    pub needed: Vec<String>,
    /// `DT_RPATH`, which overrides `LD_LIBRARY_PATH`; ignored by the loader beside a `DT_RUNPATH`.
    pub rpath: Option<String>,
    /// `DT_RUNPATH`.
    pub runpath: Option<String>,
    /// `NT_GNU_BUILD_ID`, in hex digits.
    pub build_id: Option<String>,
    /// The newest `GLIBC_x.y` that it needs.
    pub glibc: Option<(u32, u32)>,
    /// The newest `GLIBC_x.y` that it defines: libc itself.
    pub defines_glibc: Option<(u32, u32)>,
}

impl Elf {
    /// Reads a file; `None` if it is no ELF file. For a 32-bit file only [`Elf::bits`] and [`Elf::machine`] are set.
    ///
    /// # Errors
    /// If the file cannot be read, or is damaged.
    pub fn read(path: &Path) -> anyhow::Result<Option<Self>> {
        use std::os::unix::fs::FileExt;
        let file = File::open(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let mut head = [0; 20];
        if file.read_exact_at(&mut head, 0).is_err() || !head.starts_with(b"\x7fELF") {
            return Ok(None);
        }
        let machine = [head[18], head[19]];
        let machine = match head[5] {
            2 => u16::from_be_bytes(machine),
            _ => u16::from_le_bytes(machine),
        };
        let mut elf = Self {
            bits: if head[4] == 2 { 64 } else { 32 },
            machine,
            ..Self::default()
        };
        if elf.bits == 64 {
            let cache = ReadCache::new(file);
            elf.fill(&cache)
                .with_context(|| format!("`{}` is damaged", path.display()))?;
        }
        Ok(Some(elf))
    }

    fn fill(&mut self, cache: &ReadCache<File>) -> object::Result<()> {
        let file = Parsed::parse(cache)?;
        let endian = file.endian();
        for segment in file.elf_program_headers() {
            if let Some(interpreter) = segment.interpreter(endian, cache)? {
                self.interpreter = Some(text(interpreter));
            }
        }
        let hex = |id: &[u8]| id.iter().map(|byte| format!("{byte:02x}")).collect();
        self.build_id = file.build_id()?.map(hex);
        let dynamic = file.elf_dynamic_table()?;
        for entry in &dynamic {
            let tag = entry.tag;
            if tag == DT_NEEDED {
                self.needed.push(text(dynamic.string(entry)?));
            } else if tag == DT_RPATH {
                self.rpath = Some(text(dynamic.string(entry)?));
            } else if tag == DT_RUNPATH {
                self.runpath = Some(text(dynamic.string(entry)?));
            }
        }
        let sections = file.elf_section_table();
        if let Some((mut libraries, link)) = sections.gnu_verneed(endian, cache)? {
            let strings = sections.strings(endian, cache, link)?;
            while let Some((_, mut versions)) = libraries.next()? {
                while let Some(version) = versions.next()? {
                    let name = version.name(endian, strings)?;
                    self.glibc = self.glibc.max(glibc_version(&text(name)));
                }
            }
        }
        if let Some((mut definitions, link)) = sections.gnu_verdef(endian, cache)? {
            let strings = sections.strings(endian, cache, link)?;
            while let Some((_, mut names)) = definitions.next()? {
                while let Some(name) = names.next()? {
                    let name = name.name(endian, strings)?;
                    self.defines_glibc = self.defines_glibc.max(glibc_version(&text(name)));
                }
            }
        }
        Ok(())
    }

    /// Bits and machine as text.
    pub fn kind(&self) -> String {
        format!("{}-bit {}", self.bits, self.machine_name())
    }

    /// The machine's usual name.
    fn machine_name(&self) -> String {
        match self.machine {
            3 => "x86".to_owned(),
            40 => "arm".to_owned(),
            62 => "x86-64".to_owned(),
            183 => "aarch64".to_owned(),
            243 => "riscv".to_owned(),
            258 => "loongarch".to_owned(),
            other => format!("machine {other}"),
        }
    }

    /// Whether musl loads it.
    pub fn is_musl(&self) -> bool {
        self.interpreter
            .as_deref()
            .is_some_and(|loader| loader.contains("ld-musl"))
    }
}

/// The symbols that a library exports, sorted.
///
/// # Errors
/// If the file cannot be read, or is damaged.
pub fn exports(path: &Path) -> anyhow::Result<Vec<String>> {
    let file = File::open(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let cache = ReadCache::new(file);
    let names = || -> object::Result<Vec<String>> {
        let file = Parsed::parse(&cache)?;
        let mut names = Vec::new();
        for symbol in file.dynamic_symbols().filter(ObjectSymbol::is_definition) {
            names.push(text(symbol.name_bytes()?));
        }
        names.sort();
        Ok(names)
    };
    names().with_context(|| format!("`{}` is damaged", path.display()))
}

/// `GLIBC_2.34` → (2, 34).
fn glibc_version(name: &str) -> Option<(u32, u32)> {
    let (major, minor) = name.strip_prefix("GLIBC_")?.split_once('.')?;
    let minor = minor.split('.').next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_very_program_reports_its_loader_and_its_libraries() {
        let path = std::env::current_exe().unwrap();
        let elf = Elf::read(&path).unwrap().unwrap();
        assert_eq!(elf.bits, 64);
        assert!(elf.interpreter.is_some());
        assert!(elf.needed.iter().any(|name| name.starts_with("libc.so")));
        assert!(elf.glibc.is_some());
    }

    #[test]
    fn a_text_is_no_elf_file() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert_eq!(Elf::read(&path).unwrap(), None);
    }

    #[test]
    fn versions_compare_as_numbers() {
        assert_eq!(glibc_version("GLIBC_2.2.5"), Some((2, 2)));
        assert!(glibc_version("GLIBC_2.34") > glibc_version("GLIBC_2.4"));
        assert_eq!(glibc_version("GLIBC_PRIVATE"), None);
    }
}
