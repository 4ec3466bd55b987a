//! Attributes of a function that every event needs, computed once from its row. Names are compared when the table is built,
//! not at run time.

use super::const_str::{are_all, begins, contains, has, is_all, is_same};
use super::role::Role;
use crate::api::family::{Family, is_host_memory, is_race_checked};
use crate::api::sync_role::SyncRole;

/// Attributes of a function, derived from its row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CallAttributes {
    /// The family that it allocates or releases.
    pub family: Option<Family>,
    /// Its role in happens-before.
    pub sync_role: SyncRole,
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
}

/// The values of a first phase.
pub(super) const NEED: &[&str] = &["executor", "workspaceSize"];
/// The values of a second one.
pub(super) const PHASE_TWO: &[&str] = &["executor", "workspace", "workspaceSize", "stream"];

/// Values that are not addresses.
const HANDLES: &[&str] = &[
    "stream", "event", "notify", "state", "count", "first", "second",
];

impl CallAttributes {
    /// The attributes of a row that is not in the table, but for its family.
    pub const NONE: Self = Self {
        family: None,
        sync_role: SyncRole::Other,
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
    };

    /// The attributes of a row in the table.
    pub const fn of(name: &str, role: Role, values: &[&str]) -> Self {
        let (is_phase_one, is_phase_two) = (is_all(values, NEED), is_all(values, PHASE_TWO));
        // Other queues of media units are channels, whose ends are not recorded.
        let is_picture = begins(name, "acldvpp") && has(values, "queue");
        let is_flag = has(&["aclrtValueWrite", "aclrtValueWait"], name);
        let is_launch = matches!(role, Role::Launch);
        let sync_role = match role {
            // Made at any moment, also by a callback in the middle of another call.
            Role::Annotation => SyncRole::Nothing,
            _ => SyncRole::of(name, values, is_phase_one, is_phase_two),
        };
        Self {
            family: role.family(),
            sync_role,
            names_stream: (has(values, "stream") || is_picture) && !is_flag,
            hides_writes: begins(name, "aclrtLaunchKernel")
                || begins(name, "aclrtLaunchSIMTKernel")
                || begins(name, "aclmdlRIExecute")
                || has(values, "queue"),
            is_phase_one,
            is_phase_two,
            is_of_tensor: !values.is_empty() && is_same(values[0].as_bytes(), b"tensor"),
            is_wait: matches!(
                sync_role,
                SyncRole::SynchronizeStream | SyncRole::SynchronizeDevice
            ),
            is_opaque: contains(name, "LaunchKernel")
                || contains(name, "LaunchSIMTKernel")
                || contains(name, "KernelLaunch")
                || begins(name, "aclmdl")
                || begins(name, "aclop") && is_launch,
            is_of_pool: begins(name, "aclrtMemPool"),
            is_of_graph: begins(name, "aclmdlRI"),
            is_edge: matches!(role, Role::Order)
                && are_all(values, HANDLES)
                && !begins(name, "aclmdlRI"),
            has_queued_fills: match role {
                Role::Allocate(family) => is_race_checked(family) && !is_host_memory(family),
                _ => false,
            },
            waits_for_device: matches!(role, Role::Release(_)) && contains(name, "WithDevSync"),
        }
    }
}
