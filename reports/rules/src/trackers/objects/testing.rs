//! A host for the tests of parts.

use super::tracker::HeapView;
use crate::api::block::AddressInfo;
use crate::api::profile::Profile;

/// One thing lies at every address but 0.
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
