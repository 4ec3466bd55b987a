//! Reports in Chinese: by `--lang`, by the locale, and what stays English.

use std::process::Command;

use super::story::*;

fn logs() -> Folder {
    let folder = Folder::new();
    for (name, log) in [("faulty", faulty()), ("clean", clean()), ("apart", apart())] {
        folder.file(&format!("{name}.aclsan"), &log.bytes());
    }
    folder.file("idle/idle.aclsan", &idle().bytes());
    folder
}

fn is_chinese(text: &str) -> bool {
    text.contains(|c: char| ('\u{4e00}'..='\u{9fff}').contains(&c))
}

/// Lines with English words left, except names, frames, rules and the summary.
pub fn english_left(text: &str) -> Vec<&str> {
    let small = ["the", "of", "was", "were", "with", "from", "in", "at"];
    let is_left = |line: &&str| {
        let plain: Vec<&str> = line.split('`').step_by(2).collect();
        plain
            .iter()
            .flat_map(|part| part.split(' '))
            .any(|word| small.contains(&word))
    };
    let lines = text.lines().map(|line| match line.split_once("== ") {
        Some((_, line)) => line.trim_start(),
        None => line,
    });
    let lines = lines.filter(|line| !line.starts_with('#') && !line.starts_with("SUMMARY"));
    lines.filter(is_left).collect()
}

#[test]
fn every_text_is_chinese_but_for_the_summary() {
    let folder = logs();
    for (arguments, words) in [
        (&["report", "apart.aclsan"] as &[&str], "首先要做"),
        (
            &["leaks", "faulty.aclsan"],
            "泄漏：1024 字节，共 2 个内存块，在 1 处分配",
        ),
        (
            &["leaks", "--by", "family", "faulty.aclsan"],
            "按内存族统计的泄漏",
        ),
        (&["frag", "apart.aclsan"], "最大空洞"),
        (
            &["frag", "--would-fit", "64K", "faulty.aclsan"],
            "起：放得下",
        ),
        (&["timeline", "faulty.aclsan"], "内的存活字节"),
        (&["findings", "faulty.aclsan"], "建议：内存块只释放一次"),
        (
            &["check", "--max-leak", "0", "faulty.aclsan"],
            "泄漏 1024 字节，`--max-leak` 允许 0 字节",
        ),
        (&["check", "clean.aclsan"], "检查通过"),
        (
            &["leaks", "--by", "class", "faulty.aclsan"],
            "按类别统计的泄漏",
        ),
        (&["frag", "--pool", "apart.aclsan"], "内存池内部"),
        (
            &["diff", "--from", "start", "--to", "end", "faulty.aclsan"],
            "存活内存：从 `start`",
        ),
        (&["diff", "clean.aclsan", "faulty.aclsan"], "新增：2 个问题"),
    ] {
        let english = folder.run(arguments);
        let chinese = folder.run(&[&["--lang", "zh"], arguments].concat());
        assert!(chinese.out.contains(words), "{words}: {}", chinese.out);
        assert_eq!(english_left(&chinese.out), [""; 0], "{arguments:?}");
        assert!(!is_chinese(&english.out), "{}", english.out);
        assert_eq!(english.last(), chinese.last(), "scripts read the summary");
        assert_eq!(english.code, chinese.code);
        assert_eq!(english.out.lines().count(), chinese.out.lines().count());
    }
    let said = folder.run(&["--lang", "zh", "check", "idle"]);
    assert!(
        said.err.starts_with("aclsan: 没有观察到 AscendCL 调用："),
        "{said:?}"
    );
}

#[test]
fn documents_for_machines_are_the_same_in_every_language() {
    let folder = logs();
    for arguments in [
        &["report", "--json", "faulty.aclsan"] as &[&str],
        &["check", "--json", "--max-leak", "0", "faulty.aclsan"],
        &["dump", "faulty.aclsan"],
        &["export", "--format", "github", "faulty.aclsan"],
    ] {
        let chinese = folder.run(&[&["--lang", "zh"], arguments].concat());
        assert_eq!(folder.run(arguments).out, chinese.out);
    }
}

#[test]
fn columns_are_as_wide_as_what_is_seen() {
    let said = logs().run(&["--lang", "zh", "report", "faulty.aclsan"]);
    let lines: Vec<&str> = said.out.lines().collect();
    let head = lines
        .iter()
        .position(|line| line.contains("累计分配"))
        .unwrap();
    // A Chinese character takes two columns of a terminal.
    let width = |text: &str| {
        text.chars()
            .map(|c| 1 + usize::from(!c.is_ascii()))
            .sum::<usize>()
    };
    assert_eq!(
        width(lines[head]),
        width(lines[head + 1]),
        "{}\n{}",
        lines[head],
        lines[head + 1]
    );
}

#[test]
fn every_rule_says_in_chinese_what_it_reports() {
    let folder = Folder::new();
    let english = folder.run(&["rules"]).out;
    let chinese = folder.run(&["rules", "--lang", "zh"]).out;
    assert_eq!(english.lines().count(), chinese.lines().count());
    for (english, chinese) in english.lines().zip(chinese.lines()) {
        let name = english.split(' ').next().unwrap();
        assert!(chinese.starts_with(name) && is_chinese(chinese), "{name}");
        let page = folder.run(&["explain", name]).out;
        let reported = folder.run(&["explain", "--lang", "zh", name]).out;
        // The page is Chinese but for its example.
        assert!(reported.starts_with(&format!("`{name}`：")), "{reported}");
        let is_code = |line: &&str| line.starts_with("      ");
        let code = |text: &str| -> Vec<String> {
            text.lines().filter(is_code).map(str::to_owned).collect()
        };
        assert_eq!(code(&page), code(&reported), "{name}");
        assert!(!code(&page).is_empty(), "{name}");
        let prose: Vec<&str> = reported.lines().filter(|line| !is_code(line)).collect();
        let prose = prose.join("\n");
        let paragraphs = prose.split("\n\n").filter(|text| !text.trim().is_empty());
        let english = paragraphs.filter(|text| !is_chinese(text));
        assert_eq!(english.collect::<Vec<_>>(), [""; 0], "{name}");
        let severity = page.trim_end().rsplit(' ').next().unwrap();
        assert!(reported.ends_with(&format!("级别：{severity}\n")), "{name}");
    }
}

#[test]
fn the_locale_is_asked_unless_the_user_says() {
    let folder = logs();
    for (variables, arguments, chinese) in [
        (
            &[("LANG", "zh_CN.UTF-8")] as &[(&str, &str)],
            &["check", "clean.aclsan"] as &[&str],
            true,
        ),
        (
            &[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "C")],
            &["check", "clean.aclsan"],
            false,
        ),
        (
            &[("LANG", "zh_CN.UTF-8")],
            &["check", "--lang", "en", "clean.aclsan"],
            false,
        ),
        (&[], &["check", "clean.aclsan"], false),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aclsan"));
        for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied());
        let said = Said::from(
            command
                .args(arguments)
                .current_dir(folder.path())
                .output()
                .unwrap(),
        );
        assert_eq!(
            is_chinese(&said.out),
            chinese,
            "{variables:?} {arguments:?}: {}",
            said.out
        );
    }
    let said = folder.run(&["--lang", "fr", "check", "clean.aclsan"]);
    assert_eq!(said.code, 2, "{said:?}");
}
