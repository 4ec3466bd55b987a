//! Rows of a dataset, by themselves and as `aclsan top` shows them.

use std::fs;

use aclsan_dataset::read;
use aclsan_dataset::table::Row;
use aclsan_dataset::tables::{Block, Epoch, Leak, Point, Site, SnapshotBlock};
use aclsan_log::{Definition, Event};
use serde_json::Value;

use super::datasets::{export, file_of, files, ranks};
use super::story::*;

/// The rows of the only process.
fn rows<R: Row>(folder: &Folder, set: &str) -> Vec<R> {
    let file = files(&folder.path().join(set).join(R::TABLE)).remove(0);
    read::all(&file).unwrap()
}

#[test]
fn sites_have_one_name_in_every_process() {
    let folder = ranks(3);
    export(&folder);
    let sites = |pid: u32| {
        let file = file_of(&folder, "sites", pid);
        let rows: Vec<Site> = read::all(&file).unwrap();
        rows.into_iter().map(|row| row.site).collect::<Vec<_>>()
    };
    assert_eq!(sites(5000), sites(5001));
    assert_eq!(sites(5000).len(), 2);
}

#[test]
fn what_a_process_leaks_is_in_its_blocks() {
    let folder = Folder::new();
    folder.file("logs/a.aclsan", &faulty().bytes());
    export(&folder);
    let (blocks, leaks): (Vec<Block>, Vec<Leak>) = (rows(&folder, "set"), rows(&folder, "set"));
    assert!(!leaks.is_empty());
    for leak in &leaks {
        let of_leak = || blocks.iter().filter(|block| block.leak == Some(leak.leak));
        let parts = || leaks.iter().filter(|part| part.leak == leak.leak);
        let bytes: u64 = of_leak().map(|block| block.size_bytes).sum();
        assert_eq!(bytes, parts().map(|part| part.bytes).sum::<u64>());
        assert!(of_leak().all(|block| block.class.as_ref() == Some(&leak.class)));
    }
}

#[test]
fn parts_of_a_pool_are_leaks_and_its_memory_is_none() {
    let (mut synth, malloc, _) = beginning();
    let create = synth.site("aclsan_pool_create", 0, -1, &[0x40_1900]);
    let alloc = synth.site("aclsan_pool_alloc", 0, -1, &[0x40_1a00]);
    synth.allocation(7, malloc, 0x10_0000, 1 << 20);
    synth.event(7, called(create, &[1, 0, 0x10_0000, 1 << 20]));
    synth.event(7, called(alloc, &[1, 0x10_0000, 96, 0]));
    synth.event(7, Event::Exit);
    let folder = Folder::new();
    folder.file("logs/a.aclsan", &synth.bytes());
    export(&folder);
    let (blocks, leaks): (Vec<Block>, Vec<Leak>) = (rows(&folder, "set"), rows(&folder, "set"));
    let memory = blocks
        .iter()
        .map(|block| (block.size_bytes, block.leak, &block.class));
    assert_eq!(memory.collect::<Vec<_>>(), [(1 << 20, None, &None)]);
    let parts = leaks.iter().map(|leak| (leak.blocks, leak.bytes));
    assert_eq!(parts.collect::<Vec<_>>(), [(1, 96)]);
}

#[test]
fn blocks_at_snapshots_are_written_where_they_are_asked_for() {
    let folder = super::differences::steps();
    for (set, more, expected) in [
        ("without", &[][..], &[][..]),
        // Three kept ones and the one that lived for the step.
        ("with", &["--snapshot-blocks"], &[24, 1000, 1000, 1000]),
    ] {
        let export = ["export", "--format", "parquet", "a.aclsan", "-o", set];
        let said = folder.run(&[&export[..], more].concat());
        assert_eq!((said.code, said.err.as_str()), (0, ""));
        let blocks: Vec<SnapshotBlock> = rows(&folder, set);
        let mut bytes: Vec<u64> = blocks.iter().map(|block| block.size_bytes).collect();
        bytes.sort_unstable();
        assert_eq!(bytes, expected);
        let epochs: Vec<Epoch> = rows(&folder, set);
        let snapshot = epochs
            .iter()
            .find(|epoch| epoch.kind == "snapshot")
            .unwrap();
        assert!(
            blocks
                .iter()
                .all(|block| block.snapshot_ns == snapshot.begin_ns)
        );
    }
    let said = folder.run(&[
        "export",
        "--format",
        "json",
        "--snapshot-blocks",
        "a.aclsan",
    ]);
    assert_eq!(said.code, 2);
}

#[test]
fn top_shows_a_dataset_as_it_was_exported() {
    let folder = ranks(3);
    export(&folder);
    let [of_logs, of_tables] =
        ["logs", "set"].map(|place| folder.run(&["top", "--json", place]).json());
    let kept = |mut value: Value, members: &[&str]| {
        for one in value.as_array_mut().unwrap() {
            let one = one.as_object_mut().unwrap();
            // Numbers of sites are those of the log, and lately means while it runs.
            members.iter().for_each(|member| drop(one.remove(*member)));
        }
        value
    };
    for (part, not_held) in [
        (
            "processes",
            &["allocations_per_second", "releases_per_second", "log"][..],
        ),
        ("sites", &["allocations_per_second"]),
        ("findings", &[]),
    ] {
        let [of_logs, of_tables] =
            [&of_logs, &of_tables].map(|all| kept(all[part].clone(), not_held));
        assert_eq!(of_logs, of_tables, "{part}");
    }
    let screen = folder.run(&["top", "--once", "set"]);
    assert_eq!(screen.code, 0, "{}", screen.err);
    assert!(screen.out.contains("5000"), "{}", screen.out);
    fs::remove_file(file_of(&folder, "blocks", 5001)).unwrap();
    let said = folder.run(&["top", "--json", "set"]).json();
    assert_eq!(said["processes"].as_array().unwrap().len(), 2);
    assert!(
        said["unreadable"][0]
            .as_str()
            .unwrap()
            .contains("/pid=5001/")
    );
}

#[test]
fn the_timelines_of_several_devices_add_up() {
    let (mut synth, malloc, free) = beginning();
    let other = synth.site("aclrtMalloc", 0, 1, &[0x40_1000, 0x40_2000]);
    let host = synth.site("aclrtMallocHost", 0, 0, &[0x40_1300]);
    let first = synth.at(1000).allocation(7, malloc, 0x10_0000, 100);
    synth.at(2000).allocation(7, host, 0x7f00_0000_0000, 7);
    synth.at(3000).allocation(7, other, 0x20_0000, 30);
    let block = first;
    synth
        .at(4000)
        .event(7, Event::Release { block, site: free });
    synth.at(5000).event(7, Event::Exit);
    let folder = Folder::new();
    folder.file("logs/a.aclsan", &synth.bytes());
    export(&folder);
    let rows: Vec<Point> = rows(&folder, "set");
    let at = |device: Option<i32>, is_part: bool, ns: u64| {
        let until = rows
            .iter()
            .filter(|row| row.family == "device" && row.ns <= ns);
        let mut of = until.filter(|row| (row.device, row.is_part) == (device, is_part));
        of.next_back().map(|row| row.live_bytes)
    };
    for (ns, all, first, second) in [
        (1000, 100, 100, None),
        (3000, 130, 100, Some(30)),
        (4000, 30, 0, Some(30)),
    ] {
        assert_eq!(at(None, false, ns), Some(all), "{ns}");
        assert_eq!(at(Some(0), true, ns), Some(first), "{ns}");
        assert_eq!(at(Some(1), true, ns), second, "{ns}");
    }
    assert!(
        rows.iter()
            .all(|row| row.family == "device" || !row.is_part)
    );
    // The report has the sums.
    let [of_log, of_tables] =
        ["logs", "set"].map(|place| folder.run(&["report", "--json", place]).json());
    assert_eq!(of_log["timeline"], of_tables["timeline"]);
}

#[test]
fn what_memory_is_for_is_the_same_from_tables() {
    let (mut synth, malloc, free) = beginning();
    let category = synth.site("aclsan_category", 0, -1, &[0x40_1500]);
    let epoch = synth.site("aclsan_epoch", 0, -1, &[0x40_1600]);
    for (id, text) in [(1, "weights"), (2, "activations"), (3, "step")] {
        let text = text.to_owned();
        synth.define(Definition::Text { id, text });
    }
    synth.at(100).allocation(7, malloc, 0x10_0000, 4096);
    synth.event(7, called(category, &[0x10_0000, 1]));
    for step in 1..4 {
        synth.at(1000 * step).event(7, called(epoch, &[3]));
        let block = synth.allocation(7, malloc, 0x90_0000, 1000 * step);
        synth.event(7, called(category, &[0x90_0000, 2]));
        synth.at(1000 * step + 500);
        synth.event(7, Event::Release { block, site: free });
    }
    synth.at(9000).event(7, Event::Exit);
    let folder = Folder::new();
    folder.file("logs/a.aclsan", &synth.bytes());
    export(&folder);
    let [of_log, of_tables] =
        ["logs", "set"].map(|place| folder.run(&["report", "--json", place]).json());
    let categories = &of_log["annotations"]["categories"];
    assert_eq!(categories.as_array().unwrap().len(), 2, "{categories}");
    assert_eq!(categories, &of_tables["annotations"]["categories"]);
    for (budget, code) in [("2KiB", 1), ("1MiB", 0)] {
        let settings =
            format!("[check]\nmax_leak = \"1MiB\"\nmax_peak = {{ activations = \"{budget}\" }}\n");
        folder.file("aclsan.toml", settings.as_bytes());
        let said = folder.run(&["check", "set"]);
        assert_eq!(said.code, code, "{}{}", said.out, said.err);
    }
    // A lost table is no table of an older version.
    fs::remove_file(files(&folder.path().join("set/categories")).remove(0)).unwrap();
    let said = folder.run(&["report", "--json", "set"]);
    assert_eq!(said.code, 2, "{}", said.err);
}
