//! Plans: what a recorded run would have needed with other settings or another allocator.

mod text;

use serde::Serialize;
use serde_json::Value;

pub use text::write;

/// Version of the JSON of a plan. It is raised when a field changes its meaning or is removed, but not for new fields.
pub const VERSION: u32 = 1;

/// The plans for one recording.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Plans {
    /// [`VERSION`].
    pub version: u32,
    /// The process whose log it is.
    pub pid: u32,
    /// Its program's file name.
    pub program: String,
    /// The device.
    pub device: i32,
    /// Requests for memory.
    pub requests: u64,
    /// The recorded allocator.
    pub recorded: Recorded,
    /// Bytes of the card; `None` if nobody said.
    pub card: Option<u64>,
    /// Most bytes that the rest of the process held.
    pub others_peak: u64,
    /// Bytes in use that the recording does not explain: of the runtime, and of other processes.
    pub unexplained: u64,
    /// A plan for each candidate; with a sweep the best first.
    #[serde(skip)]
    pub plans: Vec<Plan>,
}

/// The allocator that was recorded.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Recorded {
    /// Its name.
    pub allocator: String,
    /// Its settings, as far as they are known; empty if nothing is set.
    pub setting: String,
    /// The most that it held, if the recording has that.
    pub reserved_peak: Option<u64>,
    /// What the model comes to for it.
    pub modelled: Option<u64>,
    /// Requests of which only the block is known that they got, which may be larger than was asked for.
    pub inexact: u64,
}

/// What one candidate would have needed.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Plan {
    /// The allocator, as `--allocator` takes it.
    pub allocator: String,
    /// Its settings, as `--conf` takes them; empty if nothing is set.
    pub setting: String,
    /// Most bytes that it held of the device.
    pub reserved_peak: u64,
    /// Most bytes that it had given out, as it rounds them.
    pub allocated_peak: u64,
    /// Bytes that it had given out when it held most.
    pub allocated_then: u64,
    /// Most bytes of the device in use, with those of others.
    pub in_use_peak: u64,
    /// When it first held most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// Whether everything fits into the card; `None` without a card.
    pub fits: Option<bool>,
    /// How memory grows from one epoch to another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth>,
    /// The first request that does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_refused: Option<Refused>,
}

/// A moment of the recording.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct At {
    /// Nanoseconds since the log began.
    pub ns: u64,
    /// The place in the program; empty if it is not known.
    pub site: String,
}

/// A request that does not fit.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Refused {
    /// When and where it was made.
    pub at: At,
    /// Bytes asked for.
    pub bytes: u64,
    /// Whether the rest of the process asked, not this allocator.
    pub is_of_others: bool,
    /// Bytes that the allocator held then.
    pub reserved: u64,
    /// Bytes that it had given out.
    pub allocated: u64,
    /// Bytes of the card that were left.
    pub left: u64,
    /// Who held most of what was given out.
    pub holders: Vec<Holder>,
}

/// How memory grows with the size of what is computed, and what fits if it goes on like that: an extrapolation.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Growth {
    /// The smaller epoch, its size, and most bytes given out in it.
    pub from: String,
    pub from_size: u64,
    pub from_bytes: u64,
    /// The same of the larger one.
    pub to: String,
    pub to_size: u64,
    pub to_bytes: u64,
    /// Bytes for each unit of size.
    pub each: u64,
    /// The largest size that fits; `None` without a card, or if nothing grows.
    pub largest: Option<u64>,
    /// Where it grows, most first.
    pub places: Vec<Share>,
}

/// What one place adds for each unit of size.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Share {
    /// The place in the program.
    pub site: String,
    /// Bytes.
    pub bytes: u64,
}

/// What one place holds.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Holder {
    /// The place in the program.
    pub site: String,
    /// Parts.
    pub count: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Plan {
    /// The part of what it held at its peak that nobody used.
    pub fn unused(&self) -> f64 {
        let unused = self.reserved_peak.saturating_sub(self.allocated_then);
        unused as f64 / self.reserved_peak.max(1) as f64
    }
}

/// The plans as JSON: an object for one plan, else an array. Each has what it was made from.
///
/// # Errors
/// Never in practice: all fields can be written.
pub fn to_json(all: &[Plans]) -> serde_json::Result<Value> {
    let mut rows = Vec::new();
    for of_log in all {
        let Value::Object(shared) = serde_json::to_value(of_log)? else {
            continue;
        };
        for plan in &of_log.plans {
            let mut row = serde_json::to_value(plan)?;
            if let Value::Object(fields) = &mut row {
                fields.extend(shared.clone());
            }
            rows.push(row);
        }
    }
    Ok(match rows.len() {
        1 => rows.swap_remove(0),
        _ => Value::Array(rows),
    })
}
