//! One module's code: from an ELF virtual address to functions, files and lines.

use std::cell::OnceCell;

use super::demangle::demangle;
use super::dwarf::Dwarf;
use super::elf::Elf;
use super::functions::Functions;
use super::module::Module;
use super::search::{Search, SearchPaths};

/// What is known about one frame of an address.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Found {
    /// Source name; `None` where neither DWARF nor a symbol table has one.
    pub function: Option<String>,
    /// As the compiler recorded it, joined with its folder.
    pub file: Option<String>,
    /// `None` for code that stands for no line.
    pub line: Option<u32>,
    /// Whether this frame was inlined into the next.
    pub inlined: bool,
}

impl Found {
    /// A frame from debug information; inlining is for the caller to say.
    pub fn new(linker_name: Option<&str>, location: Option<&addr2line::Location>) -> Self {
        Self {
            function: linker_name.map(demangle),
            file: location
                .and_then(|location| location.file)
                .map(str::to_owned),
            line: location.and_then(|location| location.line),
            inlined: false,
        }
    }
}

/// The files behind one module, opened.
#[derive(Default)]
pub struct Code {
    dwarf: Option<Dwarf>,
    binary: Option<Elf>,
    debug: Option<Elf>,
    /// Read when the first address asks: with full debug information none does.
    functions: OnceCell<Option<Functions>>,
}

impl Code {
    /// Finds and opens the files of `module`. The second value is a sentence for
    /// the user, when something is missing that another option could bring.
    pub fn load(module: &Module, paths: &SearchPaths) -> (Self, Option<String>) {
        if is_without_file(&module.path) {
            return (Self::default(), None);
        }
        let mut search = Search::new(paths, module);
        let binary = search.binary(module);
        let has_own = binary.as_ref().is_some_and(|elf| elf.has(".debug_info"));
        let debug = match has_own {
            true => None,
            false => search.debug_file(module, binary.as_ref()),
        };
        let mut rejected = search.rejected.take();
        let mut code = Self {
            binary,
            debug,
            ..Self::default()
        };
        if let Some(elf) = code.debug.as_ref().or(code.binary.as_ref())
            && elf.has(".debug_info")
        {
            let alternative = search.alternative(elf);
            match Dwarf::read(elf, alternative.as_ref(), paths) {
                Ok(dwarf) => code.dwarf = Some(dwarf),
                Err(error) => {
                    rejected = Some(format!(
                        "debug information in `{}` could not be read: {error}",
                        elf.path.display()
                    ))
                }
            }
        }
        let warning = code.warning(module, rejected);
        (code, warning)
    }

    /// The frames at an ELF virtual address, innermost first. Empty when nothing
    /// is known.
    pub fn frames(&self, address: u64) -> Vec<Found> {
        let mut found = match &self.dwarf {
            Some(dwarf) => dwarf.frames(address),
            None => Vec::new(),
        };
        // Assembly has lines without a function, stripped files have neither.
        if found
            .last()
            .is_none_or(|outermost| outermost.function.is_none())
            && let Some(name) = self
                .functions()
                .and_then(|functions| functions.name(address))
        {
            if found.is_empty() {
                found.push(Found::default());
            }
            if let Some(outermost) = found.last_mut() {
                outermost.function = Some(demangle(&name));
            }
        }
        found
    }

    /// A sentence on what lookups missed since the last call.
    pub fn late_warning(&self, module: &Module) -> Option<String> {
        let path = self.dwarf.as_ref()?.take_missing_dwo()?;
        Some(format!(
            "`{}`: split debug information `{}` was not found, so inlined functions are missing; \
             `--debug-dir` may name its folder",
            module.path,
            path.display()
        ))
    }

    fn functions(&self) -> Option<&Functions> {
        let read = || {
            let full = |elf: &&Elf| elf.has(".symtab");
            let elf = self
                .binary
                .as_ref()
                .filter(full)
                .or(self.debug.as_ref().filter(full));
            Functions::read(elf.or(self.binary.as_ref())?).ok()
        };
        self.functions.get_or_init(read).as_ref()
    }

    fn warning(&self, module: &Module, rejected: Option<String>) -> Option<String> {
        if self.dwarf.is_some() {
            return None;
        }
        let module = &module.path;
        if let Some(rejected) = rejected {
            let left = match self
                .functions()
                .is_some_and(|functions| !functions.is_empty())
            {
                true => "function names without lines",
                false => "module and offset only",
            };
            return Some(format!("`{module}` is shown with {left}: {rejected}"));
        }
        if self.binary.is_none() && self.debug.is_none() {
            return Some(format!(
                "`{module}` is shown with module and offset only: no such file here; \
                 `--sysroot` or `--debug-dir` may name a copy"
            ));
        }
        if self.functions().is_none_or(Functions::is_empty) {
            return Some(format!(
                "`{module}` is shown with module and offset only: it is stripped; \
                 `--debug-dir` may name a folder with its debug file"
            ));
        }
        None
    }
}

/// The kernel's own pages have no file, and nobody can supply one.
fn is_without_file(path: &str) -> bool {
    path.is_empty()
        || path.starts_with('[')
        || path.starts_with("linux-vdso")
        || path.starts_with("linux-gate")
}
