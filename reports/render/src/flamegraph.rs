//! Folded stacks as a flame graph: one SVG file that needs nothing else.

use std::io::{self, Write};

use inferno::flamegraph::{self, Options};

/// Writes the graph of `folded` (see [`crate::folded::lines`]); values are bytes.
///
/// # Errors
/// Those of `out`, and that there is nothing to draw.
pub fn render(folded: &[String], title: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut options = Options::default();
    options.title = title.to_owned();
    options.count_name = "bytes".to_owned();
    options.deterministic = true;
    // Names come from programs: no network, no fonts of our own.
    let lines = folded.iter().map(String::as_str);
    flamegraph::from_lines(&mut options, lines, out).map_err(io::Error::other)
}

/// Writes the graph of `new`, coloured by how much each stack grew (red) or shrank (blue) since `old`.
///
/// # Errors
/// Those of `out`, and that there is nothing to draw.
pub fn render_difference(
    old: &[String],
    new: &[String],
    title: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let joined = |lines: &[String]| lines.join("\n").into_bytes();
    let mut both = Vec::new();
    let options = inferno::differential::Options::default();
    let (old, new) = (joined(old), joined(new));
    inferno::differential::from_readers(options, &old[..], &new[..], &mut both)?;
    let both = String::from_utf8_lossy(&both);
    let lines: Vec<String> = both.lines().map(str::to_owned).collect();
    render(&lines, &format!("{title}, change"), out)
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
}
