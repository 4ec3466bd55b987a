//! What parts see of the host: of an address in a reserved range what is mapped there, for that is what a call will touch.

use super::Scene;
use super::virtual_memory::VirtualMemory;
use crate::block::Place;
use crate::profile::Profile;

/// The host's scene, with the mappings in it.
pub struct Reached<'a> {
    pub scene: &'a dyn Scene,
    pub virtual_memory: &'a VirtualMemory,
}

impl Scene for Reached<'_> {
    fn place(&self, address: u64) -> Place {
        self.virtual_memory
            .reach(address, self.scene.place(address))
    }

    fn profile(&self) -> Profile {
        self.scene.profile()
    }
}
