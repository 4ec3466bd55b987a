//! Symbolizes raw addresses that another process recorded, possibly on another machine.
//!
//! An address becomes an ELF virtual address by the module map of its own log; files are found by path, build-id and debug link. A file
//! that is not the recorded build is not used: a frame may lack a line, but never has a wrong one.
//!
//! Limits: 64-bit little-endian ELF, at most 4 GiB read of one file. A crafted file costs a warning, with one exception: `addr2line` 0.27
//! recurses once per level of nested inlining, and some 20,000 levels, which no compiler emits, would overflow the stack.
//!
//! The caches belong to the one thread that assembles the report, instead of being shared in a `dashmap` that the threads reading logs fill. Tried
//! on 25 November 2026 with 64 logs of 100,000 events (`cargo bench -p aclsan-tests --bench many -- 100000x64`), medians of nine alternating runs:
//! `report --json` took 1.39 s with two threads, 1.41 with the same caches in `dashmap`, and 1.49 with every name resolved by the readers;
//! `leaks` took 0.62, 0.64 and 0.71. With eight threads on the same two cores `report --json` took 5 and 7 % more processor time. Most names of a rank are
//! known from the first rank, so looking them up is all that is left to share, and warnings would come in another order each time.

mod batch;
mod debug_files;
mod dwarf;
mod elf;
mod error;
mod frame;
mod functions;
mod inline_depth;
mod interner;
mod interval_map;
mod limits;
mod lookups;
mod module;
mod module_code;
mod sections;
mod sources;
pub mod stacks;
#[cfg(test)]
mod tests;
mod trimming;

use std::collections::HashMap;
use std::sync::Arc;

use aclsan_frames::Pattern;
use aclsan_render::model::{StackKey, StackKeyBuilder};
use aclsan_rules::api::fast_hash::FastMap;

pub use debug_files::SearchPaths;
pub use module::Module;

use frame::ResolvedFrame;
use interner::Interner;
use module_code::ModuleCode;
use sources::Sources;

/// The module of a frame outside all modules.
pub const UNKNOWN_MODULE: &str = "[unknown]";

/// Fewer addresses are not worth a second thread.
const MIN_FOR_THREAD: usize = 512;

/// One line of a symbolized stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Demangled source name; `None` if no symbol covers the address.
    pub function: Option<Arc<str>>,
    /// Source file as the compiler recorded it; `None` without debug information.
    pub file: Option<Arc<str>>,
    /// Source line from 1; `None` without debug information and for generated code.
    pub line: Option<u32>,
    /// Source column from 1; `None` if the debug information has none.
    pub column: Option<u32>,
    /// A better name for a person, where `function` is `operator()`.
    pub label: Option<Arc<str>>,
    /// Path of the module on the recorded machine, or [`UNKNOWN_MODULE`].
    pub module: Arc<str>,
    /// ELF virtual address within the module, as `addr2line -e` takes it; the runtime address if there is no module.
    pub offset: u64,
    /// Whether this frame was inlined into the next one.
    pub inlined: bool,
}

/// Resolves addresses and caches every answer. Keep one for all logs of a report.
pub struct Symbols {
    paths: SearchPaths,
    builds: Vec<Build>,
    /// By path, the builds that logs name.
    by_path: HashMap<String, Vec<ModuleId>>,
    names: Interner,
    warnings: Vec<String>,
    /// Builds stack keys of frames.
    pub printer: StackKeyBuilder,
    /// The program's allocation wrappers.
    wrappers: Vec<Pattern>,
    /// Source files; `None` if they are not wanted.
    sources: Option<Sources>,
}

/// Identifies one build of a module, for repeated lookups in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModuleId(usize);

struct Build {
    build_id: Vec<u8>,
    code: ModuleCode,
    /// Frames by ELF virtual address and whether it is a return address.
    frames: FastMap<(u64, bool), Vec<Frame>>,
    /// Stack keys of return addresses, by ELF virtual address.
    prints: FastMap<u64, StackKey>,
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
            printer: StackKeyBuilder::default(),
            wrappers: Vec::new(),
            sources: Some(Sources::default()),
        }
    }

    /// Skips these allocation wrappers at the inner end of stacks, besides those that a log names (`skip_frames`).
    #[must_use]
    pub fn with_wrappers(self, wrappers: Vec<Pattern>) -> Self {
        Self { wrappers, ..self }
    }

    /// Reads no source files.
    #[must_use]
    pub fn without_sources(self) -> Self {
        Self {
            sources: None,
            ..self
        }
    }

    /// The frames at one recorded address, innermost first, never empty.
    ///
    /// `is_return_address` is true for every frame of a backtrace except one interrupted by a signal: the call is the instruction before,
    /// maybe the last of its function, so the address before is looked up.
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

    /// As [`Symbols::resolve`], in a known module.
    pub fn resolve_in(
        &mut self,
        (module_id, module): (ModuleId, &Module),
        address: u64,
        is_return_address: bool,
    ) -> Vec<Frame> {
        let build = &mut self.builds[module_id.0];
        // A damaged log may have a bias above the address; nothing is found then.
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

    /// The stack key of a return address, if [`Symbols::printed`] stored one.
    #[inline]
    pub fn print(&self, module_id: ModuleId, offset: u64) -> Option<&StackKey> {
        self.builds[module_id.0].prints.get(&offset)
    }

    /// Stores the stack key of a return address.
    pub fn printed(&mut self, module_id: ModuleId, offset: u64, print: StackKey) {
        self.builds[module_id.0].prints.insert(offset, print);
    }

    /// Resolves return addresses of a module ahead of time, if they are many: two CPUs are faster.
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

    /// One sentence for each module whose frames lack what debug information would give. A plain symbol table is no reason for one.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// How many modules were read.
    pub fn modules(&self) -> usize {
        self.builds.len()
    }

    /// Forgets all modules: who follows programs for weeks meets ever new builds. Files are read again when they are needed.
    pub fn forget(&mut self) {
        self.builds.clear();
        self.by_path.clear();
        self.names = Interner::default();
        self.warnings.clear();
    }

    /// The id of a module's build. Its files are read on first use.
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
            frames: FastMap::default(),
            prints: FastMap::default(),
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
        column: found.column,
        label: found.label,
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
        column: None,
        label: None,
        module: Arc::clone(module),
        offset,
        inlined: false,
    }
}
