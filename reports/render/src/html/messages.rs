//! The page's messages in English and Chinese, in one table for the markup written here and for the script.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use maud::{Markup, PreEscaped, html};

use super::escape::{Text, escape, shortened, with_code};
use crate::text::chinese::translate;

/// The table as embedded in the page: each key with both languages.
pub const TABLE: &str = include_str!("page/words.json");

static WORDS: LazyLock<BTreeMap<&str, [&str; 2]>> =
    LazyLock::new(|| serde_json::from_str(TABLE).unwrap_or_default());

/// The English message for `key`, marked so that the script can swap languages.
pub fn message(key: &str) -> Markup {
    html! { span data-t=(key) { (english(key)) } }
}

/// The English message for `key`.
pub fn english(key: &str) -> &str {
    WORDS.get(key).map_or(key, |languages| languages[0])
}

/// The Chinese message for `key`.
pub fn chinese(key: &str) -> Option<&'static str> {
    WORDS.get(key).map(|languages| languages[1])
}

/// A sentence of a report as markup, with its translation in an attribute if there is one. Names in backticks become code; in the attribute
/// they stay as they are, for the script.
pub fn sentence(text: &str) -> Markup {
    let shown = PreEscaped(with_code(&escape(&shortened(text))));
    match translate(text) {
        Some(chinese) => html! { span data-zh=(Text(chinese)) { (shown) } },
        None => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::{SCRIPTS, SHELL};

    /// Keys between `before` and `after` in `text`.
    fn keys<'a>(text: &'a str, before: &'a str, after: char) -> impl Iterator<Item = &'a str> {
        let rest = text.split(before).skip(1);
        rest.filter_map(move |part| part.split(after).next())
    }

    #[test]
    fn a_sentence_carries_both_languages_and_stays_text() {
        assert_eq!(
            sentence("more: aclsan explain <leak>").0,
            "<span data-zh=\"详见：aclsan explain &lt;leak&gt;\">more: aclsan explain &lt;leak&gt;</span>"
        );
        assert_eq!(sentence("nothing \"known\"").0, "nothing &quot;known&quot;");
        assert_eq!(sentence("a `b`").0, "a <code>b</code>");
    }

    #[test]
    fn every_text_is_there_in_both_languages() {
        assert!(!WORDS.is_empty());
        for (key, [english, chinese]) in WORDS.iter() {
            assert!(!english.is_empty() && !chinese.is_empty(), "{key}");
            assert!(
                !english.contains(['<', '&', '`']) && !chinese.contains(['<', '&', '`']),
                "{key}"
            );
        }
    }

    #[test]
    fn every_text_that_is_used_is_in_the_table() {
        let sources = [
            include_str!("about.rs"),
            include_str!("cells.rs"),
            include_str!("mod.rs"),
            include_str!("pool_attributes.rs"),
            include_str!("pool_stats.rs"),
            include_str!("ranks.rs"),
            include_str!("summary.rs"),
            include_str!("tables.rs"),
        ];
        let in_rust = sources
            .iter()
            .flat_map(|text| keys(text, "message(\"", '"'));
        let in_shell = keys(SHELL, "data-t=\"", '"');
        let in_scripts = SCRIPTS.iter().flat_map(|text| keys(text, "say(\"", '"'));
        for key in in_rust.chain(in_shell).chain(in_scripts) {
            assert!(WORDS.contains_key(key), "{key}");
        }
    }
}
