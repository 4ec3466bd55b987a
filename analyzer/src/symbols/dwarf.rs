//! Debug information of one module, from its sections to frames.

use std::cell::{Cell, OnceCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::batch;
use super::debug_files::SearchPaths;
use super::elf::Elf;
use super::error::ElfError;
use super::frame::ResolvedFrame;
use super::interner::Interner;
use super::lookups::Lookups;
use super::sections::Sections;

/// Fewer addresses are not worth a second thread, which lists the units again.
const MIN_FOR_THREAD: usize = 256;

/// The debug information of one module.
pub struct Dwarf {
    sections: Sections,
    file: PathBuf,
    paths: SearchPaths,
    /// What single addresses are looked up in, from the first one on.
    lookups: OnceCell<gimli::Result<Lookups>>,
    is_error_reported: Cell<bool>,
}

impl Dwarf {
    /// Reads the sections of `elf` that lookups need, and those of its `dwz` supplement.
    pub fn read(
        elf: &Elf,
        alternative: Option<&Elf>,
        paths: &SearchPaths,
    ) -> Result<Self, ElfError> {
        Ok(Self {
            sections: Sections::read(elf, alternative)?,
            file: elf.path.clone(),
            paths: paths.clone(),
            lookups: OnceCell::new(),
            is_error_reported: Cell::new(false),
        })
    }

    /// The frames at an ELF virtual address, innermost first; empty where there is no debug information.
    pub fn frames(&self, address: u64, names: &mut Interner) -> Vec<ResolvedFrame> {
        let lookups = self.lookups();
        lookups.map_or_else(Vec::new, |lookups| lookups.frames(address, names))
    }

    /// The frames at each of many sorted addresses, looked up by two threads. Each passes what it finds to `seen`.
    pub fn frames_of(
        &self,
        addresses: &[u64],
        names: &mut Interner,
        seen: impl Fn(&[ResolvedFrame]) + Sync,
    ) -> Vec<Vec<ResolvedFrame>> {
        let sections = self.sections.borrowed();
        let answers = batch::frames_of(&sections, addresses, names, &seen);
        let mut answers = answers.unwrap_or_else(|| vec![None; addresses.len()]);
        let (left, open): (Vec<u64>, Vec<&mut batch::Answer>) = addresses
            .iter()
            .zip(&mut answers)
            .filter(|(_, answer)| answer.is_none())
            .unzip();
        if !left.is_empty()
            && let Some(lookups) = self.lookups()
        {
            let found = match left.len() < MIN_FOR_THREAD {
                true => left.iter().map(|&at| lookups.frames(at, names)).collect(),
                false => lookups.frames_of(&left, names, &seen),
            };
            for (answer, found) in open.into_iter().zip(found) {
                *answer = Some(found);
            }
        }
        answers.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// Returns the first missing `.dwo` file, once: a program has one per source file, and they go missing together.
    pub fn take_missing_dwo(&self) -> Option<&Path> {
        self.lookups.get()?.as_ref().ok()?.take_missing_dwo()
    }

    /// Returns why nothing can be looked up, once.
    pub fn take_error(&self) -> Option<String> {
        let error = *self.lookups.get()?.as_ref().err()?;
        let is_new = !self.is_error_reported.replace(true);
        let of = |error| {
            format!(
                "debug information in `{}` could not be read: {error}",
                self.file.display()
            )
        };
        is_new.then(|| of(ElfError::from(error)))
    }

    fn lookups(&self) -> Option<&Lookups> {
        let lookups = self.lookups.get_or_init(|| {
            let sections = Arc::new(self.sections.shared());
            Lookups::of(sections, self.file.clone(), self.paths.clone())
        });
        lookups.as_ref().ok()
    }
}
