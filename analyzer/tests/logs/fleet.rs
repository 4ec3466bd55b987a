//! `aclsan fleet`, on engines that are there: `packaging/fleet/engines duckdb` brings one.

use aclsan_left_out::left_out;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use aclsan_log::builder::LogBuilder;
use aclsan_log::{Definition, Event, Mapping};
use serde_json::Value;

use super::story::*;

const MIB: u64 = 1 << 20;

/// The checkout.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The Python that has DuckDB, if `packaging/fleet/engines` was run.
fn python() -> Option<PathBuf> {
    let set = env::var_os("ACLSAN_DUCKDB_PYTHON").map(PathBuf::from);
    let here = root().join("target/engines/duckdb/bin/python3");
    let found = set.or_else(|| here.exists().then_some(here));
    if found.is_none() {
        left_out("DuckDB is not here: `packaging/fleet/engines duckdb` installs it");
    }
    found
}

/// Rank `rank` of run number `run`: sites that grow with runs, other SoCs, deaths.
fn rank(rank: u32, run: u64) -> LogBuilder {
    let mut synth = LogBuilder::default();
    synth.process(
        7000 + rank,
        1_700_000_000_000_000_000 + run * 3_600_000_000_000 + u64::from(rank),
    );
    let soc = if rank.is_multiple_of(2) {
        "Ascend910B3"
    } else {
        "Ascend310P3"
    };
    let driver = format!("25.{}", run % 2);
    for (key, value) in [
        ("host", format!("node{}", rank / 4)),
        ("soc", soc.to_owned()),
        ("driver_version", driver),
        ("arguments", "train".to_owned()),
    ] {
        let key = key.to_owned();
        synth.define(Definition::Property { key, value });
    }
    synth.define(crate::many::train());
    let device = (rank % 4) as i32;
    let free = synth.site("aclrtFree", 0, device, &[0x40_3000]);
    let base = 0x12_0000_0000_u64;
    let mut last = None;
    for n in 0..12_u64 {
        let site = synth.site("aclrtMalloc", 0, device, &[0x40_1000 + n % 5 * 0x100]);
        let outlier = if rank == 5 && run == 2 { 300 } else { 0 };
        let size = (1 + n % 3 + run * (n % 5) + outlier) * MIB + n * 4096;
        let address = base + n * (4 << 30) / 8;
        let block = synth.at(10 + n).allocation(7, site, address, size);
        if n % 2 == 1 || run == 0 {
            synth
                .at(30 + n)
                .event(7, Event::Release { block, site: free });
        }
        last = Some(address);
    }
    if let Some(address) = last.filter(|_| rank == 3 && run > 0) {
        let mapping = Mapping::Unknown;
        let again = Event::ReleaseAt {
            site: free,
            address,
            mapping,
        };
        synth.at(60).event(7, again);
    }
    if !(rank == 6 && run == 1) {
        synth.at(90).event(7, Event::Exit);
    }
    synth
}

/// Three runs of twelve ranks.
fn dataset() -> Folder {
    let folder = Folder::new();
    for run in 0..3 {
        let logs = format!("run{run}");
        for n in 0..12 {
            folder.file(&format!("{logs}/rank{n:02}.aclsan"), &rank(n, run).bytes());
        }
        let version = (run + 1).to_string();
        let said = folder.run(&[
            "export",
            "--format",
            "parquet",
            "--run",
            &logs,
            "--model",
            "llama",
            "--model-version",
            &version,
            &logs,
            "-o",
            "set",
        ]);
        assert_eq!((said.code, said.err.as_str()), (0, ""));
    }
    folder
}

/// Runs `aclsan` where `python3` is the one with DuckDB.
fn ask(folder: &Folder, python: &Path, arguments: &[&str]) -> Said {
    let beside = python.parent().unwrap().display();
    let path = format!("{beside}:{}", env::var("PATH").unwrap());
    let output = Command::new(env!("CARGO_BIN_EXE_aclsan"))
        .args(arguments)
        .current_dir(folder.path())
        .env("PATH", path)
        .env("LC_ALL", "C")
        .output();
    Said::from(output.unwrap())
}

fn prove(python: &Path, arguments: &[&str]) -> String {
    let script = root().join("tests/fleet/prove.py");
    let output = Command::new(python).arg(script).args(arguments).output();
    let output = output.unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn answers_are_those_of_a_naive_model() {
    let Some(python) = python() else {
        return;
    };
    let folder = dataset();
    let set = folder.path().join("set").display().to_string();
    let files = ["duckdb", "model"].map(|task| {
        let file = folder.file(
            &format!("{task}.json"),
            prove(&python, &[task, &set]).as_bytes(),
        );
        file.display().to_string()
    });
    println!("{}", prove(&python, &["compare", &files[0], &files[1]]));
    // The command's answers are the engine's.
    let engine: Value = serde_json::from_slice(&fs::read(&files[0]).unwrap()).unwrap();
    for (question, expected) in engine.as_object().unwrap() {
        let said = ask(&folder, &python, &["fleet", question, "set", "--json"]);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{question}");
        let answer = said.json();
        assert_eq!(answer["columns"], expected["columns"]);
        let columns = answer["columns"].as_array().unwrap();
        let rows = answer["rows"].as_array().unwrap().iter();
        let rows: Vec<Vec<&Value>> = rows
            .map(|row| {
                columns
                    .iter()
                    .map(|name| &row[name.as_str().unwrap()])
                    .collect()
            })
            .collect();
        assert_eq!(serde_json::json!(rows), expected["rows"], "{question}");
    }
    // So are those of the other DuckDB, the command, whose JSON is another.
    let named = env::var_os("ACLSAN_DUCKDB_COMMAND").map(PathBuf::from);
    let command = named.unwrap_or_else(|| root().join("target/engines/duckdb-cli/bin/duckdb"));
    if command.exists() {
        for question in engine.as_object().unwrap().keys() {
            let [of_module, of_command] =
                [&python, &command].map(|beside| ask(&folder, beside, &["fleet", question, "set"]));
            assert_eq!(of_command.out, of_module.out, "{question}");
        }
    } else {
        left_out("`packaging/fleet/engines duckdb-cli` installs the command");
    }
    // Spark's, too, in `.ci/fleet`.
    if let Some(spark) = env::var_os("ACLSAN_SPARK_PYTHON") {
        let answers = prove(Path::new(&spark), &["spark", &set]);
        let file = folder
            .file("spark.json", answers.as_bytes())
            .display()
            .to_string();
        println!(
            "{}",
            prove(&python, &["compare", &files[0], &files[1], &file])
        );
    }
}

/// The job of `packaging/fleet`, on a cluster of one machine with two workers.
#[test]
fn a_ray_task_exports_each_log_where_it_is() {
    let Some(python) = env::var_os("ACLSAN_RAY_PYTHON") else {
        left_out("Ray is not here: `.ci/fleet` installs it");
        return;
    };
    let folder = Folder::new();
    for n in 0..8 {
        folder.file(&format!("logs/rank{n}.aclsan"), &rank(n, 0).bytes());
    }
    folder.file("logs/rank9.aclsan", b"no log");
    let job = |logs: &[&str]| {
        let output = Command::new(&python)
            .arg(root().join("packaging/fleet/export.py"))
            .args(["--run", "job-7", "--workers", "2", "set"])
            .args(logs)
            .current_dir(folder.path())
            .env("ACLSAN", env!("CARGO_BIN_EXE_aclsan"))
            // Ray writes a token there.
            .env("HOME", folder.path())
            .env_remove("RAY_ADDRESS")
            .output();
        Said::from(output.unwrap())
    };
    let said = job(&["logs"]);
    assert_eq!(said.code, 1, "{}", said.err);
    assert!(said.out.contains("8 of 9 logs exported"), "{}", said.out);
    assert!(
        said.err.contains("rank9.aclsan: exit code 2"),
        "{}",
        said.err
    );
    let report = folder.run(&["report", "--json", "set"]).json();
    assert_eq!(report["processes"].as_array().unwrap().len(), 8);
}

#[test]
fn answers_are_tables_and_pages() {
    let Some(python) = python() else {
        return;
    };
    let folder = dataset();
    let text = ask(&folder, &python, &["fleet", "outlier-ranks", "set"]);
    assert_eq!(text.code, 0, "{}", text.err);
    assert!(
        text.out.contains("7005") && text.out.contains("MiB"),
        "{}",
        text.out
    );
    let page = ask(&folder, &python, &["fleet", "died", "set", "--html", "-"]).out;
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.contains("7006"),
        "{page}"
    );
    // Findings of one process lack their file.
    fs::remove_dir_all(folder.path().join("set/findings")).unwrap();
    let said = ask(&folder, &python, &["fleet", "first-seen", "set"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("failed: "), "{}", said.err);
}

#[test]
fn questions_have_pages_and_statements_without_an_engine() {
    let folder = Folder::new();
    let listed = folder.run(&["fleet"]).out;
    assert!(listed.contains("outlier-ranks: "), "{listed}");
    assert!(folder.run(&["fleet", "died"]).out.contains("`_exit`"));
    let sql = folder.run(&["fleet", "died", "--sql"]).out;
    assert!(sql.starts_with("WITH ") && !sql.contains("--"), "{sql}");
    let chinese = folder.run(&["--lang", "zh", "fleet", "died"]).out;
    assert!(chinese.contains("没有自行结束的进程"), "{chinese}");
    let wrong = folder.run(&["fleet", "outliers", "."]);
    assert_eq!(wrong.code, 2);
    let wrong = folder.run(&["fleet", "died", "."]);
    assert!(wrong.err.contains("`.` is no dataset"), "{}", wrong.err);
    fs::create_dir_all(folder.path().join("set/processes")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_aclsan"))
        .args(["fleet", "died", "set"])
        .current_dir(folder.path())
        .env("PATH", "/nowhere")
        .env("LC_ALL", "C")
        .output();
    let without = Said::from(output.unwrap());
    assert_eq!(without.code, 2);
    assert!(
        without.err.contains("pip install duckdb"),
        "{}",
        without.err
    );
}
