//! Tables to processes of a report.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use aclsan_dataset::error::{Unusable, Why};
use aclsan_dataset::place::{self, Place};
use aclsan_dataset::read;
use aclsan_dataset::table::Row;
use aclsan_dataset::tables::{
    Allocation, Block, Call, Category, Epoch, Failure, Finding, Frame, Layout, Leak, Point, Pool,
    Process, Site, Usage,
};
use aclsan_frames::Hidden;
use aclsan_render::model::{
    self, CategoryPoint, CategoryUse, Frames, Language, Name, SourceLines, Stacks, Trace,
};
use anyhow::Context;

use super::texts;
use crate::io::ordered_pool;

/// A process as the tables have it.
pub struct Stored {
    pub process: Process,
    pub traces: HashMap<u32, Trace>,
    /// The names of sites, which sites with the same stack share.
    pub sites: HashMap<u32, String>,
    pub leaks: Vec<Leak>,
    pub findings: Vec<Finding>,
    pub allocations: Vec<Allocation>,
    pub points: Vec<model::Point>,
    /// The same of each device, if there are several.
    pub device_points: Vec<(i32, Vec<model::Point>)>,
    pub epochs: Vec<Epoch>,
    pub pools: Vec<Pool>,
    pub failures: Vec<Failure>,
    pub usage: Vec<Usage>,
    pub calls: Vec<Call>,
    pub layouts: Vec<Layout>,
    pub categories: Vec<CategoryUse>,
}

impl Stored {
    /// Reads a process.
    ///
    /// # Errors
    /// If one of its files is missing or cannot be read.
    pub fn read(dataset: &Path, place: &Place) -> Result<Self, Unusable> {
        stored(dataset, place, &Names::default())
    }

    /// The call with this number; empty if the tables lack it.
    pub fn trace(&self, what: &'static str, stack: u32, with_source: bool) -> Trace {
        let known = self.traces.get(&stack);
        let mut trace = known.cloned().unwrap_or_default();
        trace.what = what;
        if !with_source {
            trace.source = None;
        }
        trace
    }

    /// The stacks of a finding.
    pub fn stacks(&self, row: &Finding, with_source: bool) -> Stacks {
        let earlier = row.earlier.lines().filter_map(|line| {
            let (what, stack) = line.rsplit_once(' ')?;
            Some(self.trace(word(what), stack.parse().ok()?, false))
        });
        Stacks {
            here: self.trace("here", row.stack, with_source),
            earlier: earlier.collect(),
        }
    }
}

/// Whether an argument names a dataset.
pub fn is_meant(argument: &Path) -> bool {
    argument.is_dir() && place::is_dataset(argument)
}

/// The number of its processes.
///
/// # Errors
/// If the folders cannot be read.
pub fn count(dataset: &Path) -> anyhow::Result<usize> {
    let listed = place::processes(dataset);
    let listed = listed.with_context(|| format!("cannot read folder `{}`", dataset.display()));
    listed.map(|(places, _)| places.len())
}

/// Passes every process of the dataset to `each`, in order of their paths. Returns a sentence for each one that cannot be read, and for
/// each file that does not belong there.
///
/// # Errors
/// If the folders cannot be read.
pub fn processes(
    dataset: &Path,
    mut each: impl FnMut(&Place, &Stored),
) -> anyhow::Result<Vec<String>> {
    let listed = place::processes(dataset);
    let (places, foreign) =
        listed.with_context(|| format!("cannot read folder `{}`", dataset.display()))?;
    let mut sentences: Vec<String> = foreign.iter().map(|file| stray(file)).collect();
    let names = Mutex::default();
    ordered_pool::map_ordered(
        places.len(),
        |at| stored(dataset, &places[at], &names),
        |at, read| match read {
            Ok(stored) => each(&places[at], stored),
            Err(unusable) => sentences.push(unusable.to_string()),
        },
    );
    Ok(sentences)
}

fn stray(file: &Path) -> String {
    format!("`{}` is no file of a dataset; move it away", file.display())
}

/// Names that frames share.
type Names = Mutex<HashSet<Name>>;

fn stored(dataset: &Path, place: &Place, names: &Names) -> Result<Stored, Unusable> {
    // A dataset from elsewhere may lack its blocks by intent, but not by accident.
    let blocks = place.file(dataset, Block::TABLE);
    if !blocks.is_file() {
        return Err(missing(blocks));
    }
    let (file, mut process) = (place.file(dataset, Process::TABLE), None);
    let version = read::rows(&file, |row: Process| process = Some(row))?;
    let process = process.ok_or_else(|| missing(file))?;
    let (traces, sites) = traces(dataset, place, names)?;
    let timeline: Vec<Point> = all(dataset, place)?;
    let categories = match version >= Category::FIELDS[0].since {
        true => all(dataset, place)?,
        false => Vec::new(),
    };
    Ok(Stored {
        traces,
        sites,
        leaks: all(dataset, place)?,
        findings: all(dataset, place)?,
        allocations: all(dataset, place)?,
        points: points(timeline.iter().filter(|row| !row.is_part)),
        device_points: device_points(&timeline),
        categories: category_uses(categories, &timeline),
        epochs: all(dataset, place)?,
        pools: all(dataset, place)?,
        failures: all(dataset, place)?,
        usage: all(dataset, place)?,
        calls: all(dataset, place)?,
        layouts: all(dataset, place)?,
        process,
    })
}

fn missing(file: PathBuf) -> Unusable {
    Unusable {
        file,
        why: Why::Missing,
    }
}

fn all<R: Row>(dataset: &Path, place: &Place) -> Result<Vec<R>, Unusable> {
    read::all(&place.file(dataset, R::TABLE))
}

/// Traces and names of sites, by number.
type Traces = (HashMap<u32, Trace>, HashMap<u32, String>);

fn traces(dataset: &Path, place: &Place, names: &Names) -> Result<Traces, Unusable> {
    let mut frames: HashMap<u32, Vec<model::Frame>> = HashMap::new();
    let mut of_file: HashMap<String, Name> = HashMap::new();
    let mut shared = |text: String| -> Name {
        if let Some(known) = of_file.get(&text) {
            return known.clone();
        }
        let mut all = names.lock().unwrap_or_else(PoisonError::into_inner);
        let name = match all.get(text.as_str()) {
            Some(known) => known.clone(),
            None => {
                let name: Name = Arc::from(text.as_str());
                all.insert(name.clone());
                name
            }
        };
        of_file.insert(text, name.clone());
        name
    };
    read::rows(&place.file(dataset, Frame::TABLE), |row: Frame| {
        let frame = model::Frame {
            language: match row.language.as_str() {
                "python" => Language::Python,
                _ => Language::Native,
            },
            address: row.address.0,
            function: row.function.map(&mut shared),
            file: row.file.map(&mut shared),
            line: row.line,
            column: row.column,
            label: row.label.map(&mut shared),
            module: shared(row.module),
            offset: row.module_offset.0,
            inlined: row.inlined,
            trimmed: row.trimmed.and_then(|name| hidden(&name)),
        };
        frames.entry(row.stack).or_default().push(frame);
    })?;
    let sites: Vec<Site> = all(dataset, place)?;
    let traces = sites.into_iter().map(|site| {
        let frames = Frames::from(frames.remove(&site.stack).unwrap_or_default());
        let source = site.source.as_ref().and_then(|source| {
            let number = site.source_frame? as usize;
            let frame = frames.get(number)?;
            Some(Box::new(SourceLines {
                frame: number,
                file: frame.file.clone()?,
                line: frame.line?,
                column: frame.column,
                first: site.source_first?,
                lines: source.split('\n').map(str::to_owned).collect(),
            }))
        });
        let trace = Trace {
            what: "",
            function: site.function,
            frames,
            source,
        };
        ((site.stack, trace), (site.stack, site.site))
    });
    Ok(traces.unzip())
}

fn hidden(name: &str) -> Option<Hidden> {
    Hidden::ALL.into_iter().find(|hidden| hidden.name() == name)
}

/// Points of all families, from rows of one family each.
fn points<'a>(rows: impl Iterator<Item = &'a Point>) -> Vec<model::Point> {
    let families = aclsan_rules::api::family::Family::MEMORY.map(|family| family.name());
    let mut points: BTreeMap<u32, model::Point> = BTreeMap::new();
    for row in rows {
        let point = points.entry(row.point).or_insert(model::Point {
            ns: row.ns,
            live: [0; model::LINES],
        });
        if let Some(at) = families.iter().position(|name| *name == row.family) {
            point.live[at] = row.live_bytes;
        }
    }
    points.into_values().collect()
}

fn device_points(timeline: &[Point]) -> Vec<(i32, Vec<model::Point>)> {
    let parts = || timeline.iter().filter(|row| row.is_part);
    let devices: BTreeSet<i32> = parts().filter_map(|row| row.device).collect();
    let of = |device: i32| points(parts().filter(|row| row.device == Some(device)));
    devices
        .into_iter()
        .map(|device| (device, of(device)))
        .collect()
}

/// What memory is for, with its points in the timeline.
fn category_uses(rows: Vec<Category>, timeline: &[Point]) -> Vec<CategoryUse> {
    let uses = rows.into_iter().map(|row| {
        let own = |point: &&Point| point.family.is_empty() && point.category == row.category;
        let points = timeline.iter().filter(own).map(|point| CategoryPoint {
            ns: point.ns,
            bytes: point.live_bytes,
        });
        CategoryUse {
            name: word(&row.category),
            allocations: row.allocations,
            live_blocks: row.live_blocks,
            live_bytes: row.live_bytes,
            peak_bytes: row.peak_bytes,
            peak_ns: row.peak_ns,
            idle_bytes: row.idle_bytes,
            oversized_bytes: row.oversized_bytes,
            over_time: points.collect(),
            ..CategoryUse::default()
        }
    });
    uses.collect()
}

/// Lines of a column.
pub fn lines(column: &str) -> Vec<String> {
    texts(column)
}

/// Words that the model takes from a fixed list, and how many that no list has are kept: a damaged file must not fill the memory.
const WORDS: usize = 4096;

/// A word of the model. Its lists are short, so words are kept for the whole run.
pub fn word(text: &str) -> &'static str {
    static KNOWN: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(word) = known.get(text) {
        return word;
    }
    if known.len() >= WORDS {
        return "unknown";
    }
    let word: &'static str = Box::leak(text.to_owned().into_boxed_str());
    known.insert(word);
    word
}
