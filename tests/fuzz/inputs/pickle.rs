//! Python objects as pickles, opcode for opcode as CPython's pickler writes them.

use std::collections::HashMap;
use std::rc::Rc;

/// A Python object.
#[derive(Clone, Debug)]
pub enum Py {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Py>),
    Tuple(Vec<Py>),
    Dict(Vec<(String, Py)>),
    /// An object that several others refer to.
    Shared(Rc<Py>),
}

impl From<&str> for Py {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Py {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<bool> for Py {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

/// A dictionary.
pub fn dict<const N: usize>(items: [(&str, Py); N]) -> Py {
    Py::Dict(items.map(|(key, value)| (key.to_owned(), value)).to_vec())
}

/// `pickle.dumps(object, protocol)`, for protocols 2 to 5.
pub fn dumps(object: &Py, protocol: u8) -> Vec<u8> {
    let mut pickler = Pickler {
        bytes: Vec::new(),
        is_framed: protocol >= 4,
        memo: 0,
        texts: HashMap::new(),
        shared: HashMap::new(),
    };
    pickler.save(object);
    pickler.bytes.push(b'.');
    let mut bytes = vec![0x80, protocol];
    if pickler.is_framed {
        bytes.push(0x95);
        bytes.extend((pickler.bytes.len() as u64).to_le_bytes());
    }
    bytes.extend(pickler.bytes);
    bytes
}

struct Pickler {
    bytes: Vec<u8>,
    is_framed: bool,
    memo: u32,
    texts: HashMap<String, u32>,
    shared: HashMap<*const Py, u32>,
}

impl Pickler {
    fn put(&mut self) -> u32 {
        match (self.is_framed, u8::try_from(self.memo)) {
            (true, _) => self.bytes.push(0x94),
            (false, Ok(place)) => self.bytes.extend([b'q', place]),
            (false, Err(_)) => {
                self.bytes.push(b'r');
                self.bytes.extend(self.memo.to_le_bytes());
            }
        }
        self.memo += 1;
        self.memo - 1
    }

    fn get(&mut self, place: u32) {
        match u8::try_from(place) {
            Ok(place) => self.bytes.extend([b'h', place]),
            Err(_) => {
                self.bytes.push(b'j');
                self.bytes.extend(place.to_le_bytes());
            }
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(&place) = self.texts.get(text) {
            return self.get(place);
        }
        match (self.is_framed, u8::try_from(text.len())) {
            (true, Ok(length)) => self.bytes.extend([0x8c, length]),
            _ => {
                self.bytes.push(b'X');
                self.bytes.extend((text.len() as u32).to_le_bytes());
            }
        }
        self.bytes.extend(text.bytes());
        let place = self.put();
        self.texts.insert(text.to_owned(), place);
    }

    fn save(&mut self, object: &Py) {
        match object {
            Py::None => self.bytes.push(b'N'),
            Py::Bool(true) => self.bytes.push(0x88),
            Py::Bool(false) => self.bytes.push(0x89),
            Py::Int(number) => self.int(*number),
            Py::Float(number) => {
                self.bytes.push(b'G');
                self.bytes.extend(number.to_be_bytes());
            }
            Py::Text(text) => self.text(text),
            Py::List(items) => {
                self.bytes.push(b']');
                self.put();
                match items.as_slice() {
                    [] => {}
                    [one] => {
                        self.save(one);
                        self.bytes.push(b'a');
                    }
                    // CPython writes a thousand items at a time.
                    items => {
                        for batch in items.chunks(1000) {
                            self.bytes.push(b'(');
                            batch.iter().for_each(|item| self.save(item));
                            self.bytes.push(b'e');
                        }
                    }
                }
            }
            Py::Tuple(items) => {
                let (before, after) = match items.len() {
                    0 => return self.bytes.push(b')'),
                    few @ 1..=3 => (None, 0x84 + few as u8),
                    _ => (Some(b'('), b't'),
                };
                self.bytes.extend(before);
                items.iter().for_each(|item| self.save(item));
                self.bytes.push(after);
                self.put();
            }
            Py::Dict(items) => {
                self.bytes.push(b'}');
                self.put();
                if let [(key, value)] = items.as_slice() {
                    self.text(key);
                    self.save(value);
                    self.bytes.push(b's');
                } else if !items.is_empty() {
                    self.bytes.push(b'(');
                    for (key, value) in items {
                        self.text(key);
                        self.save(value);
                    }
                    self.bytes.push(b'u');
                }
            }
            Py::Shared(object) => {
                let key = Rc::as_ptr(object);
                if let Some(&place) = self.shared.get(&key) {
                    return self.get(place);
                }
                // A container is remembered where it begins, before its items.
                let place = self.memo;
                self.save(object);
                self.shared.insert(key, place);
            }
        }
    }

    fn int(&mut self, number: i64) {
        match (
            u8::try_from(number),
            u16::try_from(number),
            i32::try_from(number),
        ) {
            (Ok(number), ..) => self.bytes.extend([b'K', number]),
            (_, Ok(number), _) => {
                self.bytes.push(b'M');
                self.bytes.extend(number.to_le_bytes());
            }
            (.., Ok(number)) => {
                self.bytes.push(b'J');
                self.bytes.extend(number.to_le_bytes());
            }
            _ => {
                let bytes = number.to_le_bytes();
                let is_sign = |last: u8, before: u8| {
                    last == 0 && before < 0x80 || last == 0xff && before >= 0x80
                };
                let mut length = bytes.len();
                while length > 1 && is_sign(bytes[length - 1], bytes[length - 2]) {
                    length -= 1;
                }
                self.bytes.extend([0x8a, length as u8]);
                self.bytes.extend(&bytes[..length]);
            }
        }
    }
}
