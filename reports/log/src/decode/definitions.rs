//! The fields of definitions.

use super::{Record, site};
use crate::layout::MAX_FRAMES;
use crate::record::{Definition, tag};
use crate::varint::{get, get_bytes, get_signed};

pub(super) fn definition(kind: u8, mut fields: &[u8]) -> Option<Record> {
    let f = &mut fields;
    let definition = match kind {
        tag::FUNCTION => Definition::Function {
            id: u16::try_from(get(f)?).ok()?,
            name: text(f)?,
        },
        tag::SITE => {
            let id = site(f)?;
            let function = u16::try_from(get(f)?).ok()?;
            let argument = get(f)? as u32;
            let device = i32::try_from(get_signed(f)?).ok()?;
            let count = get(f)?;
            let mut before = 0u64;
            // A frame takes at least a byte, so the stacks of a log could need eight times its size. No writer of ours exceeds this limit.
            let frames = (0..count.min(MAX_FRAMES as u64)).map(|_| {
                before = before.wrapping_add(get_signed(f)? as u64);
                Some(before)
            });
            Definition::Site {
                id,
                function,
                argument,
                device,
                frames: frames.collect::<Option<_>>()?,
            }
        }
        tag::MODULE => Definition::Module {
            start: get(f)?,
            end: get(f)?,
            bias: get(f)?,
            build_id: get_bytes(f)?.to_vec(),
            path: text(f)?,
        },
        tag::UNLOADED => Definition::Unloaded { start: get(f)? },
        tag::PYTHON_CODE => Definition::PythonCode {
            id: u32::try_from(get(f)?).ok()?,
            function: text(f)?,
            file: text(f)?,
        },
        tag::STATUS => Definition::Status {
            code: i32::try_from(get_signed(f)?).ok()?,
            name: text(f)?,
        },
        tag::PROPERTY => Definition::Property {
            key: text(f)?,
            value: text(f)?,
        },
        tag::TEXT => Definition::Text {
            id: u32::try_from(get(f)?).ok()?,
            text: text(f)?,
        },
        unknown => return Some(Record::Unknown(unknown)),
    };
    Some(Record::Definition(definition))
}

/// Names come from other people's binaries: invalid UTF-8 is replaced, not refused.
fn text(from: &mut &[u8]) -> Option<String> {
    get_bytes(from).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}
