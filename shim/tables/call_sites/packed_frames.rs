//! Compresses the frames of a call site. Neighboring frames have nearby addresses, so only differences are stored.

/// Encodes frames as differences: zigzag, then LEB128.
pub fn pack(frames: &[u64]) -> Box<[u8]> {
    let mut packed = Vec::with_capacity(4 * frames.len());
    let mut before = 0u64;
    for &frame in frames {
        let difference = frame.wrapping_sub(before) as i64;
        let mut rest = (difference << 1 ^ difference >> 63) as u64;
        while rest > 0x7f {
            packed.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        packed.push(rest as u8);
        before = frame;
    }
    packed.into_boxed_slice()
}

/// Decodes what [`pack`] encoded.
pub fn unpack(packed: &[u8]) -> Box<[u64]> {
    let (mut frames, mut before) = (Vec::new(), 0u64);
    let (mut rest, mut shift) = (0u64, 0);
    for &byte in packed {
        rest |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            before = before.wrapping_add(rest >> 1 ^ (rest & 1).wrapping_neg());
            frames.push(before);
            (rest, shift) = (0, 0);
        }
    }
    frames.into_boxed_slice()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_and_take_few_bytes() {
        let near: Vec<u64> = (0..20).map(|i| 0x7f12_3456_7000 + i * i * 123).collect();
        let far = [u64::MAX, 0, 1 << 63, 1, u64::MAX / 2, 0, 0];
        for frames in [&near[..], &far, &[], &[0]] {
            assert_eq!(*unpack(&pack(frames)), *frames);
        }
        // The first takes seven bytes; no other differs by more than 37 * 123 = 4,551.
        assert!(pack(&near).len() <= 7 + 19 * 2);
    }
}
