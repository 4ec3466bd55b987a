//! A host for the tests of parts.

use super::tracker::Scene;
use crate::api::block::Place;
use crate::api::profile::Profile;

/// One thing lies at every address but 0.
pub struct Stage(Place);

impl Stage {
    pub fn with(place: Place) -> Self {
        Self(place)
    }
}

impl Scene for Stage {
    fn place(&self, address: u64) -> Place {
        if address == 0 { Place::Unknown } else { self.0 }
    }

    fn profile(&self) -> Profile {
        Profile::default()
    }
}
