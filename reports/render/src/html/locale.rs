//! The page in a requested language: its markup says so, whatever the browser prefers, and it reads so without a script.
//!
//! Markup is written in English, with keys (`data-t`) or the other language (`data-zh`) in attributes for the script to swap. This module
//! does the same swap once, before the page is assembled.

use std::borrow::Cow;

use super::escape::{with_code, without_code};
use super::messages::chinese;
use crate::text::Locale;

/// Attributes of the `html` element: the language, and whether it was requested.
pub fn of_page(asked: Option<Locale>) -> &'static str {
    match asked {
        None => "lang=\"en\"",
        Some(Locale::English) => "lang=\"en\" data-lang=\"en\"",
        Some(Locale::Chinese) => "lang=\"zh\" data-lang=\"zh\"",
    }
}

/// `markup` in the requested language.
pub fn localize(markup: &str, asked: Option<Locale>) -> Cow<'_, str> {
    match asked {
        Some(Locale::Chinese) => Cow::Owned(exchanged(markup)),
        _ => Cow::Borrowed(markup),
    }
}

/// Replaces English by Chinese. The English goes into `data-en`, unless a key stands for both.
fn exchanged(markup: &str) -> String {
    let mut done = String::with_capacity(markup.len() + markup.len() / 4);
    let mut rest = markup;
    while let Some((at, is_key)) = next(rest) {
        let mark = if is_key { KEY } else { OTHER };
        let value = at + mark.len();
        let parts = rest[value..].split_once('"').and_then(|(value, rest)| {
            let (attributes, rest) = rest.split_once('>')?;
            // A key's text has no markup in it, a sentence's has code.
            let end = rest.find(if is_key { "<" } else { "</span>" })?;
            Some((value, attributes, &rest[..end], &rest[end..]))
        });
        let Some((text, attributes, english, after)) = parts else {
            break;
        };
        done.push_str(&rest[..value]);
        done.push_str(text);
        match is_key {
            true => {
                let translated = chinese(text).unwrap_or(english);
                done.push_str(&format!("\"{attributes}>{translated}"));
            }
            false => {
                let (english, shown) = (without_code(english), with_code(text));
                done.push_str(&format!("\" data-en=\"{english}\"{attributes}>{shown}"));
            }
        }
        rest = after;
    }
    done.push_str(rest);
    done
}

const KEY: &str = "data-t=\"";
const OTHER: &str = "data-zh=\"";

/// Finds the next text with a translation, and whether it has a key. In texts from logs, every quote is escaped.
fn next(markup: &str) -> Option<(usize, bool)> {
    let places = [(markup.find(KEY), true), (markup.find(OTHER), false)];
    let found = places.into_iter().filter_map(|(at, is)| Some((at?, is)));
    found.min_by_key(|(at, _)| *at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_text_are_exchanged_and_names_stay() {
        let markup = "<h2 data-t=\"findings\">Findings</h2><td><span data-zh=\"一 `&lt;b&gt;`\">one <code><wbr>&lt;b&gt;</code></span> data-t= <code>x</code></td>\
            <button data-t=\"clear\" disabled>Whole run</button>";
        let translated = localize(markup, Some(Locale::Chinese));
        let findings = chinese("findings").unwrap();
        let clear = chinese("clear").unwrap();
        assert_eq!(
            translated,
            format!(
                "<h2 data-t=\"findings\">{findings}</h2><td><span data-zh=\"一 `&lt;b&gt;`\" data-en=\"one `&lt;b&gt;`\">一 <code><wbr>&lt;b&gt;</code></span> data-t= <code>x</code></td>\
                <button data-t=\"clear\" disabled>{clear}</button>"
            )
        );
        assert_eq!(localize(markup, None), markup);
        assert_eq!(localize(markup, Some(Locale::English)), markup);
    }

    #[test]
    fn what_is_cut_off_stays_as_it_is() {
        for markup in ["data-t=\"", "data-zh=\"a\"", "data-t=\"a\">b", ""] {
            assert_eq!(localize(markup, Some(Locale::Chinese)), markup);
        }
    }
}
