//! Datasets: the same report from tables as from logs, and bad files named.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::many::rank_at;
use super::story::*;

/// Members of a report that tables do not have, or not whole.
const NOT_HELD: [&str; 3] = ["transfers", "autopsies", "self"];

pub fn ranks(count: u32) -> Folder {
    let folder = Folder::new();
    for rank in 0..count {
        let kept = if rank == 17 {
            400
        } else {
            2 + u64::from(rank % 3)
        };
        let host = format!("node{:02}", rank / 8);
        let log = rank_at(rank, kept, (5000 + rank, &host));
        folder.file(&format!("logs/rank{rank:03}.aclsan"), &log.bytes());
    }
    folder
}

pub fn export(folder: &Folder) {
    let said = folder.run(&[
        "export", "--format", "parquet", "--run", "r1", "logs", "-o", "set",
    ]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
}

/// The report as JSON, without what tables do not hold.
fn held(mut report: Value) -> Value {
    for member in NOT_HELD {
        report.as_object_mut().unwrap().remove(member);
    }
    for class in report["fragmentation"]["classes"].as_array_mut().unwrap() {
        class["pinners"] = Value::Null;
    }
    for pool in report["annotations"]["pools"].as_array_mut().unwrap() {
        pool["inside"] = Value::Null;
        pool["attributes"] = Value::Null;
        pool["sites"] = Value::Null;
    }
    report
}

/// Lists the first paths at which two values differ.
fn differences(a: &Value, b: &Value, path: &str, to: &mut Vec<String>) {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let at = format!("{path}.{key}");
                differences(
                    a.get(key).unwrap_or(&Value::Null),
                    b.get(key).unwrap_or(&Value::Null),
                    &at,
                    to,
                );
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (at, (a, b)) in a.iter().zip(b).enumerate() {
                differences(a, b, &format!("{path}[{at}]"), to);
            }
        }
        _ if a != b => to.push(format!("{path}: {a} and {b}")),
        _ => {}
    }
}

fn is_same(folder: &Folder) {
    is_same_to(folder, &MORE);
}

/// Commands whose output is compared, apart from the report.
const MORE: [&[&str]; 7] = [
    &["leaks"],
    &["leaks", "--json"],
    &["leaks", "--by", "age"],
    &["leaks", "--by", "class", "--fail-on", "warning"],
    &["check"],
    &[
        "check",
        "--json",
        "--max-leak",
        "1GiB",
        "--max-peak",
        "64MiB",
        "--max-frag",
        "5",
    ],
    &["findings"],
];

fn is_same_to(folder: &Folder, more: &[&[&str]]) {
    let [of_logs, of_tables] = ["logs", "set"].map(|place| {
        let said = folder.run(&["report", "--json", place]);
        (said.code, held(said.json()))
    });
    let mut found = Vec::new();
    differences(&of_logs.1, &of_tables.1, "", &mut found);
    found.truncate(10);
    assert_eq!(found, [""; 0]);
    assert_eq!(of_logs.0, of_tables.0);
    for &verb in more {
        let [of_logs, of_tables] =
            ["logs", "set"].map(|place| folder.run(&[verb, &[place]].concat()));
        assert_eq!(of_logs.out, of_tables.out, "{verb:?}");
        assert_eq!(of_logs.code, of_tables.code, "{verb:?}");
    }
}

#[test]
fn two_hundred_ranks_have_the_same_report_from_tables() {
    let folder = ranks(200);
    export(&folder);
    is_same_to(&folder, &MORE[4..5]);
    // Against another run of the same program, from tables and from logs.
    for rank in 0..20 {
        let log = rank_at(rank, 7, (5000 + rank, "node00"));
        folder.file(&format!("after/rank{rank:03}.aclsan"), &log.bytes());
    }
    let said = folder.run(&["export", "--format", "parquet", "after", "-o", "later"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let of_logs = folder.run(&["diff", "--json", "logs", "after"]);
    let of_tables = folder.run(&["diff", "--json", "set", "later"]);
    assert_eq!(of_logs.out, of_tables.out);
    assert_eq!(of_logs.code, of_tables.code);
}

#[test]
fn every_command_says_the_same_of_twenty_ranks() {
    let folder = ranks(20);
    export(&folder);
    is_same(&folder);
}

#[test]
fn every_kind_of_log_has_the_same_report_from_tables() {
    for (name, log) in [
        ("faulty", faulty().bytes()),
        ("clean", clean().bytes()),
        ("apart", apart().bytes()),
    ] {
        let folder = Folder::new();
        folder.file(&format!("logs/{name}.aclsan"), &log);
        export(&folder);
        is_same(&folder);
        let cut = folder.path().join("logs").join(format!("{name}.aclsan"));
        fs::write(cut, &log[..log.len() * 2 / 3]).unwrap();
        fs::remove_dir_all(folder.path().join("set")).unwrap();
        let said = folder.run(&[
            "export", "--format", "parquet", "--run", "r1", "logs", "-o", "set",
        ]);
        assert_eq!(said.code, 0, "{}", said.err);
        is_same(&folder);
    }
}

/// Every file of a dataset.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

pub fn file_of(folder: &Folder, table: &str, pid: u32) -> PathBuf {
    let all = files(&folder.path().join("set").join(table));
    let part = format!("/pid={pid}/");
    all.into_iter()
        .find(|file| file.to_str().unwrap().contains(&part))
        .unwrap()
}

#[test]
fn adding_a_rank_rewrites_no_other_and_adding_it_twice_changes_nothing() {
    let folder = ranks(2);
    let one = [
        "export",
        "--format",
        "parquet",
        "--run",
        "r1",
        "logs/rank000.aclsan",
        "-o",
        "set",
    ];
    assert_eq!(folder.run(&one).code, 0);
    let before: Vec<_> = files(&folder.path().join("set"))
        .into_iter()
        .map(|file| (fs::read(&file).unwrap(), file))
        .collect();
    export(&folder);
    for (bytes, file) in &before {
        assert_eq!(&fs::read(file).unwrap(), bytes, "{}", file.display());
    }
    let all = files(&folder.path().join("set"));
    assert_eq!(all.len(), 2 * before.len());
    export(&folder);
    assert_eq!(files(&folder.path().join("set")), all);
}

#[test]
fn bad_files_are_named_and_the_other_processes_reported() {
    let folder = ranks(6);
    export(&folder);
    fs::remove_file(file_of(&folder, "leaks", 5000)).unwrap();
    let torn = file_of(&folder, "findings", 5001);
    fs::write(&torn, &fs::read(&torn).unwrap()[..100]).unwrap();
    fs::write(file_of(&folder, "calls", 5002), "no table").unwrap();
    fs::copy(
        file_of(&folder, "usage", 5003),
        file_of(&folder, "pools", 5003),
    )
    .unwrap();
    let mut writer =
        aclsan_dataset::write::Writer::of_version(Vec::new(), aclsan_dataset::VERSION + 1).unwrap();
    writer
        .add(&aclsan_dataset::tables::Call::default())
        .unwrap();
    fs::write(file_of(&folder, "calls", 5004), writer.finish().unwrap()).unwrap();
    folder.file("set/processes/notes.txt", b"hello");
    let said = folder.run(&["report", "set"]);
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.out.contains("5005"), "{}", said.out);
    for words in [
        "/pid=5000/",
        "is missing: the process is left out",
        "/pid=5001/",
        "is damaged or no Parquet file",
        "/pid=5002/",
        "belongs to table `usage`",
        "has version 3 of the dataset; this aclsan reads 1 and 2",
        "notes.txt` is no file of a dataset",
    ] {
        assert!(said.err.contains(words), "{words}: {}", said.err);
    }
    assert!(!said.err.contains("panicked"), "{}", said.err);
}

#[test]
fn a_parquet_file_of_another_program_is_named() {
    let folder = ranks(2);
    export(&folder);
    let file = file_of(&folder, "frames", 5000);
    // Without our key in its metadata it is a valid table of somebody else's.
    let mut bytes = fs::read(&file).unwrap();
    let key = b"aclsan.table";
    let at = bytes.windows(key.len()).rposition(|window| window == key);
    bytes[at.unwrap()] = b'b';
    fs::write(&file, bytes).unwrap();
    let said = folder.run(&["report", "--json", "set"]);
    assert_eq!(said.code, 2, "{}", said.err);
    let named = "is a Parquet file, but not of a dataset of aclsan; move it away";
    assert!(said.err.contains("/pid=5000/"), "{}", said.err);
    assert!(said.err.contains(named), "{}", said.err);
    assert_eq!(said.json()["processes"].as_array().unwrap().len(), 1);
}

#[test]
fn an_export_that_was_interrupted_is_not_seen() {
    let folder = ranks(2);
    export(&folder);
    fs::remove_file(file_of(&folder, "processes", 5000)).unwrap();
    let said = folder.run(&["report", "--json", "set"]);
    assert_eq!(said.json()["processes"].as_array().unwrap().len(), 1);
}

#[test]
fn two_runs_in_one_place_are_two_runs() {
    // Without `run=`, as after a move by hand: the files say which run they are of.
    let folder = ranks(1);
    for run in ["r1", "r2"] {
        let said = folder.run(&[
            "export", "--format", "parquet", "--run", run, "logs", "-o", "set",
        ]);
        assert_eq!(said.code, 0);
    }
    for file in files(&folder.path().join("set")) {
        let table = file.strip_prefix(folder.path().join("set")).unwrap();
        let table = table.components().next().unwrap().as_os_str().to_owned();
        let to = folder.path().join("flat").join(table);
        fs::create_dir_all(&to).unwrap();
        fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
    }
    let said = folder.run(&["report", "--json", "flat"]);
    assert_eq!(said.json()["processes"].as_array().unwrap().len(), 2);
    let all = files(&folder.path().join("flat/processes"));
    let runs = all.iter().map(|file| {
        let rows: Vec<aclsan_dataset::tables::Process> = aclsan_dataset::read::all(file).unwrap();
        rows[0].run_id.clone()
    });
    assert_eq!(runs.collect::<BTreeSet<_>>().len(), 2);
}

#[test]
fn wrong_arguments_say_what_to_do() {
    let folder = ranks(1);
    export(&folder);
    for (arguments, words) in [
        (
            &["export", "--format", "parquet", "logs"][..],
            "a dataset is a folder: name it with `-o dataset`",
        ),
        (
            &["export", "--format", "json", "--run", "a", "logs"],
            "are for `parquet`",
        ),
        (&["report", "set", "logs"], "is a dataset and `logs` is not"),
        (
            &["export", "--format", "heaptrack", "set"],
            "`set` is a dataset: this needs the logs",
        ),
        (
            &[
                "export",
                "--format",
                "parquet",
                "logs",
                "-o",
                "logs/rank000.aclsan",
            ],
            "is a file, and a dataset is a folder",
        ),
    ] {
        let said = folder.run(arguments);
        assert_eq!(said.code, 2, "{arguments:?}");
        assert!(said.err.contains(words), "{}", said.err);
    }
}
