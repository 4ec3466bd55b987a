//! A process that has ended, as it was then: its log is closed, and opened again only for the details of a site.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::observed::Observed;
use super::state::{Detail, Finding, Process, Site, State};
use super::totals::Totals;
use crate::logs::packed;
use crate::logs::writer::Survey;
use crate::symbols::Symbols;

/// A finished process.
pub struct Ended {
    path: PathBuf,
    process: Process,
    sites: Vec<Site>,
    findings: Vec<Finding>,
    since: Instant,
    /// The site that was asked for last: a screen asks again and again.
    last: Option<(u32, Option<Detail>)>,
}

impl Ended {
    /// From the only process of a state.
    pub fn new(path: PathBuf, state: State) -> Option<Self> {
        Some(Self {
            path,
            process: state.processes.into_iter().next()?,
            sites: state.sites,
            findings: state.findings,
            since: Instant::now(),
            last: None,
        })
    }

    /// Where the log is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The log has another name now: it was packed.
    pub fn move_to(&mut self, path: PathBuf) {
        self.path = path;
    }

    /// How long ago it ended.
    pub fn age(&self) -> Duration {
        self.since.elapsed()
    }

    /// Sites and findings that it keeps.
    pub fn size(&self) -> usize {
        self.sites.len() + self.findings.len()
    }

    /// Adds it to a state.
    pub fn add_to(&self, state: &mut State) {
        state.processes.push(self.process.clone());
        state.sites.extend_from_slice(&self.sites);
        state.findings.extend_from_slice(&self.findings);
    }

    /// Adds what it counted.
    pub fn sum_into(&self, totals: &mut Totals) {
        self.process.sum_into(totals, &self.findings);
    }

    /// Stack, blocks, lifetimes and ages of a site. Reads the log again.
    pub fn detail(&mut self, site: u32, symbols: &mut Symbols) -> Option<Detail> {
        if let Some((of, detail)) = &self.last
            && *of == site
        {
            return detail.clone();
        }
        let detail = packed::follow(&self.path).ok().and_then(|follower| {
            let mut observed = Observed::new(self.path.clone(), follower);
            let (stop, mut survey) = (AtomicBool::new(false), Survey::default());
            while observed.look(&stop, &mut survey) {}
            observed.detail(site, symbols)
        });
        self.last = Some((site, detail.clone()));
        detail
    }
}
