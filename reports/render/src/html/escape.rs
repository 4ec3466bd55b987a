//! Text that goes into markup: whatever it says, it stays text.

use maud::Render;

use crate::units::printable;

/// Bytes of a name that are shown.
const NAME_MOST: usize = 400;

/// `text` for the inside of an element or of a quoted attribute; control characters and those that turn lines are spelled out.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\u{61c}' => safe.push_str("\\u{61c}"),
            _ => safe.push(c),
        }
    }
    safe
}

/// Text of a log in markup: shortened and escaped. Plain strings would be escaped too, but not so far: control characters stay in them.
pub struct Text<T>(pub T);

impl<T: AsRef<str>> Render for Text<T> {
    fn render_to(&self, buffer: &mut String) {
        buffer.push_str(&escape(&shortened(self.0.as_ref())));
    }
}

/// The first part of a name that is long beyond reading.
pub fn shortened(text: &str) -> String {
    match text.char_indices().find(|(at, _)| *at >= NAME_MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_opens_an_element_closes_an_attribute_or_turns_a_line() {
        assert_eq!(
            escape("</script><b a=\"'&\x1b\u{202e}\u{61c}中"),
            "&lt;/script&gt;&lt;b a=&quot;&#39;&amp;\\u{1b}\\u{202e}\\u{61c}中"
        );
    }

    #[test]
    fn a_long_name_ends_between_characters() {
        let long = "名".repeat(1000);
        assert!(shortened(&long).ends_with("名…") && shortened(&long).len() < 410);
        assert_eq!(shortened("main"), "main");
    }
}
