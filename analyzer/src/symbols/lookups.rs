//! Lookups of addresses by `addr2line`, which keeps what it reads: units, and split `.dwo`/`.dwp` files.

use std::cell::{Cell, OnceCell};
use std::ffi::OsStr;
use std::iter;
use std::os::unix::ffi::OsStrExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use addr2line::{Context, LookupContinuation, LookupResult, SplitDwarfLoad};
use gimli::{DwarfPackage, LittleEndian, Reader as _, Section as _, SectionId};

use super::debug_files::{SearchPaths, under};
use super::elf::Elf;
use super::error::ElfError;
use super::frame::ResolvedFrame;
use super::inline_depth::{InlineDepth, is_unit_bounded};
use super::interner::Interner;
use super::sections::{MIN_FOR_THREAD, Reader, section};

/// The debug information of one module, as far as it was read.
pub struct Lookups {
    sections: Arc<gimli::Dwarf<Reader>>,
    file: PathBuf,
    context: Context<Reader>,
    inline_depth: Arc<InlineDepth<Reader>>,
    package: Option<DwarfPackage<Reader>>,
    paths: SearchPaths,
    /// The first `.dwo` file that a lookup needed and did not find.
    missing_dwo: OnceCell<PathBuf>,
    is_missing_reported: Cell<bool>,
}

impl Lookups {
    /// Lists the units.
    pub fn of(
        sections: Arc<gimli::Dwarf<Reader>>,
        file: PathBuf,
        paths: SearchPaths,
    ) -> gimli::Result<Self> {
        let (inline_depth, context) = thread::scope(|scope| {
            let inline_depth = || Arc::new(InlineDepth::of(&sections));
            let context = || Context::from_arc_dwarf(Arc::clone(&sections));
            if sections.debug_info.reader().len() < MIN_FOR_THREAD {
                return Ok((inline_depth(), context()?));
            }
            let other = thread::Builder::new().spawn_scoped(scope, inline_depth);
            let context = context();
            let inline_depth = match other.map(ScopedJoinHandle::join) {
                Ok(Ok(inline_depth)) => inline_depth,
                Ok(Err(panic)) => resume_unwind(panic),
                Err(_) => inline_depth(),
            };
            Ok::<_, gimli::Error>((inline_depth, context?))
        })?;
        Ok(Self::with(sections, file, paths, (inline_depth, context)))
    }

    fn with(
        sections: Arc<gimli::Dwarf<Reader>>,
        file: PathBuf,
        paths: SearchPaths,
        (inline_depth, context): (Arc<InlineDepth<Reader>>, Context<Reader>),
    ) -> Self {
        Self {
            inline_depth,
            context,
            package: package(&file),
            paths,
            missing_dwo: OnceCell::new(),
            is_missing_reported: Cell::new(false),
            sections,
            file,
        }
    }

    /// The frames at each address, resolved by two threads, one from the front and one from the back. Each reads the debug information it
    /// needs itself, so pass sorted addresses: neighbors share units. Each passes what it finds to `seen`.
    pub fn frames_of(
        &self,
        addresses: &[u64],
        names: &mut Interner,
        seen: impl Fn(&[ResolvedFrame]) + Sync,
    ) -> Vec<Vec<ResolvedFrame>> {
        let (sections, file, paths) = (&self.sections, &self.file, &self.paths);
        let inline_depth = &self.inline_depth;
        let left = Mutex::new(addresses.iter());
        let front = || lock(&left).next();
        let back = || lock(&left).next_back();
        let seen = &seen;
        thread::scope(|scope| {
            let other = thread::Builder::new().spawn_scoped(scope, move || {
                let context = Context::from_arc_dwarf(Arc::clone(sections)).ok()?;
                let known = (Arc::clone(inline_depth), context);
                let twin = Self::with(Arc::clone(sections), file.clone(), paths.clone(), known);
                let mut names = Interner::default();
                let found = iter::from_fn(back).map(|&at| twin.frames(at, &mut names));
                let found = found.inspect(|found| seen(found));
                Some((found.collect::<Vec<_>>(), twin.missing_dwo.into_inner()))
            });
            let found = iter::from_fn(front).map(|&at| self.frames(at, names));
            let mut found: Vec<_> = found.inspect(|found| seen(found)).collect();
            // Without a second thread nothing was taken from the back. The system may be unable to start one.
            match other.map_or(Ok(None), ScopedJoinHandle::join) {
                Ok(Some((rest, missing_dwo))) => {
                    if let Some(missing) = missing_dwo {
                        self.missing_dwo.get_or_init(|| missing);
                    }
                    found.extend(rest.into_iter().rev());
                }
                Ok(None) => {}
                Err(panic) => resume_unwind(panic),
            }
            found
        })
    }

    /// The frames at an ELF virtual address, innermost first; empty where there is no debug information. A damaged unit loses its function
    /// names, then its lines, but no other unit does.
    pub fn frames(&self, address: u64, names: &mut Interner) -> Vec<ResolvedFrame> {
        if address == u64::MAX {
            return Vec::new(); // `addr2line` adds one to what it looks up
        }
        let mut found = match self.inline_depth.is_bounded(address) {
            true => self.functions(address, names),
            false => Vec::new(),
        };
        if found.is_empty()
            && let Ok(Some(location)) = self.context.find_location(address)
        {
            found.push(ResolvedFrame::new(None, Some(&location), names));
        }
        let outermost = found.len().saturating_sub(1);
        for inner in &mut found[..outermost] {
            inner.inlined = true;
        }
        found
    }

    fn functions(&self, address: u64, names: &mut Interner) -> Vec<ResolvedFrame> {
        let mut lookup = self.context.find_frames(address);
        let frames = loop {
            match lookup {
                LookupResult::Output(frames) => break frames,
                LookupResult::Load { load, continuation } => {
                    lookup = continuation.resume(self.split(&load));
                }
            }
        };
        let mut found = Vec::new();
        if let Ok(mut frames) = frames {
            while let Ok(Some(frame)) = frames.next() {
                let name = frame
                    .function
                    .as_ref()
                    .and_then(|function| function.raw_name().ok());
                found.push(ResolvedFrame::new(
                    name.as_deref(),
                    frame.location.as_ref(),
                    names,
                ));
            }
        }
        found
    }

    /// Returns the first missing `.dwo` file, once: a program has one per source file, and they go missing together.
    pub fn take_missing_dwo(&self) -> Option<&Path> {
        let missing = self.missing_dwo.get()?;
        (!self.is_missing_reported.replace(true)).then_some(missing)
    }

    fn split(&self, load: &SplitDwarfLoad<Reader>) -> Option<Arc<gimli::Dwarf<Reader>>> {
        if let Some(package) = &self.package
            && let Ok(Some(unit)) = package.find_cu(load.dwo_id, &load.parent)
        {
            return are_bounded(&unit).then(|| Arc::new(unit));
        }
        let file = path(load.path.as_ref()?)?;
        let path = load
            .comp_dir
            .as_ref()
            .and_then(path)
            .unwrap_or_default()
            .join(&file);
        let mut candidates: Vec<PathBuf> = Vec::new();
        candidates.extend(self.paths.sysroot.iter().map(|root| under(root, &path)));
        candidates.push(path.clone());
        for dir in &self.paths.debug_dirs {
            candidates.push(under(dir, &file));
            candidates.extend(file.file_name().map(|name| dir.join(name)));
        }
        let found = candidates.iter().find_map(|path| dwo(path, load));
        if found.is_none() {
            self.missing_dwo.get_or_init(|| path);
        }
        found.map(Arc::new)
    }
}

/// The remaining addresses are valid even if another thread has panicked.
fn lock<T>(left: &Mutex<T>) -> MutexGuard<'_, T> {
    left.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens a `.dwo` file, if it is the one that the skeleton unit names.
fn dwo(path: &Path, load: &SplitDwarfLoad<Reader>) -> Option<gimli::Dwarf<Reader>> {
    let elf = Elf::open(path).ok()?;
    let mut dwarf = gimli::Dwarf::load(|id| split_section(&elf, id)).ok()?;
    let unit = dwarf.unit(dwarf.units().next().ok()??).ok()?;
    if unit.dwo_id != Some(load.dwo_id) || !are_bounded(&dwarf) {
        return None;
    }
    dwarf.make_dwo(&load.parent);
    Some(dwarf)
}

/// Whether all units of a split file have bounded inlining depth.
fn are_bounded(dwarf: &gimli::Dwarf<Reader>) -> bool {
    let mut headers = dwarf.units();
    iter::from_fn(|| headers.next().ok()?).all(|header| is_unit_bounded(dwarf, &header))
}

/// `NAME.dwp` beside the file, where `dwp -e` puts it.
fn package(path: &Path) -> Option<DwarfPackage<Reader>> {
    let mut name = path.file_name()?.to_owned();
    name.push(".dwp");
    let elf = Elf::open(&path.with_file_name(name)).ok()?;
    DwarfPackage::load(|id| split_section(&elf, id), reader(Arc::default())).ok()
}

fn split_section(elf: &Elf, id: SectionId) -> Result<Reader, ElfError> {
    Ok(reader(section(elf, id, id.dwo_name())?))
}

fn reader(bytes: Arc<[u8]>) -> Reader {
    Reader::new(bytes, LittleEndian)
}

fn path(name: &Reader) -> Option<PathBuf> {
    Some(PathBuf::from(OsStr::from_bytes(&name.to_slice().ok()?)))
}
