//! One end of a copy or a fill: the bytes that a call touches, and the block that they begin in.

use crate::api::block::{AddressInfo, Block};
use crate::api::family::Family;
use crate::api::functions::{Call, Role};
use crate::evidence::byte_span::ByteSpan;
pub use crate::evidence::byte_span::Shape;

/// What the call does to the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Destination of a copy, target of a fill.
    Written,
    /// Source of a copy.
    Read,
}

/// One end of a copy or a fill that the runtime performs.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The copy or fill.
    pub call: &'a Call,
    /// Which end.
    pub side: Side,
    /// First byte touched.
    pub address: u64,
    /// How many bytes, and their layout.
    pub shape: Shape,
    /// Looks up `address`.
    pub info: &'a AddressInfo,
}

impl Access<'_> {
    /// The live block that it begins in, its offset there, and how many bytes it exceeds what the program asked for.
    /// `None` if it stays inside, or no live block is known.
    pub fn overrun(&self) -> Option<(Block, u64, u128)> {
        let (block, offset) = match self.info {
            // A block that another process exported may be of any size, if nobody could ask for it.
            AddressInfo::Live(block, offset) if block.size > 0 => (block, *offset),
            _ => return None,
        };
        let end = u128::from(offset) + self.shape.extent();
        let past = end.saturating_sub(u128::from(block.size));
        (past > 0).then_some((*block, offset, past))
    }

    /// Whether it touches more bytes than the live block that it begins in has, so that they would not fit at any offset.
    pub fn is_too_large(&self) -> bool {
        let count = match self.shape {
            Shape::Run(count) => u128::from(count),
            Shape::Rows { width, height, .. } => u128::from(width) * u128::from(height),
        };
        self.overrun()
            .is_some_and(|(block, ..)| count > u128::from(block.size))
    }

    /// The bytes touched.
    pub fn bytes(&self) -> ByteSpan {
        ByteSpan {
            address: self.address,
            shape: self.shape,
        }
    }

    /// Whether it stays inside a live block that has memory, or what it touches is unknown: the common case, for which
    /// no rule reports anything.
    #[inline]
    pub fn is_plain(&self) -> bool {
        match self.info {
            AddressInfo::Live(block, _) => {
                block.family() != Family::Reserved && self.overrun().is_none()
            }
            AddressInfo::Ended(..) => false,
            AddressInfo::Unknown => true,
        }
    }

    /// Whether the call touches every byte, as copies and fills do. Other calls are given a range and use what they
    /// need.
    pub fn is_copy(&self) -> bool {
        matches!(
            self.call.function.role,
            Role::Copy | Role::Copy2d | Role::Set
        )
    }

    /// "`aclrtMemcpy` wrote 64 bytes".
    pub fn action(&self) -> String {
        let verb = match (self.side, self.is_copy()) {
            (Side::Written, true) => "wrote",
            (Side::Read, true) => "read",
            (Side::Written, false) => "may write",
            (Side::Read, false) => "may read",
        };
        format!(
            "`{}` {verb} {}",
            self.call.function.name,
            self.shape.words()
        )
    }

    /// "`aclrtMemcpy` wrote 64 bytes into".
    pub fn action_on_block(&self) -> String {
        let preposition = match self.side {
            Side::Written => "into",
            Side::Read => "from",
        };
        format!("{} {preposition}", self.action())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    #[test]
    fn the_last_row_ends_with_its_width() {
        let rows = Shape::Rows {
            pitch: 128,
            width: 100,
            height: 4,
        };
        assert_eq!(rows.extent(), 3 * 128 + 100);
    }

    #[test]
    fn rows_beyond_the_address_space_overhang_instead_of_wrapping() {
        let call = call("aclrtMemcpy2d");
        let info = AddressInfo::Live(device_block(0x1000, 64), 0);
        let access = Access {
            call: &call,
            side: Side::Written,
            address: 0x1000,
            shape: Shape::Rows {
                pitch: u64::MAX,
                width: u64::MAX,
                height: u64::MAX,
            },
            info: &info,
        };
        assert!(access.overrun().unwrap().2 > u128::from(u64::MAX));
    }
}
