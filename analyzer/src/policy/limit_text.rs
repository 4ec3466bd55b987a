//! Formats a value and its limit so that the texts differ: "4.6 MiB exceeds 4.6 MiB" would make no sense.

use aclsan_render::units::{bytes, counted, percent};

/// Formats bytes, exactly if both round to the same text.
pub fn in_bytes(used: u64, most: u64) -> (String, String) {
    match (bytes(used), bytes(most)) {
        (used_text, most_text) if used_text == most_text && used != most => {
            (counted(used, "byte"), counted(most, "byte"))
        }
        texts => texts,
    }
}

/// Formats shares, with as many digits as needed.
pub fn in_percent(used: f64, most: f64) -> (String, String) {
    let longer = (2..16).map(|digits| {
        let text = |share: f64| format!("{:.digits$} %", share * 100.0);
        (text(used), text(most))
    });
    let rounded = (percent(used), percent(most));
    std::iter::once(rounded.clone())
        .chain(longer)
        .find(|(used, most)| used != most)
        .unwrap_or(rounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts((used, most): &(String, String)) -> (&str, &str) {
        (used, most)
    }

    #[test]
    fn bytes_are_exact_where_rounding_hides_what_is_too_much() {
        for (used, most, reported) in [
            (4_856_760, 4_856_759, ("4856760 bytes", "4856759 bytes")),
            (
                u64::MAX,
                u64::MAX - 1,
                ("18446744073709551615 bytes", "18446744073709551614 bytes"),
            ),
            (5 << 20, 4_856_759, ("5.0 MiB", "4.6 MiB")),
            (1024, 1000, ("1024 bytes", "1000 bytes")),
        ] {
            assert_eq!(texts(&in_bytes(used, most)), reported);
        }
    }

    #[test]
    fn shares_have_the_digits_that_distinguish_them() {
        assert_eq!(texts(&in_percent(0.5, 0.499)), ("50.0 %", "49.9 %"));
        assert_eq!(texts(&in_percent(0.3, 0.3)), ("30.0 %", "30.0 %"));
        assert_eq!(texts(&in_percent(0.5, 0.49999)), ("50.000 %", "49.999 %"));
    }
}
