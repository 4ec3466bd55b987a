use std::fs;
use std::path::Path;

use aclsan_log::Event;
use aclsan_log::builder::LogBuilder;
use aclsan_log::record::Definition;

use super::state::Life;
use super::*;
use crate::report::dataset::write::{self, ExportOptions};
use crate::symbols::SearchPaths;

mod ended; // processes that end, and are forgotten

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("aclsan-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn watch(folder: &Path) -> Watch {
    watch_with(vec![folder.to_owned()], KEEP)
}

fn watch_with(arguments: Vec<PathBuf>, keep: Duration) -> Watch {
    let suppressions = Suppressions::read(&[], false).expect("no lines");
    let settings = Settings { suppressions, keep };
    let symbols = Symbols::new(SearchPaths::default());
    let mut watch = Watch::new(arguments, symbols, settings).expect("they are there");
    look(&mut watch);
    watch
}

fn look(watch: &mut Watch) -> State {
    watch.listing.expire();
    while watch.look(&AtomicBool::new(false)) {}
    watch.state()
}

/// Writes a log over its earlier, shorter self: the file stays the same.
fn write(file: &Path, builder: &LogBuilder) {
    use std::io::Write;
    let opened = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(file);
    opened
        .and_then(|mut file| file.write_all(&builder.bytes()))
        .expect("it is written");
}

fn live(state: &State) -> u64 {
    let devices = state.processes.iter().flat_map(|process| &process.devices);
    devices.map(|device| device.live).sum()
}

#[test]
fn numbers_follow_the_log_and_new_sites_are_learnt() {
    let folder = Folder::new("watch-grows");
    let file = folder.path().join("7.aclsan");
    let mut builder = LogBuilder::default();
    builder.process(7, 1);
    let first = builder.site("aclrtMalloc", 0, 0, &[0x10]);
    let free = builder.site("aclrtFree", 0, 0, &[0x20]);
    builder.at(10);
    let block = builder.allocation(1, first, 0x10_0000, 4096);
    write(&file, &builder);
    let mut watch = watch(folder.path());
    let state = watch.state();
    assert_eq!((live(&state), state.sites.len()), (4096, 1));
    assert_eq!(state.processes[0].life, Life::Gone, "nobody writes it");

    // A site that the log did not have before, on another device, and a release of what was there.
    let second = builder.site("aclrtMalloc", 0, 1, &[0x30]);
    builder.at(20);
    builder.allocation(2, second, 0x20_0000, 100);
    builder.event(2, Event::Release { block, site: free });
    write(&file, &builder);
    let state = look(&mut watch);
    assert_eq!((live(&state), state.sites.len()), (100, 2));
    let devices = &state.processes[0].devices;
    let live: Vec<_> = devices
        .iter()
        .map(|of| (of.device, of.live, of.peak.0))
        .collect();
    assert_eq!(live, [(0, 0, 4096), (1, 100, 100)]);
    assert_eq!(state.processes[0].events, 3);

    // A mistake, and the end.
    builder.at(30);
    builder.event(2, Event::Release { block, site: free });
    builder.event(2, Event::Exit);
    write(&file, &builder);
    let state = look(&mut watch);
    assert_eq!(state.findings[0].rule, "double-free");
    assert_eq!(state.tally(), [1, 0, 0]);
    assert_eq!(state.processes[0].life, Life::Exited);
    assert!(!watch.is_running());
}

#[test]
fn a_rank_that_begins_later_is_found_and_a_packed_log_is_the_same() {
    let folder = Folder::new("watch-ranks");
    let mut watch = watch(folder.path());
    assert!(watch.state().processes.is_empty() && watch.is_running());
    let mut builder = LogBuilder::default();
    for pid in [7, 8] {
        builder = LogBuilder::default();
        builder.process(pid, 1);
        let site = builder.site("aclrtMalloc", 0, 0, &[0x10]);
        builder.allocation(1, site, 0x10_0000, 4096);
        let file = folder.path().join(format!("{pid}.aclsan"));
        // One that has just begun has no whole header yet.
        fs::write(&file, &builder.bytes()[..100]).expect("it is written");
        look(&mut watch);
        write(&file, &builder);
        look(&mut watch);
    }
    let state = look(&mut watch);
    assert_eq!((state.processes.len(), live(&state)), (2, 8192));
    assert!(state.unreadable.is_empty(), "{:?}", state.unreadable);
    let log = folder.path().join("8.aclsan");
    let mut packed = Vec::new();
    let file = fs::File::open(&log).expect("it is there");
    packed::pack(&file, builder.bytes().len() as u64, &mut packed).expect("it is packed");
    fs::write(folder.path().join("8.aclsan.zst"), packed).expect("it is written");
    fs::remove_file(&log).expect("it is there");
    let state = look(&mut watch);
    assert_eq!((state.processes.len(), live(&state)), (2, 8192));
}

#[test]
fn a_site_has_its_blocks_by_size_and_age() {
    let folder = Folder::new("watch-detail");
    let mut builder = LogBuilder::default();
    let site = builder.site("aclrtMalloc", 0, 0, &[0x10]);
    let free = builder.site("aclrtFree", 0, 0, &[0x20]);
    let second = 1_000_000_000;
    for number in 1..=3 {
        builder.at(number * second);
        builder.allocation(1, site, number << 20, number * 1000);
    }
    let short = builder.allocation(1, site, 9 << 20, 9000);
    builder.at(5 * second);
    builder.event(
        1,
        Event::Release {
            block: short,
            site: free,
        },
    );
    builder.at(101 * second);
    builder.event(1, Event::Exit);
    write(&folder.path().join("1.aclsan"), &builder);
    let mut watch = watch(folder.path());
    let key = watch.state().sites[0].key;
    let detail = watch.detail(key).expect("it is known");
    let sizes: Vec<u64> = detail.blocks.iter().map(|block| block.1).collect();
    assert_eq!(sizes, [3000, 2000, 1000]);
    assert_eq!(detail.ages[3], (3, 6000), "between a minute and ten");
    let (count, [_, _, longest]) = detail.lifetimes;
    assert_eq!(
        (count, longest / 100_000_000),
        (1, 20),
        "2 s, at most a 32nd more"
    );
    let unknown = SiteKey {
        process: 0,
        site: 99,
    };
    assert!(watch.detail(unknown).is_none());
}

#[test]
fn a_site_of_a_dataset_is_read_once_and_a_lost_file_is_named() {
    let folder = Folder::new("watch-dataset");
    let log = folder.path().join("1.aclsan");
    let mut builder = LogBuilder::default();
    let sites = [[0x10], [0x20]].map(|stack| builder.site("aclrtMalloc", 0, 0, &stack));
    for (site, number) in sites.into_iter().zip(1..) {
        builder.allocation(1, site, number << 20, number * 1000);
    }
    builder.event(1, Event::Exit);
    write(&log, &builder);
    let dataset = folder.path().join("set");
    let symbols = Symbols::new(SearchPaths::default());
    write::write(&[log], symbols, &dataset, &ExportOptions::default()).expect("it is written");
    let mut watch = watch(&dataset);
    let state = watch.state();
    let [shown, other] = [0, 1].map(|at| state.sites[at].key);
    let before = watch.detail(shown).expect("it is known").blocks;
    fs::remove_dir_all(&dataset).expect("it is there");
    let after = watch.detail(shown).expect("it has been read").blocks;
    assert!(before == after && before.len() == 1, "{before:?} {after:?}");
    assert!(state.unreadable.is_empty());
    for _ in 0..2 {
        assert!(watch.detail(other).is_none());
        assert_eq!(watch.state().unreadable.len(), 1);
    }
}
