//! Objects of a snapshot: dictionaries of a pickle, with the keys that are known.

use super::Error;
use crate::logs::readers::pickle::{ListId, Value};

/// Most devices of a machine; today's have 16.
pub const MAX_DEVICES: usize = 256;

pub const TOP: [&str; 4] = [
    "segments",
    "device_traces",
    "allocator_settings",
    "external_annotations",
];
pub const SEGMENT: [&str; 13] = [
    "device",
    "address",
    "total_size",
    "allocated_size",
    "active_size",
    "requested_size",
    "stream",
    "segment_type",
    "segment_pool_id",
    "is_expandable",
    "frames",
    "blocks",
    "history",
];
pub const BLOCK: [&str; 6] = [
    "address",
    "size",
    "requested_size",
    "state",
    "frames",
    "history",
];
pub const HISTORY: [&str; 3] = ["addr", "real_size", "frames"];
pub const ENTRY: [&str; 13] = [
    "action",
    "addr",
    "size",
    "stream",
    "device_free",
    "time_us",
    "frames",
    "user_metadata",
    "internal_metadata",
    "pool_id",
    "device",
    "compile_context",
    "forward_frames",
];
pub const ANNOTATION: [&str; 4] = ["device", "time_us", "stage", "name"];
pub const FRAME: [&str; 7] = [
    "name",
    "filename",
    "line",
    "fx_node_op",
    "fx_node_name",
    "fx_original_trace",
    "fx_node_info",
];

/// A dictionary with the keys of a kind of objects.
pub struct Object<'a> {
    /// What it is, in a sentence.
    pub kind: &'static str,
    pub items: &'a [(Value<'a>, Value<'a>)],
}

impl<'a> Object<'a> {
    /// The value of a key; `None` if it is absent or `None`.
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        let is_it = |name: &Value| matches!(name, Value::Text(text) if *text == key.as_bytes());
        let mut items = self.items.iter().rev();
        let (_, value) = items.find(|(name, _)| is_it(name))?;
        (*value != Value::None).then_some(*value)
    }

    pub fn fault(&self, key: &'static str, value: Value, why: &'static str) -> Error {
        Error::Value {
            of: self.kind,
            key,
            value: shown(value),
            why,
        }
    }

    /// A number of bytes or an address; `None` if it is absent.
    pub fn number(&self, key: &'static str) -> Result<Option<u64>, Error> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Int(number)) if number >= 0 => Ok(Some(number as u64)),
            Some(Value::Unsigned(number)) => Ok(Some(number)),
            Some(other) => Err(self.fault(key, other, "is no number from 0 to 2^64 − 1")),
        }
    }

    pub fn needed(&self, key: &'static str) -> Result<u64, Error> {
        let number = self.number(key)?;
        number.ok_or(Error::Missing { of: self.kind, key })
    }

    pub fn size(&self, key: &'static str) -> Result<u64, Error> {
        let size = self.needed(key)?;
        match i64::try_from(size) {
            Ok(_) => Ok(size),
            Err(_) => Err(self.fault(
                key,
                Value::Unsigned(size),
                "is more bytes than any memory has",
            )),
        }
    }

    /// Numbers that merely tell things apart, of any sign.
    pub fn handle(&self, key: &str) -> u64 {
        match self.get(key) {
            Some(Value::Int(number)) => number as u64,
            Some(Value::Unsigned(number)) => number,
            _ => 0,
        }
    }

    pub fn device(&self) -> Result<i32, Error> {
        let device = self.number("device")?.unwrap_or(0);
        match usize::try_from(device) {
            Ok(number) if number < MAX_DEVICES => Ok(number as i32),
            _ => Err(self.fault(
                "device",
                Value::Unsigned(device),
                "is no device: no machine has so many",
            )),
        }
    }

    /// The bytes of a text; none if it is absent or no text.
    pub fn text(&self, key: &str) -> &'a [u8] {
        match self.get(key) {
            Some(Value::Text(text)) => text,
            _ => &[],
        }
    }

    pub fn list(&self, key: &'static str) -> Result<Option<ListId>, Error> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::List(list)) => Ok(Some(list)),
            Some(other) => Err(self.fault(key, other, "is no list")),
        }
    }
}

/// A value in a sentence, without what could control a terminal or fill it.
pub fn shown(value: Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Unsigned(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Text(text) => clean(text),
        other => other.kind().to_owned(),
    }
}

/// A text in a sentence.
pub fn clean(text: &[u8]) -> String {
    let mut clean = String::new();
    let start = String::from_utf8_lossy(&text[..text.len().min(240)]);
    for character in start.chars().take(60) {
        match character.is_control() {
            true => clean.extend(character.escape_debug()),
            false => clean.push(character),
        }
    }
    clean
}
