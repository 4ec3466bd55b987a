//! Fields of events with several values: a call's values, the bytes of a damaged run.

/// Maximum number of values in an [`Event::Call`](super::Event::Call).
pub const MAX_VALUES: usize = 8;

/// The arguments and results that describe what a call did, in an order specific to the function.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Values {
    /// Behind the last one, zeros.
    values: [u64; MAX_VALUES],
    length: u8,
}

impl Values {
    /// The first [`MAX_VALUES`] of `values`.
    #[inline(always)]
    pub fn new(values: &[u64]) -> Self {
        let mut copy = Self::default();
        copy.set(values);
        copy
    }

    /// Takes the first [`MAX_VALUES`] of `values`, in place of none.
    // In place: copied, they would wait for the stores. Most have few, which are not worth a call of `memcpy`, nor a jump by their number that has to
    // be fetched and predicted.
    #[inline(always)]
    pub fn set(&mut self, values: &[u64]) {
        let length = values.len().min(MAX_VALUES);
        self.length = length as u8;
        let (fours, rest) = values[..length].as_chunks::<4>();
        if let [four, further @ ..] = fours {
            self.values[..4].copy_from_slice(four);
            if let [four] = further {
                self.values[4..].copy_from_slice(four);
            }
        }
        let (twos, rest) = rest.as_chunks::<2>();
        if let [two] = twos {
            self.values[length / 4 * 4..][..2].copy_from_slice(two);
        }
        if let [last] = rest {
            self.values[length - 1] = *last;
        }
    }

    /// These values, of a number that the compiler knows: no copy, and no jumps by how many there are.
    #[inline(always)]
    pub fn of<const N: usize>(given: [u64; N]) -> Self {
        const { assert!(N <= MAX_VALUES) }
        let mut values = [0; MAX_VALUES];
        values[..N].copy_from_slice(&given);
        Self {
            values,
            length: N as u8,
        }
    }

    /// Takes `count` values from `next`, at most [`MAX_VALUES`].
    #[inline(always)]
    pub(crate) fn each(count: usize, mut next: impl FnMut() -> u64) -> Self {
        let mut values = [0; MAX_VALUES];
        for value in values.iter_mut().take(count) {
            *value = next();
        }
        Self {
            values,
            length: count.min(MAX_VALUES) as u8,
        }
    }

    /// All of them.
    pub fn all(&self) -> &[u64] {
        &self.values[..usize::from(self.length)]
    }

    /// The value at `index`; 0 if the log does not have it.
    pub fn get(&self, index: usize) -> u64 {
        self.values.get(index).copied().unwrap_or(0)
    }
}

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:x?}", self.all())
    }
}

/// Maximum number of bytes in an [`Event::Damage`](super::Event::Damage).
pub const MAX_SAMPLE: usize = 64;

/// The first bytes of a damaged run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ByteSample {
    bytes: [u8; MAX_SAMPLE],
    length: u8,
}

impl ByteSample {
    /// The first [`MAX_SAMPLE`] of `bytes`.
    pub fn new(bytes: &[u8]) -> Self {
        let length = bytes.len().min(MAX_SAMPLE);
        let mut copy = [0; MAX_SAMPLE];
        copy[..length].copy_from_slice(&bytes[..length]);
        Self {
            bytes: copy,
            length: length as u8,
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl std::fmt::Debug for ByteSample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02x?}", self.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_given_and_zeros_behind_them() {
        for (values, given) in [
            (Values::of([]), &[][..]),
            (Values::of([7, 8, 9]), &[7, 8, 9]),
            (Values::of([1; MAX_VALUES]), &[1; MAX_VALUES]),
        ] {
            assert_eq!(values, Values::new(given));
            let beyond = given.len()..MAX_VALUES + 2;
            assert!(beyond.map(|at| values.get(at)).all(|value| value == 0));
            let each: Vec<u64> = (0..given.len()).map(|at| values.get(at)).collect();
            assert_eq!((values.all(), &*each), (given, given));
        }
    }
}
