//! What events refer to.

use super::Encoder;
use crate::layout::MAX_FRAMES;
use crate::record::{CallSiteId, Definition, tag};
use crate::varint::{put, put_bytes, put_signed};

/// Longest string of a definition, in bytes; longer ones are cut off.
pub const MAX_TEXT_BYTES: usize = 16 * 1024;

impl Encoder {
    /// Writes a definition. `None`, with nothing written, if the segment is full.
    pub fn definition(
        &mut self,
        buffer: &mut [u8],
        ticks: u64,
        definition: &Definition,
    ) -> Option<()> {
        match definition {
            Definition::Function { id, name } => {
                self.tagged(buffer, ticks, tag::FUNCTION, |out, at| {
                    put(out, at, u64::from(*id))?;
                    put_bytes(out, at, cut(name))
                })
            }
            Definition::Site {
                id,
                function,
                argument,
                device,
                frames,
            } => self.site(buffer, ticks, *id, *function, *argument, *device, frames),
            Definition::Module {
                start,
                end,
                bias,
                build_id,
                path,
            } => self.tagged(buffer, ticks, tag::MODULE, |out, at| {
                put(out, at, *start)?;
                put(out, at, *end)?;
                put(out, at, *bias)?;
                put_bytes(out, at, &build_id[..build_id.len().min(64)])?;
                put_bytes(out, at, cut(path))
            }),
            Definition::Unloaded { start } => {
                self.tagged(buffer, ticks, tag::UNLOADED, |out, at| put(out, at, *start))
            }
            Definition::PythonCode { id, function, file } => {
                self.tagged(buffer, ticks, tag::PYTHON_CODE, |out, at| {
                    put(out, at, u64::from(*id))?;
                    put_bytes(out, at, cut(function))?;
                    put_bytes(out, at, cut(file))
                })
            }
            Definition::Status { code, name } => {
                self.tagged(buffer, ticks, tag::STATUS, |out, at| {
                    put_signed(out, at, i64::from(*code))?;
                    put_bytes(out, at, cut(name))
                })
            }
            Definition::Property { key, value } => {
                self.tagged(buffer, ticks, tag::PROPERTY, |out, at| {
                    put_bytes(out, at, cut(key))?;
                    put_bytes(out, at, cut(value))
                })
            }
            Definition::Text { id, text } => self.tagged(buffer, ticks, tag::TEXT, |out, at| {
                put(out, at, u64::from(*id))?;
                put_bytes(out, at, cut(text))
            }),
        }
    }

    /// Writes a [`Definition::Site`] without owning its frames. Frames beyond [`MAX_FRAMES`] are dropped.
    #[allow(clippy::too_many_arguments)] // the fields of the record
    pub fn site(
        &mut self,
        buffer: &mut [u8],
        ticks: u64,
        id: CallSiteId,
        function: u16,
        argument: u32,
        device: i32,
        frames: &[u64],
    ) -> Option<()> {
        self.tagged(buffer, ticks, tag::SITE, |out, at| {
            put(out, at, u64::from(id.0))?;
            put(out, at, u64::from(function))?;
            put(out, at, u64::from(argument))?;
            put_signed(out, at, i64::from(device))?;
            let frames = &frames[..frames.len().min(MAX_FRAMES)];
            put(out, at, frames.len() as u64)?;
            let mut before = 0u64;
            for &frame in frames {
                put_signed(out, at, frame.wrapping_sub(before) as i64)?;
                before = frame;
            }
            Some(())
        })
    }
}

fn cut(text: &str) -> &[u8] {
    &text.as_bytes()[..text.len().min(MAX_TEXT_BYTES)]
}
