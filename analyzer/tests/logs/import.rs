//! msMemScope's recordings as logs.

use aclsan_log::{Event, Values};
use serde_json::Value;

use super::story::*;

const HEADER: &str = "ID,Event,Event Type,Name,Timestamp(ns),Process Id,Thread Id,Device Id,Ptr,Attr,Call Stack(Python),Call Stack(C)\n";

/// Rows of the tool's current version: a block's rows are together, whatever their times.
const ROWS: &str = r#"1,SYSTEM,ACL_INIT,N/A,1000,4711,4711,N/A,N/A,,,
4,MALLOC,HAL,N/A,4000,4711,4712,0,0x12c0c0400000,"{allocation_id:2,addr:0x12c0c0400000,size:4096,owner:CANN@RUNTIME,page_type:normal,alloc_type:alloc}","NA",""
6,FREE,HAL,N/A,6000,4711,4712,N/A,0x12c0c0400000,"{allocation_id:2,addr:0x12c0c0400000,size:4096}",,
2,MALLOC,HAL,N/A,2000,4711,4711,0,0x12c0c0000000,"{allocation_id:1,addr:0x12c0c0000000,size:2097152,owner:CANN@RUNTIME,page_type:huge,alloc_type:alloc}","/app/train.py(31): load
/app/train.py(40): <module>
","/opt/lib/libop.so(_ZN2op3runEi+0x1c) [0x7f10]
/opt/app/train(main+0x9) [0x41]
"
3,MALLOC,PTA,N/A,3000,4711,4711,0,0x12c0c0000000,"{allocation_id:3,addr:0x12c0c0000000,size:512,total:2097152,used:512,owner:PTA@a,b}",,
5,MSTX,Mark,"[mstx]: mstxMarkA :step 1",5000,4711,4711,0,N/A,,,
7,MALLOC,HOST_PINNED,N/A,7000,4713,4713,0,0x7f0000000000,"{allocation_id:9,addr:0x7f0000000000,size:100,pinned:true,used:100}",,
"#;

fn import(folder: &Folder, rows: &str) -> Said {
    folder.file("memscope_dump_1.csv", format!("{HEADER}{rows}").as_bytes());
    folder.run(&["import", "memscope_dump_1.csv"])
}

fn bytes_of(json: &Value, family: &str, member: &str) -> u64 {
    let families = json["metrics"]["families"].as_array().unwrap();
    let family = families.iter().find(|f| f["family"] == family).unwrap();
    family[member].as_u64().unwrap()
}

#[test]
fn a_recording_becomes_a_log_for_each_process() {
    let folder = Folder::new();
    let said = import(&folder, ROWS);
    assert_eq!(
        (said.out.as_str(), said.err.as_str(), said.code),
        (
            "memscope_dump_1-4711.aclsan\nmemscope_dump_1-4713.aclsan\n",
            "",
            0
        )
    );
    let json = folder
        .run(&["report", "--json", "memscope_dump_1-4711.aclsan"])
        .json();
    // 2 MiB from 2000 on, 4096 bytes from 4000 to 6000.
    assert_eq!(bytes_of(&json, "device", "peak_bytes"), 2_101_248);
    assert_eq!(bytes_of(&json, "device", "live_bytes"), 2_097_152);
    let frames = json["leaks"]["sites"][0]["allocated"]["frames"]
        .as_array()
        .unwrap();
    let names: Vec<_> = frames
        .iter()
        .map(|f| {
            (
                f["function"].as_str().unwrap(),
                f["language"].as_str().unwrap(),
                f["line"].as_u64(),
            )
        })
        .collect();
    assert_eq!(
        names,
        [
            ("op::run(int)", "native", None),
            ("main", "native", None),
            ("load", "python", Some(31)),
            ("<module>", "python", Some(40))
        ]
    );
    // The tool does not say whether the process continued: a doubt, no error.
    assert_eq!(json["findings"][0]["severity"], "warning");
    let pool = &json["annotations"]["pools"][0];
    assert_eq!(
        (&pool["name"], &pool["bytes"], &pool["live_bytes"]),
        (&"ptaCaching".into(), &2_097_152.into(), &512.into())
    );
    assert_eq!(json["annotations"]["epochs"][0]["name"], "step 1");
    let pinned = folder.run(&["leaks", "memscope_dump_1-4713.aclsan"]);
    assert!(
        pinned
            .out
            .contains("1 block, 100 bytes, was never released"),
        "{}",
        pinned.out
    );
}

#[test]
fn every_verb_takes_what_was_imported() {
    let folder = Folder::new();
    import(&folder, ROWS);
    let log = "memscope_dump_1-4711.aclsan";
    for verb in [
        "report", "leaks", "frag", "timeline", "findings", "check", "dump",
    ] {
        assert_eq!(folder.run(&[verb, log]).code, 0, "{verb}");
    }
    assert_eq!(folder.run(&["report", "--html", "a.html", log]).code, 0);
    for format in [
        "folded",
        "heaptrack",
        "massif",
        "pprof",
        "memscope-csv",
        "torch-snapshot",
    ] {
        assert_eq!(
            folder
                .run(&["export", "--format", format, "-o", "out", log])
                .code,
            0,
            "{format}"
        );
    }
}

/// Rows of the old version: decimal addresses, negative sizes, devices as words, no JSON, fewer columns.
#[test]
fn the_old_versions_rows_are_read() {
    let folder = Folder::new();
    let rows = "ID,Event,Event Type,Name,Timestamp(ns),Process Id,Thread Id,Device Id,Ptr,Attr
1,SYSTEM,acl init,N/A,10,7,7,N/A,N/A,
2,MALLOC,HAL,N/A,20,7,7,host,20617990504448,\"{addr:20617990504448,size:480,owner:,MID:7}\"
3,FREE,HAL,N/A,30,7,7,N/A,20617990504448,\"{addr:20617990504448,size:480,owner:,MID:-1}\"
4,MALLOC,PTA,N/A,40,7,7,1,20623381625344,\"{addr:20623381625344,size:1024,owner:,total:2097152,used:1024}\"
5,FREE,PTA,N/A,50,7,7,1,20623381625344,\"{addr:20623381625344,size:-1024,owner:,total:2097152,used:0}\"
6,KERNEL_LAUNCH,KERNEL_LAUNCH,N/A,60,7,7,1,N/A,
7,FREE,HAL,N/A,70,7,7,N/A,99,\"{addr:99,size:1}\"
";
    folder.file("leaks_dump_1.csv", rows.as_bytes());
    let said = folder.run(&["import", "leaks_dump_1.csv", "-o", "logs"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(
        said.err,
        "aclsan: `leaks_dump_1.csv`: 1 releases of process 7 belong to no allocation in it, and were left out\n"
    );
    let json = folder.run(&["report", "--json", "logs"]).json();
    assert_eq!(bytes_of(&json, "pinned host", "peak_bytes"), 480);
    // Device 1 has no driver rows, so parts of pools are blocks.
    assert_eq!(bytes_of(&json, "device", "peak_bytes"), 1024);
    assert_eq!(json["leaks"]["blocks"], 0);
}

fn numbers(json: &Value) -> Value {
    let sites = json["leaks"]["sites"].as_array().unwrap().iter();
    let sites: Vec<_> = sites
        .map(|site| {
            let frames = site["allocated"]["frames"].as_array().unwrap();
            let frames: Vec<_> = frames
                .iter()
                .map(|f| match f["function"].as_str() {
                    Some(function) => function.to_owned(),
                    None => {
                        let offset = f["offset"].as_str().unwrap();
                        format!(
                            "{}+{offset}",
                            f["module"].as_str().unwrap().rsplit('/').next().unwrap()
                        )
                    }
                })
                .collect();
            serde_json::json!([site["bytes"], site["blocks"], site["family"], frames])
        })
        .collect();
    let families = json["metrics"]["families"].as_array().unwrap().iter();
    let families: Vec<_> = families
        .map(|f| {
            serde_json::json!([
                f["family"],
                f["allocations"],
                f["releases"],
                f["peak_bytes"],
                f["live_bytes"]
            ])
        })
        .collect();
    serde_json::json!([sites, json["leaks"]["bytes"], families])
}

#[test]
fn a_log_comes_back_from_both_exports_with_the_same_leaks_and_peaks() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    let before = folder.run(&["report", "--json", "a.aclsan"]).json();
    for (format, file) in [("memscope-csv", "dump_1.csv"), ("memscope-db", "dump_2.db")] {
        assert_eq!(
            folder
                .run(&["export", "--format", format, "-o", file, "a.aclsan"])
                .code,
            0
        );
        let said = folder.run(&["import", file, "-o", &format!("{file}.aclsan")]);
        assert_eq!((said.err.as_str(), said.code), ("", 0), "{format}");
        let after = folder
            .run(&["report", "--json", &format!("{file}.aclsan")])
            .json();
        assert_eq!(numbers(&after), numbers(&before), "{format}");
    }
}

/// Two devices, each reset, one of them twice: a reset frees what the program forgot, which is a different leak than blocks live at the
/// end.
fn reset() -> aclsan_log::builder::LogBuilder {
    let (mut synth, malloc, free) = beginning();
    let other = synth.site("aclrtMalloc", 0, 1, &[0x40_1300, 0x40_2000]);
    let resets = [0, 1].map(|device| synth.site("aclrtResetDevice", 0, device, &[0x40_1400]));
    let reset = |device: usize| Event::Call {
        site: resets[device],
        values: Values::new(&[device as u64]),
        status: 0,
    };
    synth.at(100).allocation(7, malloc, 0x10_0000, 4096);
    synth.at(200).allocation(7, malloc, 0x20_0000, 1000);
    synth.at(300).allocation(7, other, 0x30_0000, 24);
    synth.at(400).event(7, reset(0)); // 5096 bytes
    let kept = synth.at(500).allocation(7, malloc, 0x10_0000, 512);
    let release = Event::Release {
        block: kept,
        site: free,
    };
    synth.at(600).event(7, release);
    synth.at(700).allocation(7, malloc, 0x10_0000, 64);
    synth.at(800).event(7, reset(1)); // 24 bytes
    synth.at(800).event(7, reset(0)); // 64 bytes
    synth.at(900).allocation(7, malloc, 0x50_0000, 7);
    synth.event(7, Event::Exit);
    synth
}

#[test]
fn resets_come_back_from_both_exports() {
    let folder = Folder::new();
    folder.file("a.aclsan", &reset().bytes());
    let reported = |log: &str| {
        let json = folder.run(&["report", "--json", log]).json();
        let leaks = json["leaks"]["sites"].as_array().unwrap().iter();
        let leaks: Vec<_> = leaks
            .map(|leak| [&leak["bytes"], &leak["device"], &leak["is_reclaimed"]].map(Value::clone))
            .collect();
        (leaks, numbers(&json))
    };
    let before = reported("a.aclsan");
    let reclaimed = |leak: &&[Value; 3]| leak[2] == true;
    let dropped = before.0.iter().filter(reclaimed);
    let bytes = dropped.map(|leak| leak[0].as_u64().unwrap()).sum::<u64>();
    assert_eq!(bytes, 4096 + 1000 + 24 + 64);
    for (format, file) in [("memscope-csv", "dump_1.csv"), ("memscope-db", "dump_2.db")] {
        let export = ["export", "--format", format, "-o", file, "a.aclsan"];
        assert_eq!(folder.run(&export).code, 0);
        let log = format!("{file}.aclsan");
        let said = folder.run(&["import", file, "-o", &log]);
        assert_eq!((said.err.as_str(), said.code), ("", 0), "{format}");
        assert_eq!(reported(&log), before, "{format}");
        let dump = folder.run(&["dump", &log]).out;
        let resets = dump.lines().filter(|line| line.contains("ResetDevice"));
        assert_eq!(resets.count(), 3, "one for each: {dump}");
    }
}

#[test]
fn what_makes_no_sense_is_reported_with_its_place() {
    let row = |ptr: &str, attr: &str| format!("2,MALLOC,HAL,N/A,20,7,7,0,{ptr},{attr},,\n");
    let good = row("0x1000", "\"{size:1}\"");
    for (rows, why) in [
        (
            row("zz", "{size:1}"),
            "line 2, column `Ptr`: `zz` is no address: `0x12c0c0000000` or a decimal number is",
        ),
        (
            row("0x10", "\"{size:-4}\""),
            "line 2, column `Attr`: `-4` is no size of an allocation: bytes from 0 to 2^63 − 1 are",
        ),
        (
            format!("{good}{}", row("0x10", "")),
            "line 3, column `Attr`: `` tells no size: `{addr:…,size:…}` does",
        ),
        (
            good.replace("7,7", "x,7"),
            "line 2, column `Process Id`: `x` is no process or thread: a number or `N/A` is",
        ),
        (
            good.replace(",20,", ",-1,"),
            "line 2, column `Timestamp(ns)`: `-1` is no whole number from 0 to 2^64 − 1",
        ),
        (
            good.replace("MALLOC", "\u{1b}[2J"),
            "line 2, column `Event`: `\\u{1b}[2J` is no event of msMemScope's: `MALLOC`, `FREE`, `MSTX`, `SYSTEM` and the like are",
        ),
        (
            good.replace("7,7,0", "7,7,npu"),
            "line 2, column `Device Id`: `npu` is no device: a number, `host`, `cpu` or `N/A` is",
        ),
        (
            format!("{good}3,MALLOC,HAL"),
            "line 3: `3,MALLOC,HAL` has 3 fields where the first line has 12: is it cut off?",
        ),
        (
            format!("{good}3,MALLOC,\"HAL,"),
            "line 3: `3,MALLOC,\"HAL,` has a quote that does not end: is the file cut off?",
        ),
    ] {
        let folder = Folder::new();
        let said = import(&folder, &rows);
        let advice = "; `--skip-bad` leaves rows out that make no sense";
        assert_eq!(
            (said.err, said.code),
            (format!("aclsan: `memscope_dump_1.csv` {why}{advice}\n"), 2)
        );
        let said = folder.run(&["import", "--skip-bad", "memscope_dump_1.csv"]);
        let is_left = rows.contains(&good);
        assert_eq!(said.code, if is_left { 0 } else { 3 }, "{said:?}");
        assert!(
            said.err.contains(&format!("{why}: left out")),
            "{}",
            said.err
        );
    }
}

#[test]
fn other_files_are_named_for_what_they_are_not() {
    let folder = Folder::new();
    folder.file("a.csv", b"Event,Name,Device Id\n");
    let said = folder.run(&["import", "a.csv"]);
    assert!(said.err.contains("has no column `ID`"), "{}", said.err);
    folder.file("b.db", b"SQLite format 3\0and nothing else");
    let said = folder.run(&["import", "b.db"]);
    assert_eq!(said.code, 2);
    assert!(
        said.err.starts_with("aclsan: cannot read `b.db`: "),
        "{}",
        said.err
    );
    let database = rusqlite::Connection::open(folder.path().join("c.db")).unwrap();
    database.execute_batch("CREATE TABLE other (a)").unwrap();
    drop(database);
    let said = folder.run(&["import", "c.db"]);
    assert!(
        said.err
            .contains("`other` have no `memscope_dump` among them"),
        "{}",
        said.err
    );
    for name in ["no.csv", "."] {
        let said = folder.run(&["import", name]);
        assert_eq!(said.code, 2);
        assert!(
            said.err
                .starts_with(&format!("aclsan: cannot read `{name}`")),
            "{}",
            said.err
        );
    }
    folder.file("empty.csv", b"");
    assert_eq!(folder.run(&["import", "empty.csv"]).code, 2);
    folder.file("one.csv", &[b'"'; 3 << 20]);
    let said = folder.run(&["import", "one.csv"]);
    assert!(
        said.err.contains("is no recording that this can read"),
        "{}",
        said.err
    );
}

/// Every truncation and every flipped byte of a recording ends in logs or in a message.
#[test]
fn no_damage_brings_it_down() {
    let folder = Folder::new();
    let whole = format!("{HEADER}{ROWS}").into_bytes();
    for at in (0..whole.len()).step_by(61) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x55;
        for (name, bytes) in [("cut.csv", &whole[..at]), ("flipped.csv", &flipped[..])] {
            folder.file(name, bytes);
            let said = folder.run(&["import", "--skip-bad", "-o", &format!("logs-{at}"), name]);
            assert!(matches!(said.code, 0 | 2 | 3), "{at}: {said:?}");
            assert!(!said.err.contains("panicked"), "{at}: {}", said.err);
        }
    }
}

#[test]
fn a_log_that_is_there_stays() {
    let folder = Folder::new();
    import(&folder, ROWS);
    let said = folder.run(&["import", "memscope_dump_1.csv"]);
    assert_eq!(
        (said.err.as_str(), said.code),
        (
            "aclsan: `memscope_dump_1-4711.aclsan` is there already: move it away, or name another place with `-o`\n",
            2
        )
    );
}
