//! One module's code: functions, files and lines by ELF virtual address.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use aclsan_frames::source;

use super::debug_files::{Search, SearchPaths};
use super::dwarf::Dwarf;
use super::elf::Elf;
use super::frame::ResolvedFrame;
use super::functions::Functions;
use super::interner::Interner;
use super::module::Module;

/// What could be read of one module.
#[derive(Default)]
pub struct ModuleCode {
    dwarf: Option<Dwarf>,
    /// The file to read `functions` from on the first lookup that needs it: with full debug information none does. Closed as soon as
    /// possible, because a process may have more modules than we may have open files.
    symbols: Option<Elf>,
    functions: OnceLock<Option<Functions>>,
    /// When the binary with the recorded build-id, or its debug file, was written.
    pub modified: Option<SystemTime>,
}

impl ModuleCode {
    /// Finds and reads the files of `module`. Also returns a warning, if another option could supply what is missing.
    pub fn load(module: &Module, paths: &SearchPaths) -> (Self, Option<String>) {
        if is_without_file(&module.path) {
            return (Self::default(), None);
        }
        let mut search = Search::new(paths, module);
        let binary = search.binary(module);
        if binary.is_some() {
            search.rejected = None;
        }
        let debug = match &binary {
            Some(elf) if elf.has(".debug_info") => None,
            _ => search.debug_file(module, binary.as_ref()),
        };
        let is_found = binary.is_some() || debug.is_some();
        let mut rejected = search.rejected.take();
        let mut code = Self {
            modified: binary
                .as_ref()
                .or(debug.as_ref())
                .and_then(|elf| source::modified(&elf.path)),
            ..Self::default()
        };
        if let Some(elf) = debug.as_ref().or(binary.as_ref())
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
        code.symbols = match (binary, debug) {
            (Some(binary), _) if binary.has(".symtab") => Some(binary),
            (_, Some(debug)) if debug.has(".symtab") => Some(debug),
            (binary, _) => binary,
        };
        if code.dwarf.is_some() {
            return (code, None);
        }
        let is_nameless = code.functions().is_none_or(Functions::is_empty);
        code.symbols = None;
        let warning = warning(&module.path, is_found, is_nameless, rejected);
        (code, warning)
    }

    /// The frames at an ELF virtual address, innermost first; empty if nothing is known.
    pub fn frames(&self, address: u64, names: &mut Interner) -> Vec<ResolvedFrame> {
        let found = match &self.dwarf {
            Some(dwarf) => dwarf.frames(address, names),
            None => Vec::new(),
        };
        self.complete(address, found, names)
    }

    /// As [`ModuleCode::frames`], for many sorted addresses at once.
    pub fn frames_of(&self, addresses: &[u64], names: &mut Interner) -> Vec<Vec<ResolvedFrame>> {
        // The thread that first finds a frame to complete reads the table for both, while the other goes on.
        let is_read = AtomicBool::new(false);
        let (functions, symbols) = (&self.functions, &self.symbols);
        let seen = |found: &[ResolvedFrame]| {
            if Need::of(found) != Need::Nothing && !is_read.swap(true, Ordering::Relaxed) {
                functions.get_or_init(|| read(symbols));
            }
        };
        let found = match &self.dwarf {
            Some(dwarf) => dwarf.frames_of(addresses, names, seen),
            None => vec![Vec::new(); addresses.len()],
        };
        let found = addresses.iter().zip(found);
        found
            .map(|(&address, found)| self.complete(address, found, names))
            .collect()
    }

    /// Completes frames from debug information by the symbol table.
    fn complete(
        &self,
        address: u64,
        mut found: Vec<ResolvedFrame>,
        names: &mut Interner,
    ) -> Vec<ResolvedFrame> {
        let need = Need::of(&found);
        if need == Need::Nothing {
            return found;
        }
        let Some(name) = self.functions().and_then(|all| all.name(address)) else {
            return found;
        };
        let name = names.function(&name);
        if need == Need::Name {
            if found.is_empty() {
                found.push(ResolvedFrame::default());
            }
            if let Some(outermost) = found.last_mut() {
                outermost.function = Some(name);
            }
            return found;
        }
        // The name from debug information stays what it is, since fingerprints hold it.
        let last = found.len() - 1;
        for (at, frame) in found
            .iter_mut()
            .enumerate()
            .filter(|(_, frame)| is_lambda(frame))
        {
            frame.label = match at == last {
                true => Some(Arc::clone(&name)),
                false => Some(names.text(aclsan_frames::inlined_lambda(&name))),
            };
        }
        found
    }

    /// A warning about what lookups found damaged or did not find, once.
    pub fn late_warning(&self, module: &Module) -> Option<String> {
        let dwarf = self.dwarf.as_ref()?;
        if let Some(error) = dwarf.take_error() {
            let is_nameless = self.functions().is_none_or(Functions::is_empty);
            return warning(&module.path, true, is_nameless, Some(error));
        }
        let path = dwarf.take_missing_dwo()?;
        Some(format!(
            "`{}` is shown without inlined functions where its split debug information is \
             missing (`{}`); `--debug-dir` may name the folder",
            module.path,
            path.display()
        ))
    }

    fn functions(&self) -> Option<&Functions> {
        let functions = &self.functions;
        functions.get_or_init(|| read(&self.symbols)).as_ref()
    }
}

fn read(symbols: &Option<Elf>) -> Option<Functions> {
    Functions::read(symbols.as_ref()?).ok()
}

/// What frames from debug information need from the symbol table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Nothing,
    /// The outermost function has no name: assembly has lines without a function; stripped files have neither.
    Name,
    /// A better name than `operator()`.
    Label,
}

impl Need {
    fn of(found: &[ResolvedFrame]) -> Self {
        match () {
            () if found.last().is_none_or(|frame| frame.function.is_none()) => Self::Name,
            () if found.iter().any(is_lambda) => Self::Label,
            () => Self::Nothing,
        }
    }
}

fn is_lambda(frame: &ResolvedFrame) -> bool {
    let (name, file) = (frame.function.as_deref(), frame.file.as_deref());
    name.is_some_and(aclsan_frames::is_lambda) && !file.is_some_and(aclsan_frames::is_cpp_library)
}

fn warning(
    module: &str,
    is_found: bool,
    is_nameless: bool,
    rejected: Option<String>,
) -> Option<String> {
    let shown = match is_nameless {
        true => "with module and offset only",
        false => "with function names but no lines",
    };
    let reason = match rejected {
        Some(rejected) => rejected,
        None if !is_found => {
            "no such file here; `--sysroot` or `--debug-dir` may name a copy".to_owned()
        }
        None if is_nameless => {
            "it is stripped; `--debug-dir` may name a folder with its debug file".to_owned()
        }
        None => return None,
    };
    Some(format!("`{module}` is shown {shown}: {reason}"))
}

/// The kernel's own pages have no file that anyone could supply.
fn is_without_file(path: &str) -> bool {
    path.is_empty()
        || path.starts_with('[')
        || path.starts_with("linux-vdso")
        || path.starts_with("linux-gate")
}
