//! Tensors: what each describes, for when it is given another address.

use super::tracker::{HeapView, Tracker};
use crate::api::block::Block;
use crate::api::family::Family;
use crate::api::fast_hash::FastMap;
use crate::api::functions::{Call, Role};
use crate::api::tensor::Shape;
use crate::evidence::finding::Finding;
use crate::rules::tensor_out_of_block;
use aclsan_log::Values;

/// The tensors that exist.
#[derive(Default)]
pub struct Tensors {
    shapes: FastMap<u64, Shape>,
}

impl Tracker for Tensors {
    fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        if !call.function.is_of_tensor() || status != 0 || values.get(0) == 0 {
            return;
        }
        let (tensor, address) = (values.get(0), values.get(1));
        if call.function.values.contains(&"reach") {
            self.shapes.insert(tensor, Shape::of(values));
        }
        if let Some(shape) = self.shapes.get(&tensor)
            && address != 0
        {
            let place = view.place(address);
            found.extend(tensor_out_of_block::check(
                call,
                shape,
                address,
                &place,
                &view.profile(),
            ));
        }
    }

    fn releasing(&mut self, _: &Call, block: &Block, _: &dyn HeapView, _: &mut Vec<Finding>) {
        if block.function.role == Role::Allocate(Family::Tensor) {
            self.shapes.remove(&block.address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::block::AddressInfo;
    use crate::evidence::testing::*;
    use crate::trackers::objects::testing::FakeView;

    /// A block of 64 bytes at 0x1000.
    fn view() -> FakeView {
        FakeView::with(AddressInfo::Live(device_block(0x1000, 64), 0))
    }

    fn said(tensors: &mut Tensors, name: &str, values: &[u64]) -> usize {
        let mut found = Vec::new();
        tensors.called(&call(name), &Values::new(values), 0, &view(), &mut found);
        found.len()
    }

    #[test]
    fn a_tensor_is_judged_again_at_each_address_that_it_is_given() {
        let mut tensors = Tensors::default();
        assert_eq!(
            said(&mut tensors, "aclCreateTensor", &[7, 0, 17, 17, 0, 2]),
            0
        );
        assert_eq!(said(&mut tensors, "aclSetRawTensorAddr", &[7, 0x1000]), 1);
        assert_eq!(
            said(&mut tensors, "aclInitTensor", &[7, 0x1000, 16, 16, 0, 2]),
            0
        );
        assert_eq!(
            said(&mut tensors, "AclSetOutputTensorAddr", &[7, 0x1000, 9]),
            0
        );
    }

    #[test]
    fn a_destroyed_tensor_is_forgotten() {
        let mut tensors = Tensors::default();
        said(&mut tensors, "aclCreateTensor", &[7, 0, 17, 17, 0, 2]);
        let tensor = block("aclCreateTensor", 7, 0);
        tensors.releasing(&call("aclDestroyTensor"), &tensor, &view(), &mut Vec::new());
        assert_eq!(said(&mut tensors, "aclSetRawTensorAddr", &[7, 0x1000]), 0);
    }
}
