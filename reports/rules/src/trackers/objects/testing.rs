//! A host for the tests of trackers.

use super::tracker::HeapView;
use crate::api::block::AddressInfo;
use crate::api::profile::Profile;

/// The same thing is at every address but 0.
pub struct FakeView(AddressInfo);

impl FakeView {
    pub fn with(place: AddressInfo) -> Self {
        Self(place)
    }
}

impl HeapView for FakeView {
    fn place(&self, address: u64) -> AddressInfo {
        if address == 0 {
            AddressInfo::Unknown
        } else {
            self.0
        }
    }

    fn profile(&self) -> Profile {
        Profile::default()
    }
}
