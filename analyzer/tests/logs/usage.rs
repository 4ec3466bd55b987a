use std::io::Read;

use super::story::*;

#[test]
fn the_help_names_every_verb_and_every_verb_has_help() {
    let folder = Folder::new();
    let help = folder.run(&["--help"]);
    assert_eq!(help.code, 0);
    for verb in [
        "report",
        "leaks",
        "frag",
        "timeline",
        "findings",
        "check",
        "export",
        "dump",
        "pack",
        "explain",
        "rules",
        "completions",
    ] {
        assert!(help.out.contains(&format!("  {verb} ")), "{verb}");
        assert_eq!(folder.run(&[verb, "--help"]).code, 0, "{verb}");
    }
}

#[test]
fn the_long_help_of_every_verb_is_its_manual() {
    let folder = Folder::new();
    let help = folder.run(&["--help"]).out;
    let verbs = help.split("Commands:").nth(1).expect("it lists verbs");
    let verbs = verbs.lines().skip(1).take_while(|line| !line.is_empty());
    let names = verbs.filter_map(|line| line.split_whitespace().next());
    let mut count = 0;
    for verb in names.filter(|verb| *verb != "help") {
        let said = folder.run(&[verb, "--help"]).out;
        assert!(
            said.contains(&format!("\n`aclsan {verb}")),
            "{verb}: {said}"
        );
        assert!(!said.contains("```"), "{verb}: {said}");
        let short = folder.run(&[verb, "-h"]).out;
        assert!(!short.contains(&format!("\n`aclsan {verb}")), "{verb}");
        count += 1;
    }
    assert!(count > 12, "{help}");
    let diff = folder.run(&["diff", "--help"]).out;
    assert!(diff.contains("`NAME#3`"), "how moments are named: {diff}");
}

#[test]
fn wrong_usage_is_code_2() {
    let folder = Folder::new();
    for arguments in [
        &["report"] as &[&str],
        &["frobnicate"],
        &["report", "--nonsense", "x"],
        &["check", "--max-leak", "lots", "x"],
        &["check", "--fail-on", "double-fee", "x"],
        &["export", "--format", "gif", "x"],
        &[],
    ] {
        let said = folder.run(arguments);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{arguments:?}");
        assert!(!said.err.is_empty());
    }
    let said = folder.run(&["check", "--fail-on", "double-fee", "x"]);
    assert!(
        said.err.contains("did you mean `double-free`?"),
        "{}",
        said.err
    );
    let said = folder.run(&["check", "--max-leak", "lots", "x"]);
    assert!(
        said.err
            .contains("`lots` is not a size: write `4096`, `64K` or `1.5GiB`"),
        "{}",
        said.err
    );
}

#[test]
fn the_help_of_check_says_what_budgets_do_to_each_other() {
    let help = Folder::new().run(&["check", "--help"]).out;
    let words: Vec<&str> = help.split_whitespace().collect();
    for sentence in [
        "Leaks within it fail nothing, although they are errors, unless `--fail-on` names their rule",
        "Budgets, such as `--max-leak`, count all findings, including those in the baseline",
        "`max_leak` limits what all call stacks leaked together, `max_peak` what each of them had live at once",
    ] {
        assert!(words.join(" ").contains(sentence), "{sentence}: {help}");
    }
}

#[test]
fn rules_and_their_pages() {
    let folder = Folder::new();
    let list = folder.run(&["rules"]);
    let json = folder.run(&["rules", "--json"]).json();
    for rule in json["rules"].as_array().unwrap() {
        let name = rule["name"].as_str().unwrap();
        assert!(list.out.contains(name));
        let page = folder.run(&["explain", name]);
        assert!(page.out.starts_with(&format!("`{name}`: ")), "{}", page.out);
        let severity = rule["severity"].as_str().unwrap();
        assert!(
            page.out.ends_with(&format!("Severity: {severity}\n")),
            "{}",
            page.out
        );
    }
    let said = folder.run(&["explain", "duoble-free"]);
    assert_eq!(said.code, 2);
    assert_eq!(
        said.err,
        "aclsan: `duoble-free` is not a rule: did you mean `double-free`? `aclsan rules` lists them all\n"
    );
}

#[test]
fn completions_for_the_usual_shells() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let said = folder.run(&["completions", shell]);
        assert_eq!(said.code, 0);
        assert!(said.out.contains("fail-on"), "{shell}");
    }
}

#[test]
fn a_reader_that_leaves_is_no_reason_to_panic() {
    let folder = Folder::new();
    let mut synth = faulty();
    let site = synth.site("aclrtMalloc", 0, 0, &[]);
    for n in 0..20_000 {
        synth.allocation(9, site, 0x100_0000 + n * 64, 64);
    }
    folder.file("a.aclsan", &synth.bytes());
    for verb in [
        "dump a.aclsan",
        "report --json a.aclsan",
        "completions bash",
    ] {
        let script = format!("{} {verb} | head -n 1", env!("CARGO_BIN_EXE_aclsan"));
        let output = std::process::Command::new("sh")
            .args(["-c", &script])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            (err.as_ref(), output.stdout.is_empty()),
            ("", false),
            "{verb}"
        );
    }
}

/// The kernel takes part of the data and refuses the rest until someone reads.
#[test]
fn a_pipe_that_does_not_block_gets_all_of_the_output() {
    let folder = Folder::new();
    let mut synth = faulty();
    for n in 0..2_000 {
        let site = synth.site("aclrtMalloc", 0, 0, &[0x5000 + n]);
        synth.allocation(9, site, 0x100_0000 + n * 64, 64);
    }
    folder.file("a.aclsan", &synth.bytes());
    let command = |verb: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_aclsan"));
        command.args(verb.split(' ')).current_dir(folder.path());
        command
    };
    for verb in [
        "dump a.aclsan",
        "leaks --limit 0 a.aclsan",
        "report --json a.aclsan",
    ] {
        let (mut reader, writer) = std::io::pipe().unwrap();
        rustix::fs::fcntl_setfl(&writer, rustix::fs::OFlags::NONBLOCK).unwrap();
        let mut piped = command(verb);
        let mut child = piped.stdout(writer).spawn().unwrap();
        drop(piped);
        let is_full = |reader| rustix::io::ioctl_fionread(reader).unwrap() > 60_000;
        while !is_full(&reader) && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        let mut reported = String::new();
        reader.read_to_string(&mut reported).unwrap();
        let whole = command(verb).output().unwrap();
        assert_eq!(child.wait().unwrap().code(), whole.status.code(), "{verb}");
        assert!(reported.len() > 128 << 10, "{verb}: {}", reported.len());
        assert!(
            reported.as_bytes() == whole.stdout,
            "{verb}: {}",
            reported.len()
        );
    }
}
