//! `operator_memory.csv` of torch_npu's and MindSpore's profilers and of msprof: a row for each allocation of an operator (columns as in the
//! documents of Ascend/pytorch and Ascend/msprof, 2026).
//!
//! A row has no address, so its memory is logged as `aclrtMallocPhysical`, which has none either. A release before the profiler stopped is
//! missing or negative if it was not seen, and so is an allocation from before it started.

use std::collections::HashMap;

use aclsan_log::{Event, PythonFrame};
use anyhow::{Context, bail};

use super::recording::{Frame, Recording};
use super::rows::{BadRow, Records};
use super::{Reader, Reading, Source, first_line};

/// The reader.
pub struct OperatorMemory;

const NAME: &str = "Name";
const SIZE: &str = "Size(KB)";
const ALLOCATED: &str = "Allocation Time(us)";
const RELEASED: &str = "Release Time(us)";
/// When no stream used it any more.
const RETURNED: &str = "Active Release Time(us)";
const DEVICE: &str = "Device Type";
/// Its name in msprof's own file, which tells the number alone.
const DEVICE_ID: &str = "Device_id";
/// Columns that say nothing that a log could hold.
const KNOWN: [&str; 10] = [
    "Duration(us)",
    "Active Duration(us)",
    "Allocation Total Allocated(MB)",
    "Allocation Total Reserved(MB)",
    "Allocation Total Active(MB)",
    "Release Total Allocated(MB)",
    "Release Total Reserved(MB)",
    "Release Total Active(MB)",
    "Stream Ptr",
    "Device",
];

impl Reader for OperatorMemory {
    fn recognises(&self, head: &[u8]) -> bool {
        let mut names = first_line(head).split(',').map(str::trim);
        let has = |name: &str| names.any(|other| other == name);
        [SIZE, ALLOCATED].into_iter().all(has)
    }

    fn limits(&self) -> &'static str {
        "a profiler's `operator_memory.csv` has no addresses, calls or streams: fragmentation, and mistakes with memory, cannot be found"
    }

    fn read(&self, source: &Source) -> anyhow::Result<Reading> {
        let name = source.name;
        let mut table = Table::default();
        let read = table.read(source);
        read.map_err(|error| match error.is::<BadRow>() {
            true => {
                anyhow::anyhow!("`{name}` {error}; `--skip-bad` leaves rows out that make no sense")
            }
            false => error.context(format!("cannot read `{name}`")),
        })?;
        let mut notices = table.notices;
        let logs = match table.uses.is_empty() {
            true => {
                notices.push(format!(
                    "`{name}` tells of no memory: it has no row with a size"
                ));
                Vec::new()
            }
            false => vec![log(&table.uses, name)],
        };
        Ok(Reading { logs, notices })
    }
}

/// An allocation.
struct Use {
    operator: String,
    bytes: u64,
    device: i32,
    /// Nanoseconds; `None` if not seen.
    from: Option<u64>,
    to: Option<u64>,
}

#[derive(Default)]
struct Table {
    uses: Vec<Use>,
    notices: Vec<String>,
}

impl Table {
    fn read(&mut self, source: &Source) -> anyhow::Result<()> {
        let name = source.name;
        let mut records = Records::open(source.path).context("it cannot be opened")?;
        let mut fields = Vec::new();
        records.next(&mut fields)?;
        let header: Vec<String> = fields.iter().map(|name| name.trim().to_owned()).collect();
        let header: Vec<&str> = header
            .iter()
            .map(|name| name.trim_start_matches('\u{feff}'))
            .collect();
        let used = [NAME, SIZE, ALLOCATED, RELEASED, RETURNED, DEVICE, DEVICE_ID];
        let unknown: Vec<String> = (header.iter())
            .filter(|name| !name.is_empty() && !used.contains(name) && !KNOWN.contains(name))
            .map(|name| format!("`{}`", name.escape_debug()))
            .collect();
        if !unknown.is_empty() {
            let unknown = unknown.join(", ");
            self.notices
                .push(format!("`{name}`: columns not read, as unknown: {unknown}"));
        }
        let column = |name: &str| header.iter().position(|other| *other == name);
        if column(NAME).is_none() {
            bail!("it has no column `{NAME}`");
        }
        let (mut negative, mut pending) = (0, None::<BadRow>);
        loop {
            let line = match records.next(&mut fields) {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => match error.downcast::<BadRow>() {
                    Ok(fault) => {
                        self.left_out(source, pending.replace(fault), false)?;
                        break;
                    }
                    Err(error) => return Err(error),
                },
            };
            // Only the last row of a file may be cut off.
            self.left_out(source, pending.take(), false)?;
            if fields.iter().all(|field| field.trim().is_empty()) {
                continue;
            }
            let place = format!("line {line}");
            if fields.len() < header.len() {
                pending = Some(BadRow {
                    place,
                    column: "",
                    value: fields.join(","),
                    why: format!(
                        "has {} fields where the first line has {}: is it cut off?",
                        fields.len(),
                        header.len()
                    ),
                });
                continue;
            }
            let text = |name| column(name).and_then(|at| fields.get(at));
            match usage(
                &place,
                used.map(|name| (name, text(name).map_or("", |text| text.trim()))),
            ) {
                Ok(Some(usage)) => self.uses.push(usage),
                Ok(None) => negative += 1,
                Err(fault) => pending = Some(fault),
            }
        }
        self.left_out(source, pending, true)?;
        if negative > 0 {
            self.notices.push(format!(
                "`{name}`: rows with a size below zero: {negative}; their allocation was not seen, and they were left out"
            ));
        }
        Ok(())
    }

    /// A row that makes no sense ends the import, unless it is the file's last.
    fn left_out(
        &mut self,
        source: &Source,
        row: Option<BadRow>,
        is_last: bool,
    ) -> Result<(), BadRow> {
        let Some(row) = row else { return Ok(()) };
        let is_cut_off = is_last && row.column.is_empty();
        if !source.skip_bad && !is_cut_off {
            return Err(row);
        }
        self.notices
            .push(format!("`{}` {row}: left out", source.name));
        Ok(())
    }
}

/// What a row says; `None` if only a release was seen.
fn usage(place: &str, texts: [(&'static str, &str); 7]) -> Result<Option<Use>, BadRow> {
    let fault = |(column, value): (&'static str, &str), why: &str| BadRow {
        place: place.to_owned(),
        column,
        value: value.to_owned(),
        why: why.to_owned(),
    };
    let [name, size, from, to, returned, device, device_id] = texts;
    let time = |text: (&'static str, &str)| match text.1 {
        "" | "N/A" => Ok(None),
        words if words.starts_with('-') => Ok(None),
        words => match thousandths(words) {
            Some(ns) => Ok(Some(ns)),
            None => Err(fault(text, "is no time: microseconds are")),
        },
    };
    if size.1.starts_with('-') {
        return Ok(None);
    }
    // Kilobytes of 1024 bytes, with a fraction.
    let kilobytes: Option<f64> = size
        .1
        .parse()
        .ok()
        .filter(|size| (0.0..1e15).contains(size));
    let Some(kilobytes) = kilobytes else {
        return Err(fault(size, "is no size: kilobytes are"));
    };
    let number = device.1.rsplit(':').next().filter(|text| !text.is_empty());
    let number = number.unwrap_or(device_id.1);
    let is_known = !number.is_empty() && number != "N/A";
    Ok(Some(Use {
        operator: name.1.to_owned(),
        bytes: (kilobytes * 1024.0).round() as u64,
        device: match number.parse::<u16>() {
            Ok(number) => number.into(),
            Err(_) if is_known => return Err(fault(device, "is no device: `NPU:0` is")),
            Err(_) => 0,
        },
        from: time(from)?,
        to: time(returned)?.or(time(to)?),
    }))
}

/// A decimal number times a thousand, rounded down: microseconds as nanoseconds.
fn thousandths(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(part) {
        return None;
    }
    let part = format!("{:0<3.3}", part).parse::<u64>().ok()?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(1000)?
        .checked_add(part)
}

fn log(uses: &[Use], name: &str) -> super::Imported {
    let times = uses.iter().flat_map(|one| [one.from, one.to]).flatten();
    let began_ns = times.min().unwrap_or(0);
    // Releases before allocations of the same time: that is how the caching allocator gets there.
    let mut moments: Vec<(u64, bool, usize)> = Vec::new();
    for (at, one) in uses.iter().enumerate() {
        let from = one.from.unwrap_or(began_ns);
        moments.push((from, true, at));
        if let Some(to) = one.to {
            moments.push((to.max(from), to <= from, at));
        }
    }
    moments.sort_by_key(|(ns, is_late, at)| (*ns, *is_late, *at));
    let mut log: Recording<usize> = Recording::new(0, began_ns, name, "a program under a profiler");
    let mut operators: HashMap<&str, usize> = HashMap::new();
    let mut blocks = vec![None; uses.len()];
    for (ns, _, at) in moments {
        let one = &uses[at];
        log.synth.at(ns - began_ns);
        let next = operators.len();
        let stack = *operators.entry(&one.operator).or_insert(next);
        let frames = || {
            vec![Frame {
                function: one.operator.clone(),
                file: PythonFrame::NATIVE.to_owned(),
                line: 0,
            }]
        };
        match blocks[at].take() {
            None => {
                let site = log.site(("aclrtMallocPhysical", 0, one.device), stack, frames);
                blocks[at] = Some(log.allocation(0, site, (at as u64 + 1, one.bytes)));
            }
            Some(block) => {
                let site = log.site(("aclrtFreePhysical", 0, one.device), stack, frames);
                log.event(0, Event::Release { block, site });
            }
        }
    }
    log.finish(String::new(), 0)
}
