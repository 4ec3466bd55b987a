use aclsan_left_out::left_out;
use aclsan_log::Definition;

use super::story::*;

#[test]
fn a_process_that_became_another_program_was_not_killed() {
    let folder = Folder::new();
    let started = |mut synth: aclsan_log::builder::LogBuilder, began_ns| {
        for (key, value) in [("run_id", "one"), ("parent", "1")] {
            let (key, value) = (key.to_owned(), value.to_owned());
            synth.define(Definition::Property { key, value });
        }
        synth.process(42, began_ns);
        synth.bytes()
    };
    let (mut first, malloc, _) = beginning();
    first.at(1000).allocation(7, malloc, 0x10_0000, 4096);
    folder.file("x.aclsan", &started(first, 5_000_000));
    folder.file("x.aclsan.1", &started(clean(), 9_000_000));
    let said = folder.run(&["report", "."]);
    let first = "from ./x.aclsan; it went on as another program, in ./x.aclsan.1\n";
    assert!(said.out.contains(first), "{}", said.out);
    assert!(
        said.out
            .contains("the log ends where the process went on as another program")
    );
    assert!(!said.out.contains("killed"), "{}", said.out);
    let zh = folder.run(&["report", "--lang", "zh", "."]).out;
    assert!(
        zh.contains("日志 ./x.aclsan；随后转而执行另一程序，见 ./x.aclsan.1\n"),
        "{zh}"
    );
    assert!(zh.contains("日志在进程转而执行另一程序之处结束"), "{zh}");
    // By itself it was killed, or still runs.
    let alone = folder.run(&["report", "x.aclsan"]).out;
    assert!(
        alone.contains("; it was killed, left by `_exit`, or still runs: the log has no end\n")
    );
}

#[test]
fn the_text_is_what_it_should_be_to_the_letter() {
    is_on_file(&["report", "faulty.aclsan"], "report.txt");
}

#[test]
fn the_text_in_chinese_is_what_it_should_be_to_the_letter() {
    is_on_file(
        &["report", "--lang", "zh", "faulty.aclsan"],
        "report.zh.txt",
    );
}

fn is_on_file(arguments: &[&str], name: &str) {
    let folder = Folder::new();
    folder.file("faulty.aclsan", &faulty().bytes());
    let said = folder.run(arguments);
    said.prints(&format!("tests/logs/{name}"));
    assert_eq!((said.err.as_str(), said.code), ("", 1));
}

#[test]
fn every_line_of_every_text_has_the_prefix_and_the_last_is_the_summary() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    for verb in ["report", "leaks", "frag", "timeline", "findings", "check"] {
        let said = folder.run(&[verb, "--prefix", "a.aclsan"]);
        for line in said.out.lines() {
            assert!(
                line == "==1==" || line.starts_with("==1== "),
                "{verb}: {line}"
            );
            assert_eq!(line, line.trim_end(), "{verb}");
        }
        // A command that shows only leaks looks for no other findings.
        let others = match verb {
            "leaks" => "",
            _ => ", 0 warnings, 0 notes",
        };
        let last = format!(
            "==1== SUMMARY: aclsan: 2 errors{others}; 1024 bytes in 2 blocks leaked; 1 unknown-origin pointer"
        );
        assert_eq!(said.last(), last, "{verb}");
    }
}

#[test]
fn json_of_real_logs_fits_the_schema() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    folder.file("b.aclsan", &clean().bytes());
    folder.file("c.aclsan", &idle().bytes());
    let report = folder.run(&["report", "--json", "."]).json();
    assert_eq!(aclsan_schema::check(&report), Vec::<String>::new());
    assert_eq!(report["processes"].as_array().unwrap().len(), 3);
    assert_eq!(report["leaks"]["bytes"], 1024);
    assert_eq!(report["leaks"]["sites"][0]["oldest_ns"], 2_000_000);
    assert_eq!(
        report["metrics"]["unknown_origin"]["sites"][0]["address"],
        "0xdead0000"
    );
    let verdict = folder.run(&["check", "--json", "."]).json();
    assert_eq!(aclsan_schema::check(&verdict), Vec::<String>::new());
}

#[test]
fn json_of_a_part_has_that_part() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    for (verb, parts) in [
        ("leaks", &["leaks", "annotations"][..]),
        ("frag", &["fragmentation", "autopsies", "allocations"]),
        ("timeline", &["timeline", "annotations"]),
        ("findings", &["findings"]),
    ] {
        let json = folder.run(&[verb, "--json", "a.aclsan"]).json();
        let mut members: Vec<&str> = json
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        members.sort_unstable();
        let around = [
            "generator",
            "processes",
            "schema_version",
            "self",
            "summary",
        ];
        let mut expected = [&around[..], parts].concat();
        expected.sort_unstable();
        assert_eq!(members, expected, "{verb}");
    }
}

#[test]
fn ranks_that_did_the_same_are_reported_once() {
    let folder = Folder::new();
    for pid in 1..=3_u8 {
        let mut bytes = faulty().bytes();
        bytes[20] = pid; // the header's process number
        folder.file(&format!("rank{pid}.aclsan"), &bytes);
    }
    for logs in [".", "rank?.aclsan", "./*.aclsan"] {
        let json = folder.run(&["report", "--json", logs]).json();
        let findings = json["findings"].as_array().unwrap();
        assert_eq!(findings.len(), 2);
        assert_eq!(findings[0]["pids"], serde_json::json!([1, 2, 3]));
        assert_eq!(json["leaks"]["bytes"], 3 * 1024);
        let sites = json["leaks"]["sites"].as_array().unwrap();
        assert_eq!((sites.len(), &sites[0]["blocks"]), (1, &6.into()));
        assert_eq!(sites[0]["fingerprint"], findings[1]["fingerprint"]);
    }
    let text = folder.run(&["report", "."]).out;
    assert!(
        text.contains("  3072 bytes in 6 blocks in all, alike in processes 1, 2, 3\n"),
        "{text}"
    );
    assert_eq!(text.matches("SUMMARY").count(), 1);
}

#[test]
fn a_limit_says_what_it_left_out() {
    let folder = Folder::new();
    let mut synth = clean();
    for n in 0..5 {
        let site = synth.site("aclrtMalloc", 0, 0, &[0x40_3000 + n]);
        synth.allocation(7, site, 0x100_0000 * (n + 1), 100);
    }
    folder.file("a.aclsan", &synth.bytes());
    let said = folder.run(&["leaks", "--limit", "2", "a.aclsan"]);
    assert_eq!(said.out.matches("allocated by").count(), 2);
    assert!(
        said.out
            .contains("3 places more with 300 bytes: `--limit 0` shows all\n"),
        "{}",
        said.out
    );
    let said = folder.run(&["leaks", "--limit", "0", "a.aclsan"]);
    assert_eq!(said.out.matches("allocated by").count(), 5);
}

#[test]
fn colours_only_when_asked_for() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    assert!(!folder.run(&["report", "a.aclsan"]).out.contains('\x1b'));
    let coloured = folder.run(&["--color", "always", "report", "a.aclsan"]).out;
    assert!(
        coloured.contains("\x1b[1m\x1b[91mERROR\x1b[0m: aclsan: double-free: "),
        "{coloured}"
    );
}

#[test]
fn colours_come_on_a_terminal_and_by_the_usual_variables() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    let terminal = "import pty, sys; pty.spawn(sys.argv[1:])";
    for (variables, on_terminal, coloured) in [
        (&[] as &[(&str, &str)], true, true),
        (&[("NO_COLOR", "1")], true, false),
        (&[("TERM", "dumb")], true, false),
        (&[("CLICOLOR_FORCE", "1")], false, true),
        (&[], false, false),
    ] {
        let report = [env!("CARGO_BIN_EXE_aclsan"), "report", "a.aclsan"];
        let words: Vec<&str> = match on_terminal {
            true => ["python3", "-c", terminal]
                .into_iter()
                .chain(report)
                .collect(),
            false => report.to_vec(),
        };
        let mut command = std::process::Command::new(words[0]);
        command.args(&words[1..]).current_dir(folder.path());
        for name in ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "CI"] {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C").env("TERM", "xterm");
        let Ok(output) = command.envs(variables.iter().copied()).output() else {
            left_out("there is no python3 to make a terminal");
            continue;
        };
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("double-free"), "{said}");
        assert_eq!(
            said.contains("\x1b[91mERROR"),
            coloured,
            "{variables:?}: {said:?}"
        );
    }
}

#[test]
fn names_in_a_log_cannot_steer_the_terminal() {
    let folder = Folder::new();
    let mut synth = clean();
    let (key, value) = ("arguments".to_owned(), "evil\x1b[2J\nname".to_owned());
    synth.define(aclsan_log::Definition::Property { key, value });
    folder.file("a.aclsan", &synth.bytes());
    let said = folder.run(&["report", "a.aclsan"]);
    assert!(said.out.contains("evil\\u{1b}[2J\\nname"), "{}", said.out);
}
