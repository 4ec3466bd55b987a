//! Parses a row's fields into an event.

use std::collections::HashMap;

use super::{BadRow, Fields, OPTIONAL, REQUIRED};

/// A row with an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The tool's number; those of several processes and devices interleave.
    pub id: u64,
    /// Time since 1970.
    pub ns: u64,
    /// The process; 0 if unknown.
    pub pid: u32,
    /// The thread; 0 if unknown.
    pub tid: u32,
    /// The device.
    pub device: Device,
    /// What happened.
    pub what: What,
    /// The number of its stacks.
    pub stack: u32,
}

/// A parsed `Device Id`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Device {
    /// An NPU.
    Npu(i32),
    /// Host memory.
    Host,
    /// Not given.
    Unknown,
}

/// What happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// A block or a sub-block was allocated.
    Malloc {
        kind: Kind,
        address: u64,
        size: u64,
        /// An `aclrtMemMallocPolicy` with such pages.
        policy: u32,
        /// The pool's size, if given.
        total: u64,
        /// The function, if aclsan wrote the row.
        function: Option<String>,
    },
    /// It was freed.
    Free {
        kind: Kind,
        address: u64,
        /// Whether a device reset freed it, if aclsan wrote the row.
        is_reset: bool,
    },
    /// A mark.
    Mark(String),
    /// A range begins.
    Start(String),
    /// The thread's innermost range ends.
    End,
    /// An allocation was refused.
    OutOfMemory(u64),
    /// Free and total bytes of the device.
    Memory(u64, u64),
    /// AscendCL was finalized.
    Finalized,
}

/// Who allocated it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// The driver: `halMemAlloc`.
    Hal,
    /// The driver: `halMemCreate`, memory without an address.
    Created,
    /// Page-locked memory of the host.
    Pinned,
    /// A framework's pool, within memory of the driver: the name that `mstx` uses for it.
    Pool(&'static str),
}

/// Distinct stacks: Python and native text.
#[derive(Default)]
pub struct Stacks {
    numbers: HashMap<(String, String), u32>,
}

impl Stacks {
    fn number(&mut self, python: &str, native: &str) -> u32 {
        let key = (python.to_owned(), native.to_owned());
        let next = self.numbers.len() as u32;
        *self.numbers.entry(key).or_insert(next)
    }

    /// All stacks, by number.
    pub fn list(&self) -> Vec<(&str, &str)> {
        let mut list = vec![("", ""); self.numbers.len()];
        for ((python, native), &number) in &self.numbers {
            list[number as usize] = (python, native);
        }
        list
    }
}

/// The row's event; `None` for events that an event log cannot hold.
pub fn read(place: &str, texts: &Fields, stacks: &mut Stacks) -> Result<Option<Row>, BadRow> {
    let reader = Reader { place, texts };
    let [event, kind] = [reader.text("Event"), reader.text("Event Type")];
    let attributes = attributes(reader.text("Attr"));
    let attribute = |name: &str| attributes.get(name).map(String::as_str);
    let name = reader.text("Name");
    let what =
        match (event, kind) {
            ("MALLOC" | "FREE", _) => {
                let device = reader.device()?;
                match reader.kind(kind, device, attribute("alloc_type")) {
                    None => None,
                    Some(kind) if event == "FREE" => Some(What::Free {
                        kind,
                        address: reader.address(attribute("addr"))?,
                        is_reset: attribute("reset") == Some("true"),
                    }),
                    Some(kind) => Some(What::Malloc {
                        kind,
                        address: reader.address(attribute("addr"))?,
                        size: reader.size(attribute("size"))?,
                        policy: match attribute("page_type") {
                            Some("normal" | "4K") => 2,
                            Some("giant" | "1G") => 6,
                            _ => 0,
                        },
                        total: attribute("total")
                            .and_then(|text| text.parse().ok())
                            .unwrap_or(0),
                        function: attribute("owner")
                            .is_some_and(|owner| owner.starts_with("ACL@"))
                            .then(|| name.to_owned()),
                    }),
                }
            }
            ("MSTX", "Mark") => Some(What::Mark(message(name))),
            ("MSTX", "Range_start") => Some(What::Start(message(name))),
            ("MSTX", "Range_end") => Some(What::End),
            ("OOM_DETAIL", "OOM_TRIGGER") => {
                Some(What::OutOfMemory(reader.size(attribute("req_size"))?))
            }
            ("SYSTEM", kind) if kind.eq_ignore_ascii_case("ACL_FINI") => Some(What::Finalized),
            ("SNAPSHOT", _) | ("SYSTEM", "START_TRACE") => {
                let number =
                    |names: [&str; 2]| names.iter().find_map(|name| attribute(name)?.parse().ok());
                let reported = number(["free", "free_mem"]).zip(number(["total", "total_mem"]));
                reported.map(|(free, total)| What::Memory(free, total))
            }
            (
                "ACCESS" | "OP_LAUNCH" | "KERNEL_LAUNCH" | "SYSTEM" | "CLEAN_UP" | "OOM_DETAIL"
                | "MSTX",
                _,
            ) => None,
            _ => return Err(reader.fault(
                "Event",
                "is no event of msMemScope's: `MALLOC`, `FREE`, `MSTX`, `SYSTEM` and the like are",
            )),
        };
    let Some(what) = what else { return Ok(None) };
    Ok(Some(Row {
        id: reader.number("ID")?,
        ns: reader.number("Timestamp(ns)")?,
        pid: reader.id("Process Id")?,
        tid: reader.id("Thread Id")?,
        device: reader.device()?,
        what,
        stack: stacks.number(
            reader.text("Call Stack(Python)"),
            reader.text("Call Stack(C)"),
        ),
    }))
}

struct Reader<'a> {
    place: &'a str,
    texts: &'a Fields,
}

impl<'a> Reader<'a> {
    fn text(&self, column: &str) -> &'a str {
        let at = REQUIRED
            .iter()
            .chain(&OPTIONAL)
            .position(|name| *name == column);
        at.map_or("", |at| self.texts[at].trim())
    }

    fn fault(&self, column: &'static str, why: impl Into<String>) -> BadRow {
        self.fault_of(column, self.text(column), why)
    }

    fn fault_of(&self, column: &'static str, value: &str, why: impl Into<String>) -> BadRow {
        BadRow {
            place: self.place.to_owned(),
            column,
            value: value.to_owned(),
            why: why.into(),
        }
    }

    fn number(&self, column: &'static str) -> Result<u64, BadRow> {
        let parsed = self.text(column).parse();
        parsed.map_err(|_| self.fault(column, "is no whole number from 0 to 2^64 − 1"))
    }

    fn id(&self, column: &'static str) -> Result<u32, BadRow> {
        match self.text(column) {
            "" | "N/A" => Ok(0),
            text => {
                let parsed = text.parse();
                parsed.map_err(|_| {
                    self.fault(column, "is no process or thread: a number or `N/A` is")
                })
            }
        }
    }

    fn device(&self) -> Result<Device, BadRow> {
        Ok(match self.text("Device Id") {
            "" | "N/A" => Device::Unknown,
            "host" | "cpu" => Device::Host,
            text => match text.parse::<u16>() {
                Ok(device) => Device::Npu(device.into()),
                Err(_) => {
                    return Err(self.fault(
                        "Device Id",
                        "is no device: a number, `host`, `cpu` or `N/A` is",
                    ));
                }
            },
        })
    }

    fn kind(&self, kind: &str, device: Device, alloc_type: Option<&str>) -> Option<Kind> {
        Some(match kind.to_ascii_uppercase().as_str() {
            "HAL" if alloc_type == Some("create") => Kind::Created,
            "HAL" if device == Device::Host => Kind::Pinned,
            "HAL" => Kind::Hal,
            "HOST_PINNED" => Kind::Pinned,
            "PTA" => Kind::Pool("ptaCaching"),
            "PTA_WORKSPACE" => Kind::Pool("ptaWorkspace"),
            "MINDSPORE" => Kind::Pool("mindsporeMemPool"),
            "ATB" => Kind::Pool("ATB"),
            _ => return None,
        })
    }

    /// `Ptr`, else the address in the attributes.
    fn address(&self, attribute: Option<&str>) -> Result<u64, BadRow> {
        let (column, text) = match (self.text("Ptr"), attribute) {
            ("" | "N/A", Some(text)) => ("Attr", text),
            (text, _) => ("Ptr", text),
        };
        let parsed = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        parsed.map_err(|_| {
            self.fault_of(
                column,
                text,
                "is no address: `0x12c0c0000000` or a decimal number is",
            )
        })
    }

    fn size(&self, text: Option<&str>) -> Result<u64, BadRow> {
        let Some(text) = text else {
            return Err(self.fault("Attr", "tells no size: `{addr:…,size:…}` does"));
        };
        let parsed = text.parse().ok().filter(|&size| size <= i64::MAX as u64);
        parsed.ok_or_else(|| {
            self.fault_of(
                "Attr",
                text,
                "is no size of an allocation: bytes from 0 to 2^63 − 1 are",
            )
        })
    }
}

/// Parses attributes: JSON, or `{name:value,name:value}`, where a comma that no name follows belongs to the value.
fn attributes(text: &str) -> HashMap<String, String> {
    let text = text.trim().trim_matches('"');
    if let Ok(serde_json::Value::Object(members)) = serde_json::from_str(text) {
        let texts = members.into_iter().map(|(name, value)| match value {
            serde_json::Value::String(value) => (name, value),
            value => (name, value.to_string()),
        });
        return texts.collect();
    }
    let inner = text.strip_prefix('{').unwrap_or(text);
    let inner = inner.strip_suffix('}').unwrap_or(inner);
    let mut list: Vec<(&str, String)> = Vec::new();
    for piece in inner.split(',') {
        match (piece.split_once(':'), list.last_mut()) {
            (Some((name, value)), _) => list.push((name.trim(), value.trim().to_owned())),
            (None, Some((_, value))) => {
                value.push(',');
                value.push_str(piece);
            }
            (None, None) => {}
        }
    }
    list.into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The program's own text: the tool adds a prefix to marks, and quotes.
fn message(name: &str) -> String {
    let name = name.trim_matches('"');
    let name = name.strip_prefix("[mstx]: mstxMarkA :").unwrap_or(name);
    name.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_both_kinds() {
        let reported = attributes("\"{addr:123,size:4096,owner:PTA@a,b@c,MID:7}\"");
        let reported = |name: &str| reported.get(name).map(String::as_str);
        assert_eq!(reported("size"), Some("4096"));
        assert_eq!(reported("owner"), Some("PTA@a,b@c"));
        let json = attributes(r#"{"addr":"0x10","size":"8","n":3}"#);
        assert_eq!((json["size"].as_str(), json["n"].as_str()), ("8", "3"));
        assert!(attributes("").is_empty() && attributes("{").is_empty());
    }

    #[test]
    fn a_mark_without_the_tools_own_words() {
        assert_eq!(message("\"[mstx]: mstxMarkA :--start-- \""), "--start--");
    }
}
