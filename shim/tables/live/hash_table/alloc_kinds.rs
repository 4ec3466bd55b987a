//! Numbers the pairs of allocating function and device. Few pairs are ever in use, so a slot stores eight bits for one.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// By number: [`KNOWN`], the function's index in `FUNCTIONS`, and the device in the last eight bits. An entry never
/// changes once set.
pub struct AllocKindTable([AtomicU32; 1 << 8]);

const KNOWN: u32 = 1 << 31;
/// Functions that are neighbors in `FUNCTIONS` start probing this far apart, so the first devices of each are found at
/// once.
const APART: usize = 8;

impl Default for AllocKindTable {
    fn default() -> Self {
        Self([const { AtomicU32::new(0) }; 1 << 8])
    }
}

impl AllocKindTable {
    /// The number of a pair, assigned if it has none; `None` if there are too many pairs.
    #[inline(always)]
    pub fn number(&self, function: u16, device: i8) -> Option<u8> {
        let kind = KNOWN | u32::from(function) << 8 | u32::from(device as u8);
        let first = (usize::from(function) * APART).wrapping_add_signed(device.into()) as u8;
        match self.0[usize::from(first)].load(Relaxed) == kind {
            true => Some(first),
            false => self.look(kind, first),
        }
    }

    #[cold]
    #[inline(never)]
    fn look(&self, kind: u32, first: u8) -> Option<u8> {
        let mut numbers = (0..=u8::MAX).map(|step| first.wrapping_add(step));
        numbers.find(|&number| {
            let place = &self.0[usize::from(number)];
            let known = match place.load(Relaxed) {
                0 => place.compare_exchange(0, kind, Relaxed, Relaxed),
                known => Err(known),
            };
            known.is_ok() || known == Err(kind)
        })
    }

    /// The pair with a number from [`AllocKindTable::number`].
    #[inline(always)]
    pub fn get(&self, number: u8) -> (u16, i8) {
        let kind = self.0[usize::from(number)].load(Relaxed);
        ((kind >> 8) as u16, kind as i8)
    }
}

const _: () = assert!(aclsan_rules::api::functions::FUNCTIONS.len() <= 1 << 16);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_has_its_number_until_there_are_no_more() {
        let kinds = AllocKindTable::default();
        let pairs = (0..64).flat_map(|function| (-1..3).map(move |device| (function * 32, device)));
        let numbers: Vec<_> = pairs
            .clone()
            .map(|(function, device)| kinds.number(function, device))
            .collect();
        for ((function, device), number) in pairs.zip(numbers) {
            assert_eq!(kinds.get(number.unwrap()), (function, device));
            assert_eq!(kinds.number(function, device), number);
        }
        assert_eq!(kinds.number(1, 0), None);
    }

    #[test]
    fn threads_agree_on_a_number() {
        let kinds = AllocKindTable::default();
        let ask = || {
            (0..200)
                .map(|function| kinds.number(function, -1))
                .collect::<Vec<_>>()
        };
        let reported = std::thread::scope(|scope| {
            [(); 4]
                .map(|()| scope.spawn(ask))
                .map(|reported| reported.join().unwrap())
        });
        assert!(reported.iter().all(|numbers| *numbers == reported[0]));
    }
}
