//! Draws folded stacks as a flame graph: one self-contained SVG file.

use std::io::{self, Write};

use inferno::flamegraph::{self, Options};

/// Draws `folded` (see [`crate::folded::lines`]); values are bytes.
///
/// # Errors
/// Those of `out`; if there is nothing to draw; if the bytes exceed any memory.
pub fn render(folded: &[String], title: &str, out: &mut dyn Write) -> io::Result<()> {
    add_up(folded)?;
    let mut options = Options::default();
    options.title = title.to_owned();
    options.count_name = "bytes".to_owned();
    options.deterministic = true;
    // Names come from programs: no network access, no fonts of our own.
    let lines = folded.iter().map(String::as_str);
    flamegraph::from_lines(&mut options, lines, out).map_err(io::Error::other)
}

/// Draws `new`, colored by how much each stack grew (red) or shrank (blue) since `old`.
///
/// # Errors
/// As [`render`].
pub fn render_difference(
    old: &[String],
    new: &[String],
    title: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    add_up(old)?;
    add_up(new)?;
    let joined = |lines: &[String]| lines.join("\n").into_bytes();
    let mut both = Vec::new();
    let options = inferno::differential::Options::default();
    let (old, new) = (joined(old), joined(new));
    inferno::differential::from_readers(options, &old[..], &new[..], &mut both)?;
    let both = String::from_utf8_lossy(&both);
    let lines: Vec<String> = both.lines().map(str::to_owned).collect();
    render(&lines, &format!("{title}, change"), out)
}

/// Whether the sum of all lines, and of the difference of any two graphs, fits the number type of `inferno`, which does not check.
fn add_up(folded: &[String]) -> io::Result<()> {
    let mut values = folded.iter().map(|line| {
        let value = line.rsplit(' ').next().unwrap_or_default();
        value.parse::<u64>().unwrap_or(0)
    });
    let sum = values.try_fold(0_u64, u64::checked_add);
    match sum.is_some_and(|sum| i64::try_from(sum).is_ok()) {
        true => Ok(()),
        false => Err(io::Error::other("its bytes are more than any memory has")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_names_its_frames_and_bytes() {
        let mut svg = Vec::new();
        let folded = ["main;load<T>;aclrtMalloc 4096".to_owned()];
        render(&folded, "live", &mut svg).unwrap();
        let svg = String::from_utf8(svg).unwrap();
        assert!(svg.contains("load&lt;T&gt;") && svg.contains("4,096 bytes"));
    }

    #[test]
    fn more_bytes_than_there_are_numbers_are_not_drawn() {
        let one = |bytes: u64| [format!("main;aclrtMalloc {bytes}")];
        let two = [one(u64::MAX), ["main;aclrtMallocHost 1".to_owned()]].concat();
        for folded in [&two[..], &one(1 << 63)] {
            let refused = render(folded, "live", &mut Vec::new()).unwrap_err();
            assert_eq!(
                refused.to_string(),
                "its bytes are more than any memory has"
            );
            let small = one(1);
            assert!(render_difference(&small, folded, "live", &mut Vec::new()).is_err());
            assert!(render_difference(folded, &small, "live", &mut Vec::new()).is_err());
        }
        render(&one((1 << 63) - 1), "live", &mut Vec::new()).unwrap();
    }
}
