//! Tests of the table and of its lookup.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use super::*;

#[test]
fn every_line_is_a_sentence_and_none_is_there_twice() {
    let mut known = HashSet::new();
    for line in TABLES.iter().flat_map(|table| table.lines()) {
        if line.is_empty() || line.starts_with("# ") {
            continue;
        }
        let sentence = Sentence::parse(line).unwrap_or_else(|| panic!("no sentence: {line}"));
        let (english, _) = line.split_once(" => ").unwrap();
        assert!(known.insert(english), "twice: {english}");
        assert!(sentence.literal() > 1, "all hole: {line}");
        let numbers: HashSet<usize> = sentence.holes.iter().map(|hole| hole.0).collect();
        assert_eq!(numbers.len(), sentence.holes.len(), "{line}");
        for number in 1..=9 {
            let mark = format!("{{{number}}}");
            assert_eq!(
                sentence.chinese.contains(&mark),
                numbers.contains(&number),
                "{mark} of {line}"
            );
        }
        let names = |text: &str| text.matches('`').count();
        assert_eq!(names(english) % 2, 0, "{line}");
        assert_eq!(names(english), names(sentence.chinese), "{line}");
    }
}

#[test]
fn what_a_hole_holds_is_looked_up_but_names_are_not() {
    assert_eq!(
        translate("Leaks: 1024 bytes in 2 blocks, allocated at 1 place").as_deref(),
        Some("泄漏：1024 字节，共 2 个内存块，在 1 处分配")
    );
    assert_eq!(
        translate("`bytes in {1}` released a block of 64 bytes that was already released")
            .as_deref(),
        Some("`bytes in {1}` 释放了此前已释放的内存块，大小 64 字节")
    );
    assert_eq!(translate("load_model"), None);
    assert_eq!(translate(""), None);
}

#[test]
fn a_hole_never_ends_inside_a_name() {
    // The name also contains `was already released`.
    let odd = "`a block of 1 bytes that` released a block of 64 bytes that was already released";
    let translated = translate(odd).unwrap();
    assert!(
        translated.starts_with("`a block of 1 bytes that` 释放了"),
        "{translated}"
    );
}

#[test]
fn a_line_keeps_what_scripts_read() {
    let table = Table::default();
    for (english, chinese) in [
        (
            "ERROR: aclsan: double-free: `aclrtFree` released a block of 64 bytes that was already released",
            "ERROR: aclsan: double-free: `aclrtFree` 释放了此前已释放的内存块，大小 64 字节",
        ),
        (
            "  more: aclsan explain double-free",
            "  详见：aclsan explain double-free",
        ),
        (
            "  released by: drop /src/a.c:5 ← main a.c:9",
            "  释放于：drop /src/a.c:5 ← main a.c:9",
        ),
    ] {
        assert_eq!(table.translate_line(english).as_deref(), Some(chinese));
    }
    assert_eq!(
        table.translate_line(
            "SUMMARY: aclsan: 1 error, 0 warnings; `aclsan report a: b` shows the rest"
        ),
        None
    );
}

#[test]
fn a_drawing_keeps_its_columns() {
    // The second column starts at 40 in both: 4 + 36 and 14 + 26.
    for (english, chinese) in [
        (
            format!("stream 1{}the host", " ".repeat(32)),
            format!("流 1{}Host", " ".repeat(36)),
        ),
        (
            format!(
                "v may still be running{}^ waits for nothing of stream 1",
                " ".repeat(18)
            ),
            format!("v 可能仍在执行{}^ 不等待流 1 的任何任务", " ".repeat(26)),
        ),
        (
            "| - - - missing - > `aclrtFree`".to_owned(),
            "| - - - 缺失边 -- > `aclrtFree`".to_owned(),
        ),
    ] {
        assert_eq!(translate(&english), Some(chinese), "{english}");
    }
    let memory = "+16   found   74 68 65 the host  stream 1";
    assert_eq!(translate(memory), None, "memory's bytes are no words");
}

/// The sentences of the expected reports, with their placeholders undone.
fn corpus() -> Vec<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/programs");
    let folders = std::fs::read_dir(root).expect("the programs").flatten();
    let files = folders.filter_map(|folder| std::fs::read_dir(folder.path()).ok());
    let reports = files
        .flatten()
        .flatten()
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|it| it == "report"));
    let mut lines: Vec<String> = Vec::new();
    for report in reports {
        let text = std::fs::read_to_string(report).expect("a report");
        let said = text.lines().filter_map(|line| line.strip_prefix("=="));
        let said = said.filter_map(|line| line.split_once("== "));
        lines.extend(said.map(|(_, line)| {
            let line = line
                .trim()
                .replace("TID", "7")
                .replace("N ms", "1 ms")
                .replace("… N frames", "… 3 frames");
            words(&line).to_owned()
        }));
    }
    assert!(lines.len() > 1000, "the corpus was found");
    lines
}

/// The message of a finding, without severity and rule; of one that follows from another, without place.
fn words(line: &str) -> &str {
    let line = match line.strip_prefix("consequence of ") {
        Some(rest) => {
            let finding = rest.split_once(": ").map_or(rest, |(_, finding)| finding);
            return finding.split_once(": ").map_or(finding, |(_, words)| words);
        }
        None => line,
    };
    let begins = [
        "ERROR: aclsan: ",
        "WARNING: aclsan: ",
        "NOTE: aclsan: ",
        "consequence: ",
    ];
    begins
        .iter()
        .find_map(|word| line.strip_prefix(word)?.split_once(": "))
        .map_or(line, |(_, message)| message)
}

#[test]
fn consequences_are_named_in_chinese() {
    let translated = |head: &str| translate(head).unwrap_or_default();
    assert_eq!(
        translated("consequence: guard-overrun at main a.c:5"),
        "后果：guard-overrun，位于 main a.c:5"
    );
    assert_eq!(
        translated("consequence of copy-overrun at main a.c:5"),
        "copy-overrun（main a.c:5）的后果"
    );
}

/// Frames, bytes and table rows are not sentences. The summary is always English.
fn is_sentence(line: &str) -> bool {
    let others = ["#", "SUMMARY", "+", "pattern", "--", "aclsan: ", "TIMES"];
    let cell = line.trim_start_matches(['|', ' ']);
    // A row of the table of findings: its advice is a line of its finding, too.
    let severities = ["error ", "warning ", "note "];
    let is_row = severities.iter().any(|begin| line.starts_with(begin)) && line.contains("  ");
    let is_name = cell.starts_with('`') && cell.ends_with('`') && cell.matches('`').count() == 2;
    // Where a finding is, in its short form.
    let is_place = line.starts_with("in ") && line.ends_with(|c: char| c.is_ascii_digit());
    !line.is_empty()
        && !is_name
        && !is_place
        && !is_row
        && !others.iter().any(|begin| line.starts_with(begin))
        && !is_hex(line)
        && !is_source(line)
}

/// Whether it is a line of a program's source, or the caret below one.
fn is_source(line: &str) -> bool {
    let number = line.strip_prefix("> ").unwrap_or(line).trim_start();
    let after = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = after.len() < number.len() && after.starts_with(" |");
    let caret = line.strip_prefix('|').map(str::trim);
    is_numbered || caret == Some("^")
}

/// Whether English words are left in a sentence. Names are in backticks or are addresses, families, units and rules.
fn is_english(translated: &str) -> bool {
    let plain: String = translated.split('`').step_by(2).collect();
    let small = [" the ", " of ", " was ", " with ", " behind ", " before "];
    small.iter().any(|word| plain.contains(word))
}

/// Functions of the shim that print, and of the command: errors and notices.
const PRINT: [&str; 5] = [
    "stderr::warning(",
    "print_lines(",
    "say_once(",
    "turn_off(",
    "describe(",
];
const FAIL: [&str; 5] = [
    "bail!(",
    "anyhow!(",
    ".context(",
    "with_context(",
    "notice::say(",
];
const DOCTOR: [&str; 3] = [".fact(", ".push(format!(", "let fact = "];

/// What a program says about itself: the texts in calls of its sources that print, with 7 for what varies.
fn messages(folder: &str, print: &[&str]) -> Vec<String> {
    let mut folders = vec![
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(folder),
    ];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the shim").flatten() {
            let path = entry.path();
            match path.extension().and_then(|it| it.to_str()) {
                None if path.is_dir() => folders.push(path),
                Some("rs") => {
                    found.extend(printed(
                        &std::fs::read_to_string(&path).expect("text"),
                        print,
                    ));
                }
                _ => {}
            }
        }
    }
    assert!(found.len() > 15, "{found:?}");
    found
}

/// The texts of a source file that are given to functions that print.
fn printed(source: &str, print: &[&str]) -> Vec<String> {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    // A quote within a text, and a text that goes on in the next line.
    let source = source.replace("\\\"", "″").replace("\\n", "\n");
    let mut parts = source.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    let source = parts.fold(first, |sum, part| sum + part.trim_start());
    let calls = print.iter().flat_map(|call| source.split(call).skip(1));
    let arguments = calls.map(|rest| {
        let ends = [");\n", ";\n", ")?", "),\n", ")\n        })"];
        let end = ends.iter().filter_map(|end| rest.find(end)).min();
        &rest[..end.unwrap_or(rest.len())]
    });
    let texts = arguments.flat_map(|text| text.split('"').skip(1).step_by(2));
    let sentences = texts.filter(|text| text.matches(' ').count() > 2 && !text.starts_with("{:"));
    let filled = sentences.map(|text| {
        let mut parts = text.split('{');
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            filled += "7";
            filled += part.split_once('}').map_or(part, |(_, after)| after);
        }
        filled.replace('″', "\"")
    });
    let lines = filled.flat_map(|text| {
        text.lines()
            .map(str::trim)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    lines.filter(|line| line.contains(' ')).collect()
}

#[test]
fn what_of_the_corpus_stays_english_is_on_file() {
    let mut left = BTreeSet::new();
    let command = messages("analyzer/src", &FAIL);
    let doctor = messages("analyzer/src/run/doctor", &DOCTOR);
    for message in messages("shim", &PRINT)
        .into_iter()
        .chain(command)
        .chain(doctor)
    {
        let message = message.strip_prefix("aclsan: ").unwrap_or(&message);
        // The summary is for scripts; a version of Python comes before what is described.
        let words = [message.to_owned(), format!("Python 7 {message}")];
        if !message.starts_with("SUMMARY") && !words.iter().any(|words| translate(words).is_some())
        {
            left.insert(format!("{message}\n"));
        }
    }
    for line in corpus() {
        let words = line.as_str();
        if is_sentence(words) && translate(words).is_none_or(|translated| is_english(&translated)) {
            left.insert(words.to_owned() + "\n");
        }
    }
    let left: String = left.into_iter().collect();
    // The rest belongs in a table; `SNAPSHOTS=overwrite` writes the file.
    snapbox::assert_data_eq!(left, snapbox::file!["missing.txt"].raw());
}

#[test]
fn who_announced_a_pool_is_a_word_of_ours_unless_it_is_a_name() {
    let translated = |who: &str| translate(&format!("`cache`, reported by {who}, device 0"));
    assert_eq!(
        translated("annotation").as_deref(),
        Some("`cache`，声明者：标注，设备 0")
    );
    assert_eq!(
        translated("mstx").as_deref(),
        Some("`cache`，声明者：mstx，设备 0")
    );
    let kinds = ["annotation", "range", "mark"].map(translate);
    assert!(kinds.iter().all(Option::is_some), "{kinds:?}");
}
