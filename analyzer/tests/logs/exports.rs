use super::story::*;

#[test]
fn folded_stacks_of_each_kind_of_bytes() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    let stack = "train+0x2000;train+0x1000;aclrtMalloc";
    // Blocks of 1000 and 24 bytes are left; with the released 4096 that is 5120; 4096 was the peak.
    for (of, bytes) in [
        ("live", 1024),
        ("leaked", 1024),
        ("allocated", 5120),
        ("peak", 4096),
    ] {
        let said = folder.run(&["export", "--format", "folded", "--of", of, "a.aclsan"]);
        assert_eq!(
            (said.out, said.code),
            (format!("{stack} {bytes}\n"), 0),
            "{of}"
        );
    }
}

#[test]
fn a_flame_graph_is_a_file() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    let said = folder.run(&[
        "export",
        "--format",
        "flamegraph",
        "a.aclsan",
        "-o",
        "live.svg",
    ]);
    assert_eq!(
        (said.code, said.out.as_str(), said.err.as_str()),
        (0, "", "")
    );
    let svg = std::fs::read_to_string(folder.path().join("live.svg")).unwrap();
    assert!(svg.contains("<svg") && svg.contains("aclrtMalloc"));
}

#[test]
fn prometheus_gets_each_series_once() {
    let folder = Folder::new();
    for name in ["a", "b", "c"] {
        folder.file(&format!("{name}.aclsan"), &faulty().bytes());
    }
    let text = folder.run(&["export", "--format", "prometheus", "."]).out;
    // All three have the same process number, on one machine.
    assert_eq!(
        text.matches(",host=\"node1\",log=\"3\",").count(),
        2,
        "{text}"
    );
    let series = text.lines().filter(|line| !line.starts_with('#'));
    let mut series: Vec<_> = series.map(|line| line.rsplit_once(' ')).collect();
    let all = series.len();
    series.sort();
    series.dedup_by_key(|series| series.map(|(name, _)| name));
    assert_eq!(series.len(), all, "{text}");
}

#[test]
fn nothing_is_written_over_a_log() {
    let folder = Folder::new();
    let bytes = clean().bytes();
    folder.file("a.aclsan", &bytes);
    assert_eq!(folder.run(&["pack", "a.aclsan"]).code, 0);
    let packed = std::fs::read(folder.path().join("a.aclsan.zst")).unwrap();
    for arguments in [
        &["export", "--format", "folded", "--of", "allocated", "-o"][..],
        &["diff", "a.aclsan", "--flamegraph"],
        &["report", "--html"],
        &["check", "--sarif"],
    ] {
        for log in ["a.aclsan", "a.aclsan.zst"] {
            let said = folder.run(&[arguments, &[log, "a.aclsan"]].concat());
            let why = format!("cannot write `{log}`: it is an event log; name another file");
            assert!(said.err.contains(&why), "{arguments:?}: {}", said.err);
            assert_eq!(said.code, 2, "{arguments:?}");
        }
    }
    let now = |name| std::fs::read(folder.path().join(name)).unwrap();
    assert!(now("a.aclsan") == bytes && now("a.aclsan.zst") == packed);
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let folder = Folder::new();
    folder.file("a.aclsan", &clean().bytes());
    for (arguments, why) in [
        (
            &["export", "--format", "pprof", "--of", "peak"][..],
            "`--of` is for `folded`, `flamegraph` and `speedscope`",
        ),
        (
            &["report", "--sysroot", "/no/such"],
            "there is no such folder",
        ),
        (
            &["leaks", "--debug-dir", "/no/such"],
            "there is no such folder",
        ),
        (
            &["check", "--sarif", "x", "--junit", "x"],
            "`x` is named for two formats: give each a file of its own",
        ),
        (
            &["check", "--sarif", "x", "--gitlab", "./x"],
            "`./x` is named for two formats: give each a file of its own",
        ),
    ] {
        let said = folder.run(&[arguments, &["a.aclsan"]].concat());
        assert!(said.err.contains(why), "{arguments:?}: {}", said.err);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{arguments:?}");
    }
    assert!(!folder.path().join("x").exists());
}

#[test]
fn what_cannot_be_drawn_or_written_is_said() {
    let folder = Folder::new();
    folder.file("a.aclsan", &clean().bytes());
    let said = folder.run(&["export", "--format", "flamegraph", "a.aclsan"]);
    assert_eq!(
        said.err,
        "aclsan: there is nothing to export: no bytes were live at the end\n"
    );
    assert_eq!(said.code, 3);
    folder.file("b.aclsan", &faulty().bytes());
    let said = folder.run(&[
        "export",
        "--format",
        "folded",
        "b.aclsan",
        "-o",
        "no/such/file",
    ]);
    assert_eq!(
        said.err,
        "aclsan: cannot write `no/such/file`: No such file or directory (os error 2)\n"
    );
}

#[test]
fn a_dump_has_a_line_for_each_event_with_names() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    let said = folder.run(&["dump", "a.aclsan"]);
    let lines: Vec<serde_json::Value> = said
        .out
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let events: Vec<_> = lines
        .iter()
        .map(|line| line["event"].as_str().unwrap())
        .collect();
    assert_eq!(
        events,
        [
            "allocation",
            "release",
            "release_at",
            "release_at",
            "allocation",
            "allocation",
            "exit"
        ]
    );
    assert_eq!(lines[0]["function"], "aclrtMalloc");
    assert_eq!(lines[0]["address"], "0x100000");
    assert_eq!(
        (&lines[0]["ns"], &lines[0]["tid"]),
        (&1_000_000.into(), &7.into())
    );
    assert_eq!(lines[0]["block"], lines[1]["block"]);

    let said = folder.run(&["dump", "--definitions", "a.aclsan"]);
    assert!(said.out.contains(r#""path":"/opt/app/train""#));
    assert!(said.out.contains(r#""frames":["0x401200","0x402000"]"#));
}

#[test]
fn a_dump_of_several_logs_is_refused() {
    let folder = Folder::new();
    folder.file("a.aclsan", &clean().bytes());
    folder.file("b.aclsan", &clean().bytes());
    let said = folder.run(&["dump", "."]);
    assert_eq!(
        said.err,
        "aclsan: 2 logs are named, and this takes one at a time\n"
    );
}

#[test]
fn a_refused_double_release_brings_no_other_block_back() {
    let folder = Folder::new();
    let mut story = clean();
    let again = story.site("aclrtFree", 0, 0, &[0x40_1200, 0x40_2000]);
    let (address, mapping) = (0x10_0000, aclsan_log::Mapping::Unknown);
    let (site, status) = (again, 107000);
    story.event(
        7,
        aclsan_log::Event::ReleaseAt {
            site,
            address,
            mapping,
        },
    );
    story.event(
        7,
        aclsan_log::Event::Refused {
            site,
            address,
            status,
        },
    );
    folder.file("a.aclsan", &story.bytes());
    let said = folder.run(&["export", "--format", "memscope-csv", "a.aclsan"]);
    assert_eq!(said.out.matches("FREE").count(), 1, "{}", said.out);
}
