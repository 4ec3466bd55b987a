//! Addresses in JSON: strings, because a JSON number holds only 53 bits.

use serde::Serializer;

/// `0x` and the digits of the largest number.
const LONGEST: usize = 2 + 16;

/// `0x` and hex digits. Reports of many stacks have a hundred thousand: written by `format!`, they are a seventh of the time.
pub fn address<S: Serializer>(address: &u64, to: S) -> Result<S::Ok, S::Error> {
    let mut text = [b'0'; LONGEST];
    let (mut from, mut left) = (LONGEST, *address);
    loop {
        from -= 1;
        text[from] = b"0123456789abcdef"[(left & 15) as usize];
        left >>= 4;
        if left == 0 {
            break;
        }
    }
    text[from - 1] = b'x';
    to.serialize_str(str::from_utf8(&text[from - 2..]).unwrap_or_default())
}

/// The same, or null.
pub fn optional<S: Serializer>(address: &Option<u64>, to: S) -> Result<S::Ok, S::Error> {
    match address {
        Some(found) => self::address(found, to),
        None => to.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_format() {
        for number in [0, 1, 15, 16, 0xfedc_ba98, u64::MAX >> 4, u64::MAX] {
            let mut text = Vec::new();
            let written = address(&number, &mut serde_json::Serializer::new(&mut text));
            written.expect("a vector has room");
            assert_eq!(String::from_utf8(text), Ok(format!("\"{number:#x}\"")));
        }
    }
}
