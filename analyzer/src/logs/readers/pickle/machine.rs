//! The machine that a pickle is a program for: a stack of values, marks in it, and a memo.

use super::opcode::*;
use super::{DictId, Error, Fault, ListId, Pickle, Value};

/// Longest pickle: containers have numbers of 32 bits, and every container takes a byte.
const MAX_BYTES: usize = u32::MAX as usize;

/// Loads a pickle.
///
/// # Errors
/// If the bytes are none of protocols 2 to 5, or hold anything but plain data.
pub fn load(bytes: &[u8]) -> Result<Pickle<'_>, Error> {
    let mut machine = Machine {
        bytes,
        at: 0,
        opcode_at: 0,
        stack: Vec::new(),
        marks: Vec::new(),
        memo: Vec::new(),
        lists: Vec::new(),
        dicts: Vec::new(),
    };
    let fault = |fault| Error { offset: 0, fault };
    match bytes {
        [PROTO, 2..=5, ..] if bytes.len() <= MAX_BYTES => machine.at = 2,
        [PROTO, 2..=5, ..] => return Err(fault(Fault::TooLong)),
        [PROTO, protocol, ..] => return Err(fault(Fault::Protocol(*protocol))),
        _ => return Err(fault(Fault::NoPickle)),
    }
    match machine.run() {
        Ok(top) => Ok(Pickle {
            top,
            lists: machine.lists,
            dicts: machine.dicts,
        }),
        Err(fault) => Err(Error {
            offset: match fault {
                Fault::Ends => bytes.len(),
                _ => machine.opcode_at,
            },
            fault,
        }),
    }
}

struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    opcode_at: usize,
    stack: Vec<Value<'a>>,
    /// Height of the stack at each mark.
    marks: Vec<usize>,
    memo: Vec<Option<Value<'a>>>,
    lists: Vec<Vec<Value<'a>>>,
    dicts: Vec<Vec<(Value<'a>, Value<'a>)>>,
}

impl<'a> Machine<'a> {
    fn run(&mut self) -> Result<Value<'a>, Fault> {
        loop {
            self.opcode_at = self.at;
            match self.byte()? {
                STOP => return self.pop(),
                FRAME => {
                    self.take(8)?; // A hint for readers of streams.
                }
                NONE => self.stack.push(Value::None),
                NEWTRUE => self.stack.push(Value::Bool(true)),
                NEWFALSE => self.stack.push(Value::Bool(false)),
                BININT => {
                    let number = i32::from_le_bytes(self.array()?);
                    self.stack.push(Value::Int(number.into()));
                }
                BININT1 => {
                    let number = self.byte()?;
                    self.stack.push(Value::Int(number.into()));
                }
                BININT2 => {
                    let number = u16::from_le_bytes(self.array()?);
                    self.stack.push(Value::Int(number.into()));
                }
                LONG1 => {
                    let length = self.byte()?;
                    self.long(length.into())?;
                }
                LONG4 => {
                    let length = u32::from_le_bytes(self.array()?);
                    self.long(length.into())?;
                }
                BINFLOAT => {
                    let number = f64::from_be_bytes(self.array()?);
                    self.stack.push(Value::Float(number));
                }
                opcode @ (SHORT_BINUNICODE | BINUNICODE | BINUNICODE8) => {
                    let text = self.counted(opcode)?;
                    self.stack.push(Value::Text(text));
                }
                opcode @ (SHORT_BINBYTES | BINBYTES | BINBYTES8 | BYTEARRAY8) => {
                    let text = self.counted(opcode)?;
                    self.stack.push(Value::Bytes(text));
                }
                EMPTY_LIST | EMPTY_TUPLE => self.list(Vec::new()),
                EMPTY_DICT => self.dict(Vec::new()),
                opcode @ (TUPLE1 | TUPLE2 | TUPLE3) => {
                    let count = usize::from(opcode - TUPLE1) + 1;
                    let items = self.top(count)?;
                    self.list(items);
                }
                MARK => self.marks.push(self.stack.len()),
                LIST | TUPLE => {
                    let items = self.since_mark()?;
                    self.list(items);
                }
                DICT => {
                    let items = pairs(self.since_mark()?)?;
                    self.dict(items);
                }
                APPEND => {
                    let item = self.pop()?;
                    self.target_list()?.push(item);
                }
                APPENDS => {
                    let items = self.since_mark()?;
                    self.target_list()?.extend(items);
                }
                SETITEM => {
                    let items = pairs(self.top(2)?)?;
                    self.target_dict()?.extend(items);
                }
                SETITEMS => {
                    let items = pairs(self.since_mark()?)?;
                    self.target_dict()?.extend(items);
                }
                POP => {
                    // Above a mark, it is the mark that goes.
                    if self.marks.last() == Some(&self.stack.len()) {
                        self.marks.pop();
                    } else {
                        self.pop()?;
                    }
                }
                POP_MARK => {
                    self.since_mark()?;
                }
                DUP => {
                    let value = self.peek()?;
                    self.stack.push(value);
                }
                BINPUT => {
                    let place = self.byte()?;
                    self.put(place.into())?;
                }
                LONG_BINPUT => {
                    let place = u32::from_le_bytes(self.array()?);
                    self.put(place.into())?;
                }
                MEMOIZE => self.put(self.memo.len() as u64)?,
                BINGET => {
                    let place = self.byte()?;
                    self.get(place.into())?;
                }
                LONG_BINGET => {
                    let place = u32::from_le_bytes(self.array()?);
                    self.get(place.into())?;
                }
                opcode => return Err(Fault::Refused(opcode)),
            }
        }
    }

    fn take(&mut self, count: u64) -> Result<&'a [u8], Fault> {
        let rest = &self.bytes[self.at..];
        let count = usize::try_from(count).ok().filter(|&n| n <= rest.len());
        let count = count.ok_or(Fault::Ends)?;
        self.at += count;
        Ok(&rest[..count])
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let bytes = self.take(N as u64)?;
        bytes.try_into().map_err(|_| Fault::Ends)
    }

    fn byte(&mut self) -> Result<u8, Fault> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    /// The bytes after their count, which has one, four or eight bytes.
    fn counted(&mut self, opcode: u8) -> Result<&'a [u8], Fault> {
        let count = match opcode {
            SHORT_BINUNICODE | SHORT_BINBYTES => self.byte()?.into(),
            BINUNICODE | BINBYTES => u32::from_le_bytes(self.array()?).into(),
            _ => u64::from_le_bytes(self.array()?),
        };
        self.take(count)
    }

    /// A number in two's complement, the lowest byte first.
    fn long(&mut self, length: u64) -> Result<(), Fault> {
        let bytes = self.take(length)?;
        let is_negative = bytes.last().is_some_and(|last| last & 0x80 != 0);
        let sign = if is_negative { 0xff } else { 0 };
        let mut wide = [sign; 16];
        let kept = bytes.len().min(wide.len());
        wide[..kept].copy_from_slice(&bytes[..kept]);
        let number = i128::from_le_bytes(wide);
        let is_whole = bytes[kept..].iter().all(|byte| *byte == sign);
        self.stack
            .push(match (i64::try_from(number), u64::try_from(number)) {
                (Ok(number), _) if is_whole => Value::Int(number),
                (_, Ok(number)) if is_whole => Value::Unsigned(number),
                _ => Value::Huge,
            });
        Ok(())
    }

    /// Height of the stack below which the values since the last mark do not reach.
    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn peek(&self) -> Result<Value<'a>, Fault> {
        match self.stack.last() {
            Some(value) if self.stack.len() > self.floor() => Ok(*value),
            _ => Err(Fault::Lacks("a value")),
        }
    }

    fn pop(&mut self) -> Result<Value<'a>, Fault> {
        let value = self.peek()?;
        self.stack.pop();
        Ok(value)
    }

    fn top(&mut self, count: usize) -> Result<Vec<Value<'a>>, Fault> {
        match self.stack.len().checked_sub(count) {
            Some(from) if from >= self.floor() => Ok(self.stack.split_off(from)),
            _ => Err(Fault::Lacks("as many values as it collects")),
        }
    }

    fn since_mark(&mut self) -> Result<Vec<Value<'a>>, Fault> {
        let from = self.marks.pop().ok_or(Fault::Lacks("a mark"))?;
        Ok(self.stack.split_off(from.min(self.stack.len())))
    }

    fn list(&mut self, items: Vec<Value<'a>>) {
        self.stack
            .push(Value::List(ListId(self.lists.len() as u32)));
        self.lists.push(items);
    }

    fn dict(&mut self, items: Vec<(Value<'a>, Value<'a>)>) {
        self.stack
            .push(Value::Dict(DictId(self.dicts.len() as u32)));
        self.dicts.push(items);
    }

    fn target_list(&mut self) -> Result<&mut Vec<Value<'a>>, Fault> {
        match self.peek()? {
            Value::List(list) => self.lists.get_mut(list.0 as usize),
            _ => None,
        }
        .ok_or(Fault::Lacks("a list"))
    }

    fn target_dict(&mut self) -> Result<&mut Vec<(Value<'a>, Value<'a>)>, Fault> {
        match self.peek()? {
            Value::Dict(dict) => self.dicts.get_mut(dict.0 as usize),
            _ => None,
        }
        .ok_or(Fault::Lacks("a dictionary"))
    }

    fn put(&mut self, place: u64) -> Result<(), Fault> {
        let value = self.peek()?;
        // Each entry takes two bytes of the pickle at least; picklers number them from 0.
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        if place > self.at {
            return Err(Fault::Lacks(
                "a memo entry with a number that is not beyond all",
            ));
        }
        if place >= self.memo.len() {
            self.memo.resize(place + 1, None);
        }
        self.memo[place] = Some(value);
        Ok(())
    }

    fn get(&mut self, place: u64) -> Result<(), Fault> {
        let entry = usize::try_from(place).ok();
        let value = entry.and_then(|entry| self.memo.get(entry).copied().flatten());
        self.stack.push(value.ok_or(Fault::NotInMemo(place))?);
        Ok(())
    }
}

fn pairs(items: Vec<Value<'_>>) -> Result<Vec<(Value<'_>, Value<'_>)>, Fault> {
    let (pairs, rest) = items.as_chunks::<2>();
    match rest.is_empty() {
        true => Ok(pairs.iter().map(|&[key, value]| (key, value)).collect()),
        false => Err(Fault::Lacks("a value for every key")),
    }
}
