//! Formats numbers for people; machine-readable formats get the raw ones. Not `humansize` or `bytesize`: the rounding and both languages are
//! part of the output.

/// A size: exact below 10 KiB, else in the largest unit with at least one digit before the decimal point.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 10 << 10 {
        return counted(bytes, "byte");
    }
    let mut unit = 0;
    let mut scale = 1_u64 << 10;
    while unit + 1 < UNITS.len() && bytes / scale >= 1 << 10 {
        scale <<= 10;
        unit += 1;
    }
    format!("{:.1} {}", bytes as f64 / scale as f64, UNITS[unit])
}

/// `1 block`, `2 blocks`.
pub fn counted(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ if what.ends_with('s') => format!("{count} {what}es"),
        _ => format!("{count} {what}s"),
    }
}

/// A duration.
pub fn duration(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{:.1} µs", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} ms", ns as f64 / 1e6),
        1_000_000_000..120_000_000_000 => format!("{:.2} s", ns as f64 / 1e9),
        _ => {
            let seconds = ns / 1_000_000_000;
            let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
            match hours {
                0 => format!("{minutes} min {} s", seconds % 60),
                _ => format!("{hours} h {minutes} min"),
            }
        }
    }
}

/// The date and time of `ns` nanoseconds since 1970, to the second: `2026-11-24 23:12:05 UTC`. Days are counted in eras of 400 years that
/// begin in March, so that the leap day is a year's last. Written out here, because it is all that a crate for dates would be for.
pub fn date(ns: u64) -> String {
    let seconds = ns / 1_000_000_000;
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// A ratio between 0 and 1 as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A device's number, or that it is unknown.
pub fn device(device: i32) -> String {
    match device {
        0.. => format!("device {device}"),
        _ => "an unknown device".to_owned(),
    }
}

/// Escapes everything in `text` that moves a terminal's cursor, changes its colors or reverses its direction: logs are untrusted.
pub fn printable(text: &str) -> String {
    let is_hostile = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(is_hostile) {
        return text.to_owned();
    }
    let escaped = text.chars().map(|c| match is_hostile(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    });
    escaped.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_exact_while_they_are_few() {
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(1), "1 byte");
        assert_eq!(bytes(10_239), "10239 bytes");
        assert_eq!(bytes(10_240), "10.0 KiB");
        assert_eq!(bytes(3 << 29), "1.5 GiB");
        assert_eq!(bytes(u64::MAX), "16.0 EiB");
    }

    #[test]
    fn durations_have_the_unit_that_fits() {
        assert_eq!(duration(999), "999 ns");
        assert_eq!(duration(1_500), "1.5 µs");
        assert_eq!(duration(61_000_000_000), "61.00 s");
        assert_eq!(duration(125_000_000_000), "2 min 5 s");
        assert_eq!(duration(7_260_000_000_000), "2 h 1 min");
    }

    #[test]
    fn dates_follow_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(date(951_782_399_000_000_000), "2000-02-28 23:59:59 UTC");
        assert_eq!(date(951_782_400_000_000_000), "2000-02-29 00:00:00 UTC");
        assert_eq!(date(1_735_689_599_999_999_999), "2024-12-31 23:59:59 UTC");
        assert_eq!(date(4_107_542_400_000_000_000), "2100-03-01 00:00:00 UTC");
    }

    #[test]
    fn a_log_cannot_steer_the_terminal() {
        assert_eq!(
            printable("a\x1b[31m\nb\u{202e}c"),
            "a\\u{1b}[31m\\nb\\u{202e}c"
        );
        assert_eq!(printable("中文 ok"), "中文 ok");
    }
}
