//! Escapes text for markup.

use maud::Render;

use crate::units::printable;

/// Maximum number of bytes shown of a name.
const MAX_NAME_BYTES: usize = 400;

/// Escapes `text` for an element or a quoted attribute. Control characters and those that change the text direction are spelled out.
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

/// Text from a log, shortened and escaped. Plain strings are escaped by `maud` too, but keep control characters.
pub struct Text<T>(pub T);

impl<T: AsRef<str>> Render for Text<T> {
    fn render_to(&self, buffer: &mut String) {
        buffer.push_str(&escape(&shortened(self.0.as_ref())));
    }
}

/// A name from a log, escaped, which lines may break after `::` and `/` and before `<`.
pub struct Name<T>(pub T);

impl<T: AsRef<str>> Render for Name<T> {
    fn render_to(&self, buffer: &mut String) {
        buffer.push_str(&breakable(&escape(&shortened(self.0.as_ref()))));
    }
}

/// Escaped text with break opportunities, as in [`Name`].
fn breakable(escaped: &str) -> String {
    let broken = escaped
        .replace("::", "::<wbr>")
        .replace("&lt;", "<wbr>&lt;");
    broken.replace('/', "/<wbr>").replace("<wbr><wbr>", "<wbr>")
}

/// Escaped text with the names that it has in backticks as code. An unpaired backtick is one of a shortened text: its name ends the text.
pub fn with_code(escaped: &str) -> String {
    let parts = escaped.split('`').enumerate();
    let parts = parts.map(|(at, part)| match at % 2 {
        0 => part.to_owned(),
        _ => format!("<code>{}</code>", breakable(part)),
    });
    parts.collect()
}

/// Undoes [`with_code`].
pub fn without_code(markup: &str) -> String {
    let plain = markup.replace("<wbr>", "");
    plain.replace("<code>", "`").replace("</code>", "`")
}

/// The start of an overlong name.
pub fn shortened(text: &str) -> String {
    match text.char_indices().find(|(at, _)| *at >= MAX_NAME_BYTES) {
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
    fn names_break_between_their_parts() {
        let name = Name("at::native::copy<at::Half, 4>(a/b)").render().0;
        assert_eq!(
            name,
            "at::<wbr>native::<wbr>copy<wbr>&lt;at::<wbr>Half, 4&gt;(a/<wbr>b)"
        );
    }

    #[test]
    fn names_in_backticks_become_code_and_back() {
        let text = "`a::b` released `c&lt;d&gt;`";
        let markup = with_code(text);
        assert_eq!(
            markup,
            "<code>a::<wbr>b</code> released <code>c<wbr>&lt;d&gt;</code>"
        );
        assert_eq!(without_code(&markup), text);
        assert_eq!(with_code("cut `of"), "cut <code>of</code>");
    }

    #[test]
    fn a_long_name_ends_between_characters() {
        let long = "名".repeat(1000);
        assert!(shortened(&long).ends_with("名…") && shortened(&long).len() < 410);
        assert_eq!(shortened("main"), "main");
    }
}
