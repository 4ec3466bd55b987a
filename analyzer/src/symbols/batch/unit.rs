//! The frames at the asked addresses of one unit.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use gimli::{Result, UnitOffset, UnitRef};

use super::functions::{Function, Functions};
use super::lines::Lines;
use super::names::Names;
use super::units::{Task, Units};
use super::{Answer, Reader};
use crate::symbols::frame::ResolvedFrame;
use crate::symbols::interner::Interner;

/// Where a frame is.
#[derive(Default)]
struct Place {
    file: Option<Arc<str>>,
    line: Option<u32>,
    column: Option<u32>,
}

/// A unit, as far as it was read.
struct Reading<'u, 'a> {
    names: Names<'u, 'a>,
    lines: Option<Lines<'a>>,
    functions: Functions,
    /// The functions that addresses were in.
    known: HashMap<UnitOffset, Function>,
}

/// The answers to a task, in its order.
pub fn answers(units: &Units, task: &Task, addresses: &[u64], names: &mut Interner) -> Vec<Answer> {
    let asked: Vec<u64> = task.asked.iter().map(|&(at, _)| addresses[at]).collect();
    let Ok(Some(mut reading)) = Reading::of(units, task.unit, &asked) else {
        return vec![None; asked.len()];
    };
    let all = asked.iter().zip(&task.asked).enumerate();
    all.map(|(at, (&address, &(_, is_only)))| {
        let found = reading.frames(at, address, names).ok()?;
        // Another unit may know more.
        (is_only || !found.is_empty()).then_some(found)
    })
    .collect()
}

impl<'u, 'a> Reading<'u, 'a> {
    fn of(units: &'u Units<'a>, unit: usize, asked: &[u64]) -> Result<Option<Self>> {
        let unit = &units.list[unit].unit;
        if unit.dwo_id.is_some() {
            return Ok(None);
        }
        let lines = match &unit.line_program {
            Some(program) => match Lines::of(program.clone(), asked)? {
                Some(lines) => Some(lines),
                None => return Ok(None),
            },
            None => None,
        };
        let unit = UnitRef::new(units.sections, unit);
        let functions = Functions::of(unit)?;
        Ok(functions.map(|functions| Self {
            names: Names { units, unit },
            lines,
            functions,
            known: HashMap::new(),
        }))
    }

    fn frames(
        &mut self,
        at: usize,
        address: u64,
        names: &mut Interner,
    ) -> Result<Vec<ResolvedFrame>> {
        let unit = self.names.unit;
        let row = self.lines.as_ref().and_then(|lines| lines.rows[at]);
        let place = match row {
            Some(row) => Some(Place {
                file: file(&mut self.lines, unit, row.file, names)?,
                line: (row.line != 0).then_some(row.line),
                column: (row.line != 0).then_some(row.column),
            }),
            None => None,
        };
        let Some(offset) = self.functions.at(address) else {
            return Ok(place.map(|place| frame(None, place)).into_iter().collect());
        };
        let function = match self.known.entry(offset) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Function::of(offset, &self.names, names)?),
        };
        let mut place = place.unwrap_or_default();
        let inlined_at = function.inlined_at(address);
        let mut frames = Vec::with_capacity(inlined_at.len() + 1);
        for &at in inlined_at.iter().rev() {
            let inlined = &mut function.inlined[at];
            if inlined.name.is_none() {
                inlined.name = Some(self.names.function(inlined.offset, names)?);
            }
            let call = Place {
                file: match inlined.call_file {
                    Some(number) => file(&mut self.lines, unit, number, names)?,
                    None => None,
                },
                line: (inlined.call_line != 0).then_some(inlined.call_line),
                column: (inlined.call_column != 0).then_some(inlined.call_column),
            };
            let name = inlined.name.clone().flatten();
            let inner = frame(name, std::mem::replace(&mut place, call));
            frames.push(ResolvedFrame {
                inlined: true,
                ..inner
            });
        }
        frames.push(frame(function.name.clone(), place));
        Ok(frames)
    }
}

fn file<'a>(
    lines: &mut Option<Lines<'a>>,
    unit: UnitRef<Reader<'a>>,
    number: u64,
    names: &mut Interner,
) -> Result<Option<Arc<str>>> {
    let lines = lines.as_mut();
    lines.map_or(Ok(None), |lines| lines.file(number, unit, names))
}

fn frame(function: Option<Arc<str>>, place: Place) -> ResolvedFrame {
    ResolvedFrame {
        function,
        file: place.file,
        line: place.line,
        column: place.column,
        label: None,
        inlined: false,
    }
}
