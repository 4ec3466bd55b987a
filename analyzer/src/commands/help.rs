//! Help in Chinese: what clap writes in English, line by line.
//!
//! clap has no languages, and its possible values have no other descriptions without other types. So help is rendered without folding,
//! each line is looked up, and long lines are folded here: clap folds at blanks only, which Chinese does not have.

use aclsan_render::text::chinese;

use crate::io::fold::{columns, fold};

/// The style of headings, and the end of a style, in a terminal.
const HEADING: &str = "\x1b[1m\x1b[4m";
const RESET: &str = "\x1b[0m";
/// clap's own words.
const WORDS: [(&str, &str); 9] = [
    ("Usage:", "用法:"),
    ("Commands:", "命令："),
    ("Arguments:", "参数："),
    ("Options:", "选项："),
    ("Possible values:", "可选值："),
    ("[default: ", "[默认："),
    ("[possible values: ", "[可选值："),
    ("[alias: ", "[别名："),
    ("[aliases: ", "[别名："),
];

/// `rendered` help in Chinese, folded to `width` columns.
pub fn in_chinese(rendered: &str, width: usize) -> String {
    let lines = rendered.lines().map(|line| {
        // A list's descriptions are below each other, like clap's.
        let column = columns(&line[..description(line)]);
        let indent = match line.starts_with("  ") && column < width / 2 {
            true => column,
            false => columns(line) - columns(line.trim_start()),
        };
        fold(&translated(line), width, indent)
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// An error in a command line, in Chinese as far as it is known.
pub fn error_in_chinese(rendered: &str) -> String {
    let lines = rendered.lines().map(|line| {
        let (mark, text) = line
            .strip_prefix("error: ")
            .map_or(("", line), |text| ("error: ", text));
        let words = text.trim_start();
        let indent = &text[..text.len() - words.len()];
        match chinese::translate(words) {
            Some(known) => format!("{mark}{indent}{known}\n"),
            None => translated(line) + "\n",
        }
    });
    lines.collect()
}

/// Columns of the terminal, at most 100, as clap has it; of `COLUMNS` where there is none.
pub fn width() -> usize {
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let variable = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal.or_else(variable).unwrap_or(100).clamp(40, 100)
}

/// A line in Chinese, as far as it is known: its description, the text after what is styled, and clap's words.
fn translated(line: &str) -> String {
    let heading = line
        .strip_prefix(HEADING)
        .and_then(|line| line.strip_suffix(RESET));
    if let Some(known) = heading.and_then(known) {
        return format!("{HEADING}{known}：{RESET}");
    }
    let at = description(line);
    let (head, text) = line.split_at(at);
    let mut done = format!(
        "{head}{}",
        described(text).unwrap_or_else(|| text.to_owned())
    );
    for (english, chinese) in WORDS {
        done = done.replace(english, chinese);
    }
    done
}

/// Where the description of a line begins: after names, their styles, and the blanks that follow.
fn description(line: &str) -> usize {
    let styled = line.rfind(RESET).map_or(0, |at| at + RESET.len());
    let rest = &line[styled..];
    // After an option's value, or a command's name without styles, there are two blanks at least.
    let words = rest.trim_start_matches([' ', ':', '.', '[', ']']);
    let start = line.len() - words.len();
    if let Some((value, text)) = words
        .strip_prefix("- ")
        .and_then(|words| words.split_once(": "))
        && !value.contains(' ')
    {
        return line.len() - text.trim_start().len();
    }
    match words.find("  ") {
        Some(gap) => line.len() - words[gap..].trim_start().len(),
        None => start,
    }
}

/// The translation of a description, with what clap adds in brackets left as it is.
fn described(text: &str) -> Option<String> {
    let text = text.trim_end();
    let mut end = text.len();
    loop {
        if let Some(known) = known(&text[..end]) {
            return Some(format!("{known}{}", &text[end..]));
        }
        end = text[..end].rfind(" [")?;
    }
}

fn known(text: &str) -> Option<&'static str> {
    let text = text
        .strip_suffix(" (see a summary with '-h')")
        .unwrap_or(text);
    let text = text
        .strip_suffix(" (see more with '--help')")
        .unwrap_or(text);
    let heading = text.strip_suffix(':').filter(|text| !text.is_empty());
    chinese::help(text).or_else(|| chinese::help(heading?))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::commands::cli::{Locale, parse_in};
    use crate::io::fold::is_wide;

    #[test]
    fn lines_are_looked_up_without_what_clap_adds() {
        for (english, chinese) in [
            (
                "  run          Run a program under aclsan, then report",
                "  run          在 aclsan 下运行程序，然后给出报告",
            ),
            ("      --json  Write JSON", "      --json  写出 JSON"),
            (
                "\x1b[1m\x1b[4mOptions:\x1b[0m",
                "\x1b[1m\x1b[4m选项：\x1b[0m",
            ),
            (
                "          Write JSON [default: 3]",
                "          写出 JSON [默认：3]",
            ),
            (
                "          - \x1b[1mlive\x1b[0m:      Live at the end",
                "          - \x1b[1mlive\x1b[0m:      结束时存活",
            ),
            (
                "\x1b[1m\x1b[4mWhat is loaded:\x1b[0m",
                "\x1b[1m\x1b[4m加载什么：\x1b[0m",
            ),
            (
                "  -h, --help  Print help (see more with '--help')",
                "  -h, --help  打印帮助",
            ),
        ] {
            assert_eq!(translated(english), chinese);
        }
    }

    #[test]
    fn what_is_wrong_with_a_command_line_is_reported_in_chinese() {
        let error = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            let error = parse_in(Locale::Chinese, &words).err().expect("an error");
            error_in_chinese(&error.render().to_string())
        };
        let reported = error(&["aclsan", "report", "--jsn", "x"]);
        assert!(
            reported.starts_with("error: 意外的参数 '--jsn'\n"),
            "{reported}"
        );
        assert!(
            reported.contains("提示：有相近的参数：'--json'") && reported.contains("用法: "),
            "{reported}"
        );
        let reported = error(&["aclsan", "leaks", "--by", "color", "x"]);
        assert!(
            reported.contains("的值 'color' 无效") && reported.contains("[可选值：site"),
            "{reported}"
        );
    }

    /// Every line of every command's help has a translation.
    #[test]
    fn nothing_of_help_is_left_in_english() {
        let arguments = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let help = |words: &[&str]| {
            let error = parse_in(Locale::Chinese, &arguments(words))
                .err()
                .expect("help");
            in_chinese(&error.render().to_string(), 100)
        };
        let own = help(&["aclsan", "--help"]);
        let verbs: Vec<&str> = own
            .lines()
            .filter_map(|line| line.strip_prefix("  ")?.split_once("  "))
            .map(|(verb, _)| verb.trim())
            .collect();
        assert!(verbs.len() > 18, "{own}");
        let mut left = Vec::new();
        for verb in verbs
            .iter()
            .filter(|verb| verb.chars().all(|c| c.is_ascii_lowercase()) && **verb != "help")
        {
            for page in [
                help(&["aclsan", "help", verb]),
                help(&["aclsan", verb, "-h"]),
            ] {
                let english = |line: &&str| {
                    let words = line.split(' ').filter(|word| {
                        word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase())
                    });
                    words.count() > 2
                        && !line.contains("aclsan ")
                        && !line.contains("&&")
                        && !line.contains(is_wide)
                        && !line.contains("[可选值")
                        && !line.contains('|')
                };
                left.extend(
                    page.lines()
                        .filter(english)
                        .map(|line| format!("{verb}: {line}")),
                );
            }
        }
        assert!(left.is_empty(), "{left:#?}");
    }
}
