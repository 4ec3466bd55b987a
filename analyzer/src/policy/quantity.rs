//! Parses numbers with units.

use std::time::Duration;

/// Parses bytes: a number, with a fraction if it has a unit: `B`, `K`, `KB`, `KiB`, … `T`. All units are powers of 1024.
///
/// # Errors
/// A sentence that says what is expected.
pub fn bytes(text: &str) -> Result<u64, String> {
    let expected = || format!("`{text}` is not a size: write `4096`, `64K` or `1.5GiB`");
    let digits = text
        .trim()
        .trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == ' ');
    let unit = text.trim()[digits.len()..].trim().to_ascii_lowercase();
    let scale: u64 = match unit.as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return Err(expected()),
    };
    if let Ok(whole) = digits.parse::<u64>() {
        return whole.checked_mul(scale).ok_or_else(expected);
    }
    let number: f64 = digits.parse().map_err(|_| expected())?;
    let bytes = number * scale as f64;
    match bytes.is_finite() && bytes >= 0.0 && bytes < u64::MAX as f64 && scale > 1 {
        true => Ok(bytes as u64),
        false => Err(expected()),
    }
}

/// Parses a time: a number with `s`, `m`, `h` or `d`.
///
/// # Errors
/// A sentence that says what is expected.
pub fn duration(text: &str) -> Result<Duration, String> {
    let expected = || format!("`{text}` is not a time: write `90s`, `30m`, `1h` or `7d`");
    let digits = text
        .trim()
        .trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match &text.trim()[digits.len()..] {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return Err(expected()),
    };
    let number: u64 = digits.parse().map_err(|_| expected())?;
    let seconds = number.checked_mul(scale).ok_or_else(expected)?;
    Ok(Duration::from_secs(seconds))
}

/// Parses a percentage into a share: `30` and `30%` are 0.3.
///
/// # Errors
/// A sentence that says what is expected.
pub fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end();
    match number.parse::<f64>() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err(format!("`{text}` is not a percentage from 0 to 100")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        assert_eq!(duration("0s"), Ok(Duration::ZERO));
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("30m"), Ok(Duration::from_secs(1800)));
        assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
        assert_eq!(duration("7d"), Ok(Duration::from_secs(604_800)));
        for wrong in [
            "",
            "1",
            "h",
            "-1h",
            "1.5h",
            "1w",
            "1 h",
            "99999999999999999d",
        ] {
            let error = duration(wrong).unwrap_err();
            assert!(
                error.starts_with(&format!("`{wrong}` is not a time")),
                "{error}"
            );
        }
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(bytes("0"), Ok(0));
        assert_eq!(bytes("4096"), Ok(4096));
        assert_eq!(bytes("64K"), Ok(65536));
        assert_eq!(bytes("1.5GiB"), Ok(3 << 29));
        assert_eq!(bytes("2 MB"), Ok(2 << 20));
        assert_eq!(bytes("7b"), Ok(7));
        for bad in [
            "",
            "-1",
            "1.5",
            "lots",
            "1X",
            "1iB",
            "nan",
            "infK",
            "99999999999T",
        ] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn percentages_are_shares() {
        assert_eq!(percent("30"), Ok(0.3));
        assert_eq!(percent("12.5%"), Ok(0.125));
        assert!(percent("101").is_err() && percent("NaN").is_err() && percent("-1").is_err());
    }
}
