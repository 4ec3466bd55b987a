//! Code objects that are in the log, each once, and the frame addresses that stand for them.

use super::frames::{self, Step};
use super::interpreter::Interpreter;
use super::merge::Group;
use super::reader::{Reader, UncheckedReader};
use super::strings;
use crate::MAX_DEPTH;
use aclsan_log::{Definition, PythonFrame};
use aclsan_os::lock::{Mutex, rank};
use std::collections::HashMap;

/// Functions and their files, by number.
#[derive(Default)]
pub struct CodeObjects(Mutex<rank::CodeObjects, Registry>);

/// Maximum number of code objects: a program may create new ones as long as it runs.
const MAX_CODE_OBJECTS: u32 = 1 << 17;

#[derive(Default)]
struct Registry {
    numbers: HashMap<u64, u32>,
    names: Vec<(String, String)>,
}

impl CodeObjects {
    /// Function and file of code object number `code`.
    pub fn get(&self, code: u32) -> Option<(String, String)> {
        let known = self.0.lock();
        known.names.get(code as usize).cloned()
    }

    /// The number of the code object with this identity. A new one is named by `names` and written by `define`.
    fn number(
        &self,
        identity: u64,
        names: impl FnOnce() -> (String, String),
        define: impl FnOnce(u32, &(String, String)),
    ) -> u32 {
        let mut known = self.0.lock();
        if let Some(&number) = known.numbers.get(&identity) {
            return number;
        }
        let number = known.names.len() as u32;
        if number > MAX_CODE_OBJECTS {
            return MAX_CODE_OBJECTS;
        }
        let names = match number {
            MAX_CODE_OBJECTS => ("a function too many".into(), "??".into()), // Stands for all further ones.
            _ => names(),
        };
        define(number, &names);
        known.numbers.insert(identity, number);
        known.names.push(names);
        number
    }
}

/// The calling thread's Python frames as the log encodes them. New code objects are passed to `define`.
pub fn groups(
    codes: &CodeObjects,
    define: &dyn Fn(&Definition),
    interpreter: &Interpreter,
) -> Vec<Group> {
    let (mut groups, mut group, mut count) = (Vec::new(), Group::default(), 0);
    let Some(state) = interpreter.state() else {
        return groups;
    };
    frames::walk(&interpreter.layout, &UncheckedReader, state, |step| {
        match step {
            Step::Frame { code, at } => {
                let Some(address) = address(codes, define, interpreter, code, at) else {
                    return false;
                };
                group.frames.push(address);
                count += 1;
            }
            Step::Entry { anchor } if !group.frames.is_empty() => {
                group.anchor = anchor;
                groups.push(std::mem::take(&mut group));
            }
            Step::Entry { .. } => {}
        }
        count < MAX_DEPTH
    });
    if !group.frames.is_empty() {
        groups.push(group);
    }
    groups
}

fn address(
    codes: &CodeObjects,
    define: &dyn Fn(&Definition),
    interpreter: &Interpreter,
    code: u64,
    at: u64,
) -> Option<u64> {
    let layout = &interpreter.layout;
    let identity = frames::identity(layout, &UncheckedReader, code)?;
    let name = |part: u16| {
        let text = UncheckedReader.word(code, part)?;
        strings::text(layout, &UncheckedReader, text)
    };
    let names = || {
        let of = |part| name(part).unwrap_or_else(|| "??".into());
        (of(layout.full_name), of(layout.file))
    };
    let code_number = codes.number(identity, names, |id, (function, file)| {
        define(&Definition::PythonCode {
            id,
            function: function.clone(),
            file: file.clone(),
        });
    });
    let frame = PythonFrame {
        code: code_number,
        line: interpreter.line(code, at),
    };
    Some(frame.address())
}
