//! The runtime behind the hooks: the definitions that calls are forwarded to, and the few calls that the shim makes itself. Knows nothing
//! of what is recorded.

mod call;
mod caught;
mod copies;
pub mod deferred_free;
pub mod installation;
pub mod next;
pub mod queries;
pub mod slots;
pub mod virtual_memory;

use crate::state::graph_captures::GraphCaptures;
use aclsan_guards::{Device, MapError, Mapping, Space};

/// The runtime as a [`Device`] for guards. The graph captures tell when copies are forbidden.
#[derive(Clone, Copy)]
pub struct RuntimeDevice<'a>(pub &'a GraphCaptures);

impl Device for RuntimeDevice<'_> {
    fn write(&self, space: Space, to: u64, bytes: &[u8]) -> bool {
        copies::copy_to(self.0, space, to, bytes)
    }

    fn read(&self, space: Space, from: u64, bytes: &mut [u8]) -> bool {
        copies::copy_from(self.0, space, from, bytes)
    }

    fn map(
        &self,
        device: u32,
        bytes: u64,
        page: u64,
        is_free: impl FnOnce(u64) -> bool,
    ) -> Result<Mapping, MapError> {
        virtual_memory::map(device, bytes, page, is_free)
    }

    fn unmap(&self, mapping: &Mapping) -> bool {
        virtual_memory::unmap(mapping)
    }

    fn unreserve(&self, base: u64) -> bool {
        virtual_memory::unreserve(base)
    }
}

/// AscendCL's "not supported", returned for a function that no loaded library defines.
pub const ACL_ERROR_API_NOT_SUPPORT: i32 = 200_001;
