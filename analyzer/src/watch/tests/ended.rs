use super::*;

/// A log of a process that has ended: one block that was released, and one that was not.
fn ended(folder: &Path, pid: u32) -> PathBuf {
    let mut builder = LogBuilder::default();
    builder.process(pid, u64::from(pid));
    let site = builder.site("aclrtMalloc", 0, 0, &[0x10]);
    let free = builder.site("aclrtFree", 0, 0, &[0x20]);
    builder.allocation(1, site, 0x10_0000, 4096);
    let block = builder.allocation(1, site, 0x20_0000, 100);
    for _ in 0..2 {
        builder.event(1, Event::Release { block, site: free });
    }
    builder.event(1, Event::Exit);
    let file = folder.join(format!("{pid:05}.aclsan"));
    write(&file, &builder);
    file
}

/// Allocations, releases and double releases of all processes, forgotten or not.
fn counted(state: &State) -> (u64, u64, u64) {
    let mut all = state.forgotten.clone();
    for process in &state.processes {
        let own = state.findings.iter();
        process.sum_into(
            &mut all,
            own.filter(|found| found.process == process.number),
        );
    }
    let blocks = all.families["device"];
    (blocks.0, blocks.1, all.findings[&("double-free", "error")])
}

fn open_logs(watch: &Watch) -> usize {
    let processes = watch.processes.iter();
    processes.filter(|process| process.is_open()).count()
}

#[test]
fn ended_processes_are_forgotten_and_what_they_counted_is_not() {
    let folder = Folder::new("watch-keep");
    for pid in 1..=3 {
        ended(folder.path(), pid);
    }
    let mut kept = watch(folder.path());
    let state = kept.state();
    assert_eq!((state.processes.len(), counted(&state)), (3, (6, 3, 3)));
    assert_eq!(open_logs(&kept), 0, "they are closed at once");
    let detail = kept.detail(state.sites[0].key).expect("it is read again");
    assert_eq!(detail.blocks.len(), 1);
    let mut watch = watch_with(vec![folder.path().to_owned()], Duration::ZERO);
    ended(folder.path(), 4);
    for _ in 0..2 {
        let state = look(&mut watch);
        assert_eq!(counted(&state), (8, 4, 4));
    }
    let state = look(&mut watch);
    assert_eq!((state.processes.len(), state.forgotten.processes), (0, 4));
    assert!(!watch.is_running() && watch.files().is_empty());
}

#[test]
fn a_log_that_is_named_by_itself_stays() {
    let folder = Folder::new("watch-named");
    let file = ended(folder.path(), 7);
    let mut watch = watch_with(vec![file], Duration::ZERO);
    for _ in 0..3 {
        assert_eq!(look(&mut watch).processes.len(), 1);
    }
}

#[test]
fn a_deleted_log_is_let_go_and_counts_still() {
    let folder = Folder::new("watch-deleted");
    let files = [7, 8].map(|pid| ended(folder.path(), pid));
    // One that nobody ended: it may go on, and is open.
    let mut builder = LogBuilder::default();
    builder.process(9, 9);
    let site = builder.site("aclrtMalloc", 0, 0, &[0x10]);
    builder.allocation(1, site, 0x10_0000, 4096);
    let open = folder.path().join("00009.aclsan");
    write(&open, &builder);
    let mut watch = watch(folder.path());
    assert_eq!(open_logs(&watch), 1);
    assert_eq!(counted(&watch.state()), (5, 2, 2));
    for file in [&files[0], &open] {
        fs::remove_file(file).expect("it is there");
    }
    for _ in 0..4 {
        assert_eq!(counted(&look(&mut watch)), (5, 2, 2));
    }
    assert_eq!(open_logs(&watch), 0);
    let state = watch.state();
    assert_eq!((state.processes.len(), state.forgotten.processes), (1, 2));
    assert_eq!(watch.files(), [files[1].clone()]);
    assert_eq!(
        watch.known.len(),
        1,
        "names that are gone are forgotten, too"
    );
}

#[test]
fn another_log_under_a_name_that_is_known_is_another_process() {
    let folder = Folder::new("watch-replaced");
    let file = ended(folder.path(), 7);
    let mut watch = watch(folder.path());
    let other = ended(folder.path(), 8);
    fs::rename(other, &file).expect("it is there");
    for _ in 0..3 {
        assert_eq!(counted(&look(&mut watch)), (4, 2, 2));
    }
    let state = watch.state();
    assert_eq!((state.processes[0].pid, state.processes.len()), (8, 1));
    assert_eq!(state.forgotten.processes, 1);
}

#[test]
fn a_closed_log_that_grows_is_read_again_as_the_same_process() {
    let folder = Folder::new("watch-reopened");
    let mut builder = LogBuilder::default();
    builder.process(7, 1);
    let site = builder.site("aclrtMalloc", 0, 0, &[0x10]);
    builder.allocation(1, site, 0x10_0000, 4096);
    builder.event(1, Event::Exit);
    let file = folder.path().join("7.aclsan");
    write(&file, &builder);
    let mut watch = watch(folder.path());
    let state = watch.state();
    let key = state.sites[0].key;
    assert_eq!((open_logs(&watch), live(&state)), (0, 4096));
    builder.allocation(1, site, 0x20_0000, 100);
    write(&file, &builder);
    let state = look(&mut watch);
    assert_eq!((state.processes.len(), live(&state)), (1, 4196));
    assert_eq!(state.sites[0].key, key);
}

#[test]
fn more_processes_than_are_shown_or_have_descriptors_are_counted() {
    let folder = Folder::new("watch-many");
    let many = MAX_ENDED + 50;
    for pid in 1..=many as u32 {
        ended(folder.path(), pid);
    }
    let mut watch = watch_with(vec![], KEEP);
    watch.max_open = 8;
    watch.listing = Listing::new(vec![folder.path().to_owned()]);
    watch.catch_up();
    let state = look(&mut watch);
    assert_eq!((state.processes.len(), open_logs(&watch)), (MAX_ENDED, 0));
    assert_eq!(state.forgotten.processes, 50);
    let many = many as u64;
    assert_eq!(counted(&state), (2 * many, many, many));
    let first = state.processes[0].pid;
    assert_eq!(first, 51, "the oldest are forgotten first");
    assert!(state.unreadable.is_empty());
}

#[test]
fn logs_wait_for_descriptors_and_are_told() {
    let folder = Folder::new("watch-waiting");
    let mut watch = watch_with(vec![], KEEP);
    watch.max_open = 0;
    watch.listing = Listing::new(vec![folder.path().to_owned()]);
    ended(folder.path(), 7);
    watch.catch_up();
    let state = watch.state();
    assert!(state.processes.is_empty());
    let waits = "1 logs wait until others end: 0 are open, as many as `ulimit -n` leaves for them";
    assert_eq!(state.unreadable, [waits]);
    watch.max_open = 1;
    assert_eq!(look(&mut watch).processes.len(), 1);
}

#[test]
fn findings_that_suppressions_cover_are_counted_and_not_shown() {
    let folder = Folder::new("watch-suppressed");
    let lines = folder.path().join("known.txt");
    fs::write(&lines, "double-free:app\n").expect("it is written");
    let mut builder = LogBuilder::default();
    builder.define(Definition::Module {
        start: 0x1000,
        end: 0x2000,
        bias: 0x1000,
        build_id: Vec::new(),
        path: "/usr/bin/app".to_owned(),
    });
    let site = builder.site("aclrtMalloc", 0, 0, &[0x1010]);
    let free = builder.site("aclrtFree", 0, 0, &[0x1020]);
    let block = builder.allocation(1, site, 0x10_0000, 4096);
    for _ in 0..3 {
        builder.event(1, Event::Release { block, site: free });
    }
    write(&folder.path().join("1.aclsan"), &builder);
    let mut watch = watch(folder.path());
    assert_eq!(watch.state().tally(), [1, 0, 0]);
    assert_eq!(watch.state().processes[0].suppressed, 0);
    watch.settings.suppressions = Suppressions::read(&[lines], false).expect("a line");
    watch.processes.clear();
    watch.known.clear();
    watch.listing = Listing::new(vec![folder.path().to_owned()]);
    let state = look(&mut watch);
    assert_eq!(state.tally(), [0, 0, 0]);
    assert_eq!(state.processes[0].suppressed, 2);
}
