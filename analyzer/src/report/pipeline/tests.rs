//! Logs that grow while they are read.

use aclsan_log::builder::LogBuilder;

use super::*;

#[test]
fn a_log_that_grows_is_drawn_as_of_the_moment_that_its_report_is_of() {
    let path = std::env::temp_dir().join(format!("aclsan-input-{}", std::process::id()));
    let mut synth = LogBuilder::default();
    let malloc = synth.site("aclrtMalloc", 0, 0, &[0x40_1000]);
    synth.at(1000).allocation(7, malloc, 0x10_0000, 4096);
    fs::write(&path, synth.bytes()).unwrap();
    let logs = Logs::of(vec![path.clone()]);
    let mut symbols = logs.symbols().unwrap();
    let mut drawn = Vec::new();
    let unreadable = logs.replay_scope(ReportScope::All(None), 2, |log, replay, _| {
        // One more block of the known thread, and one of another.
        synth.at(2000).allocation(7, malloc, 0x20_0000, 4096);
        synth.at(3000).allocation(8, malloc, 0x30_0000, 4096);
        fs::write(&path, synth.bytes()).unwrap();
        let lives = lives(log, &mut Stacks::new(log, &mut symbols), 10, |_| {});
        drawn.push((lives.lives.len(), lives.duration_ns, replay.duration_ns));
    });
    assert_eq!(unreadable.unwrap(), [""; 0]);
    assert_eq!(drawn, [(1, 1000, 1000)]);
    fs::remove_file(path).unwrap();
}
