//! Numbers that fit a narrow column.

/// Bytes in at most six columns, with three digits: `512`, `1.23K`, `45.6M`, `789G`.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [char; 6] = ['K', 'M', 'G', 'T', 'P', 'E'];
    if bytes < 1000 {
        return bytes.to_string();
    }
    let mut value = bytes as f64 / 1024.0;
    let mut units = UNITS.iter();
    let mut unit = units.next();
    // 999.5 would take a fourth digit.
    while value >= 999.5 {
        value /= 1024.0;
        unit = units.next();
    }
    let digits = match value {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$}{}", unit.unwrap_or(&'E'))
}

/// A difference of bytes, with its sign.
pub fn change(change: i64) -> String {
    match change {
        0 => "0".to_owned(),
        1.. => format!("+{}", bytes(change.unsigned_abs())),
        _ => format!("-{}", bytes(change.unsigned_abs())),
    }
}

/// A duration in at most six columns: `950ms`, `59s`, `3m20s`, `5h10m`, `3d4h`.
pub fn duration(ns: u64) -> String {
    let (ms, seconds) = (ns / 1_000_000, ns / 1_000_000_000);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match () {
        () if seconds == 0 => format!("{ms}ms"),
        () if minutes == 0 => format!("{seconds}s"),
        () if hours == 0 => format!("{minutes}m{:02}s", seconds % 60),
        () if days == 0 => format!("{hours}h{:02}m", minutes % 60),
        () => format!("{days}d{}h", hours % 24),
    }
}

/// A rate a second: `0`, `0.25`, `12`, `45.6k`.
pub fn rate(rate: f64) -> String {
    match rate {
        ..0.005 => "0".to_owned(),
        ..9.95 => format!("{rate:.2}"),
        ..1e4 => format!("{rate:.0}"),
        ..1e6 => format!("{:.1}k", rate / 1e3),
        _ => format!("{:.1}M", rate / 1e6),
    }
}

/// A line of bars, one for each value, the highest as high as a line is. Without Unicode, digits.
pub fn bars(values: &[u64], has_unicode: bool) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = values.iter().copied().max().unwrap_or(0);
    let level = |value: u64, levels: u128| {
        let level = u128::from(value) * (levels - 1) + u128::from(most) / 2;
        level.checked_div(u128::from(most)).unwrap_or(0) as usize
    };
    let bar = |&value: &u64| match has_unicode {
        true => BARS[level(value, 8)],
        false => char::from(b'0' + level(value, 10) as u8),
    };
    values.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_six_columns_whatever_they_are() {
        let sizes = [
            0,
            999,
            1000,
            1024,
            10_239,
            99 << 10,
            1023 << 10,
            1 << 30,
            u64::MAX,
        ];
        assert_eq!(
            sizes.map(bytes),
            [
                "0", "999", "0.98K", "1.00K", "10.0K", "99.0K", "1.00M", "1.00G", "16.0E"
            ]
        );
        for shift in 0..64 {
            for near in [-1_i64, 0, 1] {
                let size = (1_u64 << shift).wrapping_add_signed(near);
                assert!(bytes(size).len() <= 6, "{size}: {}", bytes(size));
                assert!(duration(size).len() <= 10, "{size}: {}", duration(size));
            }
        }
        assert_eq!([change(-2048), change(5)], ["-2.00K", "+5"]);
    }

    #[test]
    fn durations_have_two_units_and_rates_three_digits() {
        let second = 1_000_000_000;
        let all = [
            second / 2,
            second,
            59 * second,
            200 * second,
            18_600 * second,
            273_600 * second,
        ];
        assert_eq!(
            all.map(duration),
            ["500ms", "1s", "59s", "3m20s", "5h10m", "3d4h"]
        );
        assert_eq!(
            [0.0, 0.25, 12.0, 45_600.0, 2e6].map(rate),
            ["0", "0.25", "12", "45.6k", "2.0M"]
        );
    }

    #[test]
    fn the_highest_bar_is_full_and_nothing_is_the_lowest() {
        assert_eq!(bars(&[0, 1, 2, 4], true), "▁▃▅█");
        assert_eq!(bars(&[0, 9, 5], false), "095");
        assert_eq!(bars(&[0, 0], false), "00");
        assert_eq!(bars(&[u64::MAX], true), "█");
    }
}
