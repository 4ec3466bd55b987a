//! Tensors as segments: two tensors of one operator that share some of their bytes.
//!
//! Which tensors an operator writes is not seen: the first phase takes them in any order. Overlapping tensors are
//! mostly views, so an overlap is reported only if no other reading is left. When the first phase ends, there are
//! exactly two tensors; both were created since the first phase before, and both are destroyed before the next. Then
//! the operator had both, and writes one of them, since every operator writes something. Both are solid, without gaps,
//! so all bytes between their ends are theirs. Then the operator reads what it writes, from another start.

use crate::api::fast_hash::FastMap;
use crate::api::functions::Call;
use crate::api::tensor::Shape;
use crate::evidence::suballocation::Segment;
use aclsan_log::Values;

/// Tensors kept. Beyond that, nothing is reported any more.
const MAX_TENSORS: usize = 1 << 16;

#[derive(Clone, Copy)]
struct Known {
    /// Its bytes, if they are known and without gaps.
    segment: Option<Segment>,
    /// First phases before it.
    phases: u64,
}

/// The two tensors of an operator; certain once both are destroyed.
struct Pair {
    tensors: [u64; 2],
    segments: [Segment; 2],
    /// The first phase.
    call: Call,
    destroyed: usize,
}

/// The live tensors.
#[derive(Default)]
pub struct Operands {
    tensors: FastMap<u64, Known>,
    phases: u64,
    pair: Option<Pair>,
    /// Whether some tensors are unknown.
    is_blind: bool,
}

impl Operands {
    /// A call with these values succeeded.
    pub fn called(&mut self, call: &Call, values: &Values) {
        let names = call.function.values;
        if call.function.is_phase_one() {
            self.phase_one(call);
        } else if call.function.is_of_tensor() {
            match names.contains(&"reach") {
                true => self.made(call, values),
                // Pointed elsewhere, possibly for a cached executor, which runs without a first phase.
                false => self.is_blind = true,
            }
        }
    }

    /// A tensor was destroyed. Returns the first phase and both segments of its operator, if this was the second of the
    /// two and they overlap.
    pub fn destroyed(&mut self, tensor: u64) -> Option<(Call, [Segment; 2])> {
        self.tensors.remove(&tensor);
        let pair = self.pair.as_mut()?;
        if !pair.tensors.contains(&tensor) {
            return None;
        }
        pair.destroyed += 1;
        let pair = self.pair.take_if(|pair| pair.destroyed == 2)?;
        Some((pair.call, pair.segments))
    }

    fn made(&mut self, call: &Call, values: &Values) {
        let shape = Shape::of(values);
        let (tensor, address) = (values.get(0), values.get(1));
        let size = shape.extent().filter(|_| shape.is_solid && address != 0);
        let known = Known {
            segment: size.filter(|&size| size > 0).map(|size| Segment {
                address,
                size,
                site: call.site,
            }),
            phases: self.phases,
        };
        if self.tensors.insert(tensor, known).is_some() {
            self.pair = None;
        }
        if self.tensors.len() > MAX_TENSORS {
            self.tensors.clear();
            self.is_blind = true;
        }
    }

    fn phase_one(&mut self, call: &Call) {
        self.pair = None;
        if !self.is_blind && self.tensors.len() == 2 {
            let mut both: Vec<_> = self.tensors.iter().collect();
            both.sort_unstable_by_key(|(_, known)| known.segment.map(|segment| segment.address));
            if let [(&one, first), (&other, second)] = both[..]
                && let (Some(low), Some(high)) = (first.segment, second.segment)
                && [first, second]
                    .iter()
                    .all(|known| known.phases == self.phases)
                && low.address < high.address
                && high.address < low.end()
                && low.end() < high.end()
            {
                self.pair = Some(Pair {
                    tensors: [one, other],
                    segments: [low, high],
                    call: *call,
                    destroyed: 0,
                });
            }
        }
        self.phases += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    /// A vector of floats, by address and length.
    fn vector(operands: &mut Operands, tensor: u64, address: u64, length: u64, is_solid: bool) {
        let values = [tensor, address, length, length, 0, 2, u64::from(is_solid)];
        operands.called(&call("aclCreateTensor"), &Values::new(&values));
    }

    fn phase_one(operands: &mut Operands) {
        let planned = call("aclOpExecutorAddCache");
        operands.called(&planned, &Values::new(&[100, 0]));
    }

    /// The shared bytes that are reported for one operator with these tensors.
    fn operator(operands: &mut Operands, tensors: &[(u64, u64, bool)]) -> Option<u64> {
        for (tensor, &(address, length, is_solid)) in (1..).zip(tensors) {
            vector(operands, tensor, address, length, is_solid);
        }
        phase_one(operands);
        let destroyed = (1..).take(tensors.len());
        let found = destroyed.filter_map(|tensor| operands.destroyed(tensor));
        found.last().map(|(_, [low, high])| low.shared(&high))
    }

    #[test]
    fn two_solid_tensors_of_one_operator_that_share_a_part_are_reported() {
        let mut operands = Operands::default();
        // 100 floats from 0x1000 to 0x1190, and from 0x1004 to 0x1194: 396 bytes.
        let shifted = [(0x1000, 100, true), (0x1004, 100, true)];
        assert_eq!(operator(&mut operands, &shifted), Some(396));
        assert_eq!(operator(&mut operands, &shifted), Some(396));
    }

    #[test]
    fn views_parts_and_neighbours_are_silent() {
        let mut operands = Operands::default();
        for legal in [
            [(0x1000, 100, true), (0x1000, 100, true)],  // in place
            [(0x1000, 100, true), (0x1000, 50, true)],   // its head
            [(0x1000, 100, true), (0x1010, 10, true)],   // a slice
            [(0x1000, 100, true), (0x1190, 100, true)],  // the next row
            [(0x1000, 100, false), (0x1004, 100, true)], // columns
            [(0x1000, 100, false), (0x1004, 100, false)],
            [(0, 100, true), (4, 100, true)],
        ] {
            assert_eq!(operator(&mut operands, &legal), None, "{legal:?}");
        }
    }

    #[test]
    fn a_third_that_may_be_the_result_makes_it_nobodys_business() {
        let mut operands = Operands::default();
        let difference = [
            (0x1000, 100, true),
            (0x1004, 100, true),
            (0x9000, 100, true),
        ];
        assert_eq!(operator(&mut operands, &difference), None);
        vector(&mut operands, 9, 0x9000, 100, true); // one that stays
        assert_eq!(operator(&mut operands, &difference[..2]), None);
    }

    #[test]
    fn tensors_that_live_through_two_operators_are_silent() {
        let mut operands = Operands::default();
        vector(&mut operands, 1, 0x1000, 100, true);
        vector(&mut operands, 2, 0x1004, 100, true);
        phase_one(&mut operands); // zeroes the one
        phase_one(&mut operands); // and the other
        assert!(operands.destroyed(1).is_none() && operands.destroyed(2).is_none());
        // A result that is created once, with new sources.
        vector(&mut operands, 1, 0x1000, 100, true);
        phase_one(&mut operands);
        vector(&mut operands, 2, 0x1004, 100, true);
        phase_one(&mut operands);
        assert!(operands.destroyed(2).is_none() && operands.destroyed(1).is_none());
    }

    #[test]
    fn where_tensors_are_pointed_elsewhere_nothing_is_said() {
        let mut operands = Operands::default();
        vector(&mut operands, 7, 0x1000, 100, true);
        operands.called(&call("aclSetRawTensorAddr"), &Values::new(&[7, 0x2000]));
        operands.destroyed(7);
        let shifted = [(0x1000, 100, true), (0x1004, 100, true)];
        assert_eq!(operator(&mut operands, &shifted), None);
    }
}
