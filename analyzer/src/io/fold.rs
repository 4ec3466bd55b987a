//! Folds lines of a terminal, in English and Chinese.

/// Columns that a text takes on a terminal.
pub fn columns(text: &str) -> usize {
    let mut is_styled = false;
    text.chars().fold(0, |sum, c| {
        is_styled |= c == '\x1b';
        let own = if is_styled {
            0
        } else {
            1 + usize::from(is_wide(c))
        };
        is_styled &= c != 'm';
        sum + own
    })
}

/// Breaks a line at `width` columns, at a blank or between Chinese characters, and indents the rest.
pub fn fold(line: &str, width: usize, indent: usize) -> String {
    let (mut folded, mut column) = (String::new(), 0);
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        // A word, or one character that needs none beside it; what follows it closely stays with it.
        let mut end = first.len_utf8();
        if !is_wide(first) && first != ' ' {
            end = rest
                .find(|c: char| c == ' ' || is_wide(c))
                .unwrap_or(rest.len());
        }
        while let Some(next) = rest[end..].chars().next().filter(|&next| is_closing(next)) {
            end += next.len_utf8();
        }
        let word = &rest[..end];
        let columns = columns(word);
        if column + columns > width && column > indent && word != " " {
            folded.truncate(folded.trim_end_matches(' ').len());
            folded.push('\n');
            folded.push_str(&" ".repeat(indent));
            column = indent;
        }
        folded.push_str(word);
        column += columns;
        rest = &rest[end..];
    }
    folded
}

/// Whether nothing is between two characters where a line ends after the first: between Chinese ones, and at punctuation.
pub fn joins(last: char, next: char) -> bool {
    is_closing(last) || is_closing(next) || (is_wide(last) && is_wide(next))
}

/// Whether it is Chinese, and two columns wide.
pub fn is_wide(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303f}' | '\u{4e00}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}')
}

/// Punctuation that no line begins with.
pub fn is_closing(c: char) -> bool {
    "，。；：、）”》！？…".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_between_characters_and_keep_their_indentation() {
        assert_eq!(
            fold("  内存块，释放 `aclrtFree` 内存", 10, 2),
            "  内存块，\n  释放\n  `aclrtFree`\n  内存"
        );
        assert_eq!(fold("short", 3, 0), "short");
    }
}
