//! Variable-length integers (LEB128): seven bits a byte, low bits first; the top bit says that more follow.

/// Appends `value`; `None` if `out` is full.
#[inline]
pub fn put(out: &mut [u8], at: &mut usize, value: u64) -> Option<()> {
    if value < 0x80 {
        *out.get_mut(*at)? = value as u8;
        *at += 1;
        return Some(());
    }
    if value < 0x4000 {
        let low = value as u16 & 0x7f | 0x80;
        let both = low | (value as u16) << 1 & 0x7f00;
        out.get_mut(*at..*at + 2)?
            .copy_from_slice(&both.to_le_bytes());
        *at += 2;
        return Some(());
    }
    put_long(out, at, value)
}

/// As [`put`], for a value that mostly is long, as addresses are.
#[inline(always)]
pub fn put_address(out: &mut [u8], at: &mut usize, value: u64) -> Option<()> {
    match out.get_mut(*at..).and_then(<[u8]>::first_chunk_mut) {
        Some(eight) if (0x4000..1 << 56).contains(&value) => {
            *at += put_in_eight(eight, value);
            Some(())
        }
        _ => put(out, at, value),
    }
}

#[inline(never)]
fn put_long(out: &mut [u8], at: &mut usize, value: u64) -> Option<()> {
    match out.get_mut(*at..).and_then(<[u8]>::first_chunk_mut) {
        Some(eight) if value >> 56 == 0 => {
            *at += put_in_eight(eight, value);
            Some(())
        }
        _ => put_bytewise(out, at, value),
    }
}

/// Writes a number of 15 to 56 bits, and zeros behind it. Returns how many bytes it takes.
#[inline(always)]
fn put_in_eight(out: &mut [u8; 8], value: u64) -> usize {
    // Makes room for the top bit of each byte: of each four bytes, of each two, of each.
    let halves = (value & 0x00ff_ffff_f000_0000) << 4 | value & 0x0000_0000_0fff_ffff;
    let quarters = (halves & 0x0fff_c000_0fff_c000) << 2 | halves & 0x0000_3fff_0000_3fff;
    let spread = (quarters & 0x3f80_3f80_3f80_3f80) << 1 | quarters & 0x007f_007f_007f_007f;
    let last = spread.ilog2() / 8;
    let more = 0x8080_8080_8080_8080 & ((1 << (8 * last)) - 1);
    *out = (spread | more).to_le_bytes();
    last as usize + 1
}

#[cold]
fn put_bytewise(out: &mut [u8], at: &mut usize, mut value: u64) -> Option<()> {
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        *out.get_mut(*at)? = if value == 0 { low } else { low | 0x80 };
        *at += 1;
        if value == 0 {
            return Some(());
        }
    }
}

/// Appends a signed number, zigzag-encoded so that small magnitudes are short.
pub fn put_signed(out: &mut [u8], at: &mut usize, value: i64) -> Option<()> {
    put(out, at, zigzag(value))
}

/// Appends bytes, preceded by their length.
pub fn put_bytes(out: &mut [u8], at: &mut usize, bytes: &[u8]) -> Option<()> {
    put(out, at, bytes.len() as u64)?;
    out.get_mut(*at..*at + bytes.len())?.copy_from_slice(bytes);
    *at += bytes.len();
    Some(())
}

/// Reads what [`put`] wrote and advances `from`; `None` if the bytes end first or hold more than 64 bits.
pub fn get(from: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Reads what [`put_signed`] wrote.
pub fn get_signed(from: &mut &[u8]) -> Option<i64> {
    get(from).map(unzigzag)
}

/// Reads what [`put_bytes`] wrote.
pub fn get_bytes<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(get(from)?).ok()?;
    let (bytes, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(bytes)
}

pub fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

pub fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_comes_back() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1u64 << shift) - 1, u64::MAX >> shift] {
                let mut bytes = [0u8; 10];
                let mut at = 0;
                put(&mut bytes, &mut at, value).unwrap();
                let mut from = &bytes[..at];
                assert_eq!(get(&mut from), Some(value));
                assert!(from.is_empty());
                let (mut bytewise, mut end) = ([0u8; 10], 0);
                put_bytewise(&mut bytewise, &mut end, value).unwrap();
                assert_eq!((bytes, at), (bytewise, end), "{value:#x}");
            }
        }
    }

    #[test]
    fn small_magnitudes_of_either_sign_take_one_byte() {
        for value in -64..64 {
            let mut bytes = [0u8; 1];
            let mut at = 0;
            put_signed(&mut bytes, &mut at, value).unwrap();
            assert_eq!(get_signed(&mut &bytes[..]), Some(value));
        }
    }

    #[test]
    fn more_than_64_bits_is_refused() {
        assert_eq!(get(&mut &[0xff; 9][..]), None);
        assert_eq!(
            get(&mut &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02][..]),
            None
        );
    }

    #[test]
    fn a_full_buffer_is_reported_not_overrun() {
        let mut bytes = [0u8; 2];
        assert_eq!(put(&mut bytes, &mut 0, 1 << 20), None);
        assert_eq!(put_bytes(&mut bytes, &mut 0, b"ab"), None);
    }
}
