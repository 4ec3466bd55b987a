//! Live bytes over time, as a line of bars per family.

use std::io;

use super::writer::TextWriter;
use crate::model::{Line, Report};
use crate::units::{bytes, duration};

const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// One line of bars for each family in use. A bar is as high as the maximum of its time span.
pub fn write(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let columns = usize::from(writer.style().width.unwrap_or(100))
        .saturating_sub(20)
        .clamp(20, 100);
    let lines = report.timeline.processes.iter().zip(&report.processes);
    for (at, (line, process)) in lines.enumerate() {
        let last = line.points.last().map_or(0, |point| point.ns);
        let end = last.max(process.duration_ns);
        writer.turn_to(line.pid);
        writer.title(&format!("Live bytes over {}", duration(end)))?;
        writer.identify(at)?;
        for (index, family) in report.timeline.families.iter().enumerate() {
            let high = line
                .points
                .iter()
                .map(|point| point.live[index])
                .max()
                .unwrap_or(0);
            if high == 0 {
                continue;
            }
            let last = line.points.last().map_or(0, |point| point.live[index]);
            writer.line(&writer.sums(&format!(
                "  {family}: at most {}, at the end {}",
                bytes(high),
                bytes(last)
            )))?;
            writer.line(&format!("  |{}|", bars(line, index, columns, end, high)))?;
        }
    }
    Ok(())
}

/// The bar of a value, at most `high`.
pub(super) fn bar(value: u64, high: u64) -> char {
    let height = (u128::from(value.min(high)) * 8).div_ceil(u128::from(high.max(1)));
    BARS[height as usize]
}

fn bars(line: &Line, index: usize, columns: usize, end: u64, high: u64) -> String {
    let mut highest = vec![None; columns];
    for point in &line.points {
        let column = (u128::from(point.ns) * columns as u128 / (u128::from(end) + 1)) as usize;
        let known = highest[column].unwrap_or((0, 0));
        highest[column] = Some((point.live[index].max(known.0), point.live[index]));
    }
    // A column without a change continues with the last value of the previous one.
    let mut level = 0;
    let heights = highest.into_iter().map(|change| {
        let (top, after) = change.unwrap_or((level, level));
        let top = top.max(level);
        level = after;
        (u128::from(top) * 8).div_ceil(u128::from(high)) as usize
    });
    heights.map(|height| BARS[height]).collect()
}
