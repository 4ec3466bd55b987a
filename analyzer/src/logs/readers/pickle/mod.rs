//! Reads pickles of plain data: numbers, texts, lists, tuples and dictionaries, of protocols 2 to 5.
//!
//! A pickle is a program that may call any function of Python's. This reader knows only the opcodes that push, collect and remember data;
//! all others are refused by name, so nothing can be executed. Crates that read pickles (`serde-pickle`) copy what a memo refers to, which
//! makes of a few hundred bytes as many objects as they like.
//!
//! Guarantees, for any bytes: no panic; no recursion, as values refer to each other by number; memory below
//! 128 bytes for each byte of the pickle, as every opcode adds at most one value and a container, and a number in the pickle never sizes
//! anything.

mod machine;
mod opcode;

use std::fmt;

pub use machine::load;

/// A value. Containers are numbers of those of the [`Pickle`], because they may be shared and may even contain themselves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value<'a> {
    None,
    Bool(bool),
    Int(i64),
    /// An integer above [`i64::MAX`].
    Unsigned(u64),
    /// An integer that 64 bits do not hold.
    Huge,
    Float(f64),
    /// UTF-8, except where Python had surrogates.
    Text(&'a [u8]),
    Bytes(&'a [u8]),
    /// A list or a tuple.
    List(ListId),
    Dict(DictId),
}

/// The number of a list or tuple.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ListId(u32);

/// The number of a dictionary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DictId(u32);

/// A loaded pickle.
#[derive(Debug)]
pub struct Pickle<'a> {
    /// The object.
    pub top: Value<'a>,
    lists: Vec<Vec<Value<'a>>>,
    dicts: Vec<Vec<(Value<'a>, Value<'a>)>>,
}

impl<'a> Pickle<'a> {
    /// The items of a list or tuple.
    pub fn list(&self, list: ListId) -> &[Value<'a>] {
        self.lists.get(list.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// The items of a dictionary, as written: of equal keys the last counts.
    pub fn dict(&self, dict: DictId) -> &[(Value<'a>, Value<'a>)] {
        self.dicts.get(dict.0 as usize).map_or(&[], Vec::as_slice)
    }
}

impl Value<'_> {
    /// What it is, in a sentence.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::None => "None",
            Value::Bool(_) => "a bool",
            Value::Int(_) | Value::Unsigned(_) | Value::Huge => "a number",
            Value::Float(_) => "a fraction",
            Value::Text(_) => "a text",
            Value::Bytes(_) => "bytes",
            Value::List(_) => "a list",
            Value::Dict(_) => "a dictionary",
        }
    }
}

/// Why bytes are no pickle of plain data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The byte of the opcode.
    pub offset: usize,
    /// The fault.
    pub fault: Fault,
}

/// The fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The bytes do not begin with the opcode `PROTO`.
    NoPickle,
    /// A protocol that is not 2 to 5.
    Protocol(u8),
    /// An opcode that builds objects, or is none.
    Refused(u8),
    /// The bytes end within an opcode, or before `STOP`.
    Ends,
    /// An opcode needs more values than there are, or others.
    Lacks(&'static str),
    /// A memo entry that nothing has put there.
    NotInMemo(u64),
    /// More bytes than this reader takes.
    TooLong,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.offset;
        match &self.fault {
            Fault::NoPickle => write!(f, "it is no pickle of protocol 2 or later"),
            Fault::Protocol(protocol) => write!(
                f,
                "its pickle protocol is {protocol}: this reads protocols 2 to 5"
            ),
            Fault::Refused(opcode) => match opcode::name(*opcode) {
                Some(name) => write!(
                    f,
                    "its pickle has the opcode {name} at byte {at}: only plain data is read, and nothing is ever executed"
                ),
                None => write!(
                    f,
                    "its byte {at} is {opcode:#04x}, which is no opcode of a pickle: is the file damaged?"
                ),
            },
            Fault::Ends => write!(f, "its pickle ends at byte {at}: is the file cut off?"),
            Fault::Lacks(needed) => {
                write!(
                    f,
                    "its opcode at byte {at} needs {needed}: is the file damaged?"
                )
            }
            Fault::NotInMemo(place) => write!(
                f,
                "its opcode at byte {at} refers to memo entry {place}, which is empty: is the file damaged?"
            ),
            Fault::TooLong => write!(
                f,
                "it is longer than a snapshot can be: this reads up to 4 GiB"
            ),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests;
