//! Attributes of a function that every event needs: those that its row states, and those that follow from its role and
//! its values. The table has them when it is built; nothing compares names at run time.

use super::const_str::{are_all, has, is_all, is_same};
use super::effect::Effect;
use super::role::Role;
use super::sync_role::SyncRole;
use crate::api::family::{Family, is_host_memory, is_race_checked};

/// The vendors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum VendorId {
    Ascend,
}

/// Attributes of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CallAttributes {
    /// Whose function it is.
    pub vendor: VendorId,
    /// The family that it allocates or releases.
    pub family: Option<Family>,
    /// Its role in happens-before.
    pub sync_role: SyncRole,
    /// What trackers follow besides.
    pub effect: Effect,
    /// Whether a value is the stream that its work is on, and its ranges are data.
    pub names_stream: bool,
    /// Whether it may write memory that it does not name: kernels, graphs, media units.
    pub hides_writes: bool,
    pub is_phase_one: bool,
    pub is_phase_two: bool,
    pub is_of_tensor: bool,
    pub is_wait: bool,
    pub is_opaque: bool,
    pub is_of_pool: bool,
    pub is_of_graph: bool,
    pub is_edge: bool,
    pub has_queued_fills: bool,
    pub waits_for_device: bool,
    /// Whether it adds padding to the size that is asked for.
    pub is_padded: bool,
    /// Whether its blocks may end at a guard page.
    pub ends_at_page: bool,
    /// Whether it is a function of the layer below, which programs may call past the hooks.
    pub is_below: bool,
}

/// The values of a first phase.
pub(crate) const NEED: &[&str] = &["executor", "workspaceSize"];
/// The values of a second one.
pub(crate) const PHASE_TWO: &[&str] = &["executor", "workspace", "workspaceSize", "stream"];

/// Values that are not addresses.
const HANDLES: &[&str] = &[
    "stream", "event", "notify", "state", "count", "first", "second",
];

impl CallAttributes {
    /// The attributes of a row that states none, but for its family.
    pub const NONE: Self = Self {
        vendor: VendorId::Ascend,
        family: None,
        sync_role: SyncRole::Other,
        effect: Effect::None,
        names_stream: false,
        hides_writes: false,
        is_phase_one: false,
        is_phase_two: false,
        is_of_tensor: false,
        is_wait: false,
        is_opaque: false,
        is_of_pool: false,
        is_of_graph: false,
        is_edge: false,
        has_queued_fills: false,
        waits_for_device: false,
        is_padded: false,
        ends_at_page: false,
        is_below: false,
    };

    /// What a row states, and what follows from it.
    pub const fn of(self, role: Role, values: &[&str]) -> Self {
        let (is_phase_one, is_phase_two) = (is_all(values, NEED), is_all(values, PHASE_TWO));
        let is_of_tensor = !values.is_empty() && is_same(values[0].as_bytes(), b"tensor");
        let sync_role = match self.sync_role {
            // Made at any moment, also by a callback in the middle of another call.
            _ if matches!(role, Role::Annotation) => SyncRole::Nothing,
            SyncRole::Other if is_of_tensor => SyncRole::PointTensor,
            SyncRole::Other if is_phase_one => SyncRole::PhaseOne,
            SyncRole::Other if is_phase_two => SyncRole::PhaseTwo,
            stated => stated,
        };
        let is_flag = matches!(sync_role, SyncRole::WriteValue | SyncRole::WaitForValue);
        Self {
            sync_role,
            names_stream: self.names_stream || has(values, "stream") && !is_flag,
            hides_writes: self.hides_writes
                || matches!(sync_role, SyncRole::RunGraph | SyncRole::QueueGraph)
                || has(values, "queue"),
            is_phase_one,
            is_phase_two,
            is_of_tensor,
            is_wait: matches!(
                sync_role,
                SyncRole::SynchronizeStream | SyncRole::SynchronizeDevice
            ),
            is_edge: matches!(role, Role::Order) && are_all(values, HANDLES) && !self.is_of_graph,
            has_queued_fills: match role {
                Role::Allocate(family) => is_race_checked(family) && !is_host_memory(family),
                _ => false,
            },
            ..self
        }
    }
}
