//! The manuals as they are printed, in `tests/cmd`: `aclsan --help`, and `aclsan help VERB` of each verb.
//!
//! `SNAPSHOTS=overwrite cargo test -p aclsan --test cmd` updates them. The commands that `README.md` and the book show are in `sh`
//! blocks, with programs and logs of the reader's; `tests/scenarios/book` runs them.

use std::collections::BTreeSet;
use std::env;
use std::path::Path;
use std::process::Command;

const NAME: &str = "manuals_are_on_file";

#[test]
fn manuals_are_on_file() {
    // trycmd has a variable of its own, which it reads from its process's environment.
    if let (Some(action), None) = (env::var_os("SNAPSHOTS"), env::var_os("TRYCMD")) {
        let mut again = Command::new(env::current_exe().expect("this program has a path"));
        again.args(["--exact", NAME]).env("TRYCMD", action);
        assert!(again.status().expect("this program starts").success());
        return;
    }
    trycmd::TestCases::new()
        .case("tests/cmd/*.trycmd")
        // Where no stream is a terminal, clap folds at this width.
        .env("COLUMNS", "100")
        .env("LC_ALL", "C")
        .env("NO_COLOR", "1")
        .run();
}

#[test]
fn every_verb_has_a_manual_on_file() {
    let output = Command::new(env!("CARGO_BIN_EXE_aclsan"))
        .arg("help")
        .output()
        .expect("aclsan starts");
    let help = String::from_utf8(output.stdout).expect("UTF-8");
    let (_, verbs) = help.split_once("Commands:\n").expect("a list of verbs");
    let (verbs, _) = verbs.split_once("\n\n").expect("its end");
    let verbs = verbs.lines().filter_map(|line| line.strip_prefix("  "));
    // A description that is folded continues at a deeper indent.
    let verbs: BTreeSet<String> = verbs
        .filter_map(|line| line.split(' ').next())
        .filter(|verb| !verb.is_empty() && *verb != "help")
        .map(str::to_owned)
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    let files = std::fs::read_dir(folder).expect("the folder of manuals");
    let mut on_file: BTreeSet<String> = files
        .map(|file| file.expect("an entry").path())
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    assert!(on_file.remove("aclsan"), "the command's own");
    assert_eq!(verbs, on_file);
}
