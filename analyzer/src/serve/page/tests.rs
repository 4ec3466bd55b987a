use std::fs;

use aclsan_log::Event;
use aclsan_log::builder::LogBuilder;
use aclsan_log::record::Definition;

use super::*;
use crate::policy::suppress::Choice;

/// A log whose only leak is in a library of CANN's.
fn log(name: &str) -> PathBuf {
    let mut builder = LogBuilder::default();
    builder.process(7, 1);
    builder.define(Definition::Module {
        start: 0x70_0000,
        end: 0x80_0000,
        bias: 0x70_0000,
        build_id: Vec::new(),
        path: "/usr/local/lib/libopapi_math.so".to_owned(),
    });
    let site = builder.site("aclrtMalloc", 0, 0, &[0x70_1000, 0x40_2000]);
    builder.allocation(1, site, 0x10_0000, 100);
    builder.event(1, Event::Exit);
    let path = std::env::temp_dir().join(format!("aclsan-page-{name}-{}", std::process::id()));
    fs::write(&path, builder.bytes()).expect("it is written");
    path
}

#[test]
fn the_page_omits_what_other_commands_omit() {
    let log = log("omits");
    let page = |suppressions: Suppressions| {
        let report = ReportPage::default();
        assert!(report.latest().is_none(), "a request does not wait");
        report.make(vec![log.clone()], (1, 1), &suppressions);
        report.latest().expect("it is made").0
    };
    let shown = page(Choice::default().read().expect("the built-in lines"));
    let all = page(Suppressions::read(&[], false).expect("no lines"));
    let rule = "explain leak";
    assert!(!shown.contains(rule));
    assert!(all.contains(rule));
    fs::remove_file(log).expect("it was written");
}

#[test]
fn the_last_page_stays_while_another_fails() {
    let log = log("stays");
    let report = ReportPage::default();
    let none = Suppressions::read(&[], false).expect("no lines");
    report.make(vec![log.clone()], (1, 1), &none);
    let (page, at) = report.latest().expect("it is made");
    fs::remove_file(&log).expect("it was written");
    report.make(vec![log], (2, 1), &none);
    assert_eq!(report.latest(), Some((page, at)));
    assert_ne!(report.failure(), ReportPage::default().failure());
    report.make(Vec::new(), (3, 2), &none);
    assert_eq!(report.latest(), None, "its process is forgotten");
}
