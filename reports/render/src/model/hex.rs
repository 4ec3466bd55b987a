//! Addresses in JSON: strings, because a JSON number holds only 53 bits.

use serde::Serializer;

/// `0x` and hex digits.
pub fn address<S: Serializer>(address: &u64, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&format_args!("{address:#x}"))
}

/// The same, or null.
pub fn optional<S: Serializer>(address: &Option<u64>, to: S) -> Result<S::Ok, S::Error> {
    match address {
        Some(found) => self::address(found, to),
        None => to.serialize_none(),
    }
}
