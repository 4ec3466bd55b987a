//! Lines of Chinese paragraphs, joined: in a browser the end of a line is a blank, which Chinese does not have between characters.

/// The page with a line for each paragraph and each item of a list.
pub fn joined(page: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut is_code = false;
    for line in page.lines() {
        let previous = lines.last_mut().filter(|line| !is_code && !is_whole(line));
        match previous.filter(|_| !is_whole(line) && !is_item(line)) {
            Some(previous) => {
                let text = line.trim_start();
                let last = previous.chars().next_back().unwrap_or(' ');
                if !joins(last, text.chars().next().unwrap_or(' ')) {
                    previous.push(' ');
                }
                previous.push_str(text);
            }
            None => lines.push(line.to_owned()),
        }
        is_code ^= line.starts_with("```");
    }
    lines.join("\n") + "\n"
}

/// Headings, rows, comments, fences.
fn is_whole(line: &str) -> bool {
    line.is_empty() || line.starts_with(['#', '|', '<']) || line.starts_with("```")
}

fn is_item(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("* ")
        || line.starts_with("- ")
        || (number.len() < line.len() && number.starts_with(". "))
}

fn joins(last: char, next: char) -> bool {
    let is_chinese = |c: char| matches!(c, '\u{3000}'..='\u{303f}' | '\u{4e00}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}');
    let is_mark = |c: char| "，。；：、（）“”《》！？…".contains(c);
    is_mark(last) || is_mark(next) || (is_chinese(last) && is_chinese(next))
}

#[test]
fn paragraphs_are_lines() {
    let page = "一行\n二行\n\n## 标题\n三行，\n`name` 四行\nfive\n```c\nint x;\nint y;\n```\n* 甲\n* 乙\n  丙\n| a |\n| b |\n";
    let expected = "一行二行\n\n## 标题\n三行，`name` 四行 five\n```c\nint x;\nint y;\n```\n* 甲\n* 乙丙\n| a |\n| b |\n";
    assert_eq!(joined(page), expected);
}
