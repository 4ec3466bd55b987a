//! Symbols for raw addresses that another process recorded, maybe on another machine.
//!
//! An address is turned back into an ELF virtual address with the module map of its
//! own log; the files are found by path, build-id and debug link. A file that is
//! not the recorded build is not used, so a frame may lack a line and never has
//! a wrong one.
//!
//! Limits: 64-bit little-endian ELF; at most 4 GiB are read of one file. A crafted
//! file costs a warning, with one exception: `addr2line` 0.27 recurses once per level
//! of nested inlining, and some 20,000 levels, which no compiler emits, end the process.

mod debug_files;
mod demangle;
mod dwarf;
mod elf;
mod error;
mod frame;
mod functions;
mod inline_depth;
mod interner;
mod interval_map;
mod limits;
mod module;
mod module_code;
mod non_ascii;
pub mod stacks;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use aclsan_render::model::{Print, Printer};
use aclsan_rules::numbers::ByNumber;

pub use debug_files::SearchPaths;
pub use demangle::demangle;
pub use module::Module;

use frame::ResolvedFrame;
use interner::Interner;
use module_code::ModuleCode;

/// The module of a frame that belongs to none.
pub const UNKNOWN_MODULE: &str = "[unknown]";

/// Fewer addresses are not worth a thread.
const MIN_FOR_THREAD: usize = 512;

/// One line of a symbolised stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Source name, demangled; `None` when no symbol covers the address.
    pub function: Option<Arc<str>>,
    /// Source file as the compiler recorded it; `None` without debug information.
    pub file: Option<Arc<str>>,
    /// Source line from 1; `None` without debug information and for generated code.
    pub line: Option<u32>,
    /// Path of the module on the recorded machine, or [`UNKNOWN_MODULE`].
    pub module: Arc<str>,
    /// ELF virtual address within the module, as `addr2line -e` takes it; without
    /// a module the runtime address itself.
    pub offset: u64,
    /// Whether this frame was inlined into the next one.
    pub inlined: bool,
}

/// Resolves addresses and remembers every answer. Keep one for all logs of a report.
pub struct Symbols {
    paths: SearchPaths,
    builds: Vec<Build>,
    /// By path, the builds of it that logs named.
    by_path: HashMap<String, Vec<ModuleId>>,
    names: Interner,
    warnings: Vec<String>,
    /// What makes prints of frames.
    pub printer: Printer,
}

/// Which build of a module it is, to whoever asks for many of its addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModuleId(usize);

struct Build {
    build_id: Vec<u8>,
    code: ModuleCode,
    /// Answers by ELF virtual address and whether it is a return address.
    frames: ByNumber<(u64, bool), Vec<Frame>>,
    /// Prints of return addresses by ELF virtual address.
    prints: ByNumber<u64, Print>,
}

impl Symbols {
    /// Opens nothing yet.
    pub fn new(paths: SearchPaths) -> Self {
        Self {
            paths,
            builds: Vec::new(),
            by_path: HashMap::new(),
            names: Interner::default(),
            warnings: Vec::new(),
            printer: Printer::default(),
        }
    }

    /// The frames behind one recorded address, innermost first, never empty.
    ///
    /// `is_return_address` holds for every frame of a backtrace but one that
    /// a signal interrupted: the call is the instruction before, maybe the last of
    /// its function, so the address before is looked up.
    pub fn resolve(
        &mut self,
        module: Option<&Module>,
        address: u64,
        is_return_address: bool,
    ) -> Vec<Frame> {
        match module {
            None => vec![unresolved(&self.names.text(UNKNOWN_MODULE), address)],
            Some(module) => {
                let module_id = self.module_id(module);
                self.resolve_in((module_id, module), address, is_return_address)
            }
        }
    }

    /// The same in a module that was met.
    pub fn resolve_in(
        &mut self,
        (module_id, module): (ModuleId, &Module),
        address: u64,
        is_return_address: bool,
    ) -> Vec<Frame> {
        let build = &mut self.builds[module_id.0];
        // A damaged log may give a bias above the address; nothing is found there.
        let offset = address.wrapping_sub(module.bias);
        if let Some(frames) = build.frames.get(&(offset, is_return_address)) {
            return frames.clone();
        }
        let address = offset.wrapping_sub(u64::from(is_return_address));
        let found = build.code.frames(address, &mut self.names);
        self.warnings.extend(build.code.late_warning(module));
        let frames = to_frames(found, offset, &self.names.text(&module.path));
        build
            .frames
            .insert((offset, is_return_address), frames.clone());
        frames
    }

    /// The print of a return address, if [`Symbols::printed`] told one before.
    #[inline]
    pub fn print(&self, module_id: ModuleId, offset: u64) -> Option<&Print> {
        self.builds[module_id.0].prints.get(&offset)
    }

    /// Remembers the print of a return address.
    pub fn printed(&mut self, module_id: ModuleId, offset: u64, print: Print) {
        self.builds[module_id.0].prints.insert(offset, print);
    }

    /// Looks up return addresses in a module that will be asked for, if they are many: two processors are faster.
    pub fn prepare(&mut self, (module_id, module): (ModuleId, &Module), addresses: &[u64]) {
        if addresses.len() < MIN_FOR_THREAD {
            return;
        }
        let build = &mut self.builds[module_id.0];
        let offsets = addresses.iter().map(|at| at.wrapping_sub(module.bias));
        let mut offsets: Vec<u64> = offsets
            .filter(|&offset| !build.frames.contains_key(&(offset, true)))
            .collect();
        offsets.sort_unstable();
        offsets.dedup();
        if offsets.len() < MIN_FOR_THREAD {
            return;
        }
        let calls: Vec<u64> = offsets.iter().map(|at| at.wrapping_sub(1)).collect();
        let found = build.code.frames_of(&calls, &mut self.names);
        self.warnings.extend(build.code.late_warning(module));
        let path = self.names.text(&module.path);
        for (offset, found) in offsets.into_iter().zip(found) {
            build
                .frames
                .insert((offset, true), to_frames(found, offset, &path));
        }
    }

    /// One sentence for each module met so far whose frames lack what debug
    /// information would give. A plain symbol table is no cause for one.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Which build a module is: its files are read when it is met first.
    pub fn module_id(&mut self, module: &Module) -> ModuleId {
        let known = self.by_path.get(&module.path);
        let mut known = known.into_iter().flatten();
        let is_it = |module_id: &&ModuleId| self.builds[module_id.0].build_id == module.build_id;
        if let Some(&module_id) = known.find(is_it) {
            return module_id;
        }
        let (code, warning) = ModuleCode::load(module, &self.paths);
        self.warnings.extend(warning);
        let module_id = ModuleId(self.builds.len());
        self.builds.push(Build {
            build_id: module.build_id.clone(),
            code,
            frames: ByNumber::default(),
            prints: ByNumber::default(),
        });
        self.by_path
            .entry(module.path.clone())
            .or_default()
            .push(module_id);
        module_id
    }
}

/// At least one frame.
fn to_frames(found: Vec<ResolvedFrame>, offset: u64, module: &Arc<str>) -> Vec<Frame> {
    if found.is_empty() {
        return vec![unresolved(module, offset)];
    }
    let frames = found.into_iter().map(|found| Frame {
        function: found.function,
        file: found.file,
        line: found.line,
        inlined: found.inlined,
        ..unresolved(module, offset)
    });
    frames.collect()
}

fn unresolved(module: &Arc<str>, offset: u64) -> Frame {
    Frame {
        function: None,
        file: None,
        line: None,
        module: Arc::clone(module),
        offset,
        inlined: false,
    }
}
