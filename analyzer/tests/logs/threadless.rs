//! If no thread can be started, reports are the same.

use std::process::Command;

use aclsan_log::Definition;
use aclsan_log::builder::LogBuilder;

use super::story::*;

/// A stack larger than any address space, for every thread that the command starts.
const NO_THREAD: (&str, &str) = ("RUST_MIN_STACK", "140737488355328");

/// `leak`, alone at 0x401000, with debug information.
fn compile(folder: &Folder) {
    folder.file(
        "leak.c",
        b"int leak(int n) {\n    return n * n + n / 3;\n}\n",
    );
    let flags = "-g -nostdlib -static -Wl,--build-id=none,-Ttext=0x401000,-e,leak leak.c -o leak";
    let mut cc = Command::new("cc");
    cc.args(flags.split(' ')).current_dir(folder.path());
    assert!(cc.status().unwrap().success());
}

fn log(folder: &Folder) -> Vec<u8> {
    let mut synth = LogBuilder::default();
    synth.define(Definition::Module {
        start: 0x40_0000,
        end: 0x50_0000,
        bias: 0,
        build_id: Vec::new(),
        path: folder.path().join("leak").display().to_string(),
    });
    let malloc = synth.site("aclrtMalloc", 0, 0, &[0x40_1004, 0x40_1005]);
    synth.at(1).allocation(7, malloc, 0x10_0000, 4096);
    synth.bytes()
}

#[test]
fn one_log_and_many_are_read() {
    let folder = Folder::new();
    compile(&folder);
    let bytes = log(&folder);
    for name in ["a.aclsan", "b.aclsan", "c.aclsan"] {
        folder.file(name, &bytes);
    }
    for logs in ["a.aclsan", "."] {
        for verb in ["report", "check"] {
            let with = folder.run(&[verb, logs]);
            let mut without = Command::new(env!("CARGO_BIN_EXE_aclsan"));
            without
                .args([verb, logs])
                .current_dir(folder.path())
                .env("LC_ALL", "C")
                .env(NO_THREAD.0, NO_THREAD.1);
            let without = Said::from(without.output().unwrap());
            assert!(with.out.contains("leak.c:1"), "{with:?}");
            assert_eq!(without.out, with.out, "{}", without.err);
            assert_eq!((without.code, without.err), (with.code, with.err));
        }
    }
}
