//! Functions that aclsan knows, and calls of them: the columns of a row, and what follows from them. The rows are in
//! [`functions`](super::functions) and in the folders of vendors.

pub(crate) mod attributes;
pub(crate) mod const_str;
mod effect;
mod role;
mod sync_role;

use super::family::Family;
use aclsan_log::CallSiteId;
use attributes::CallAttributes;
pub(crate) use effect::Effect;
pub use role::Role;
pub(crate) use sync_role::SyncRole;

/// A function that aclsan knows. A line of the cache has all of it: each hook asks for some.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct Function {
    /// Its exported name, without `Impl`.
    pub name: &'static str,
    /// What it does.
    pub role: Role,
    /// Whether it returns before its work is done.
    pub is_async: bool,
    /// Names of the values of its [`Event::Call`](aclsan_log::Event::Call), in order.
    pub values: &'static [&'static str],
    /// Its index in [`FUNCTIONS`](super::functions::FUNCTIONS).
    pub(crate) number: u16,
    /// What its row states besides, and what follows from the fields above.
    pub(crate) attributes: CallAttributes,
}

const _: () = assert!(size_of::<Function>() == 64);

/// A call: which function, from where, on which device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// The function.
    pub function: &'static Function,
    /// The call site.
    pub site: CallSiteId,
    /// Policy, kind or flag; 0 if the function has none.
    pub argument: u32,
    /// The calling thread's device, −1 if unknown.
    pub device: i32,
}

pub(crate) const fn now(name: &'static str, role: Role) -> Function {
    Function {
        name,
        role,
        is_async: false,
        values: &[],
        number: 0,
        attributes: CallAttributes {
            family: role.family(),
            ..CallAttributes::NONE
        },
    }
}

pub(crate) const fn queued(name: &'static str, role: Role) -> Function {
    Function {
        is_async: true,
        ..now(name, role)
    }
}

impl Call {
    /// The family of what it allocates or releases. Some functions release things of two families, and the argument says
    /// which: a list's releases its parts with [`FURTHER`], `aclrtIpcMemClose` an import with [`IMPORT`].
    #[inline]
    pub fn family(&self) -> Option<Family> {
        match self.argument {
            FURTHER => self.family_by_argument(),
            _ => self.function.family(),
        }
    }

    #[cold]
    fn family_by_argument(&self) -> Option<Family> {
        match (self.argument, self.function.role) {
            (FURTHER, Role::Release(Family::TensorList)) => Some(Family::Tensor),
            (FURTHER, Role::Release(Family::ScalarList)) => Some(Family::Scalar),
            (IMPORT, Role::Release(Family::Exported)) => Some(Family::Imported),
            _ => self.function.family(),
        }
    }

    /// How the runtime refuses it, as a release that is none. `owner` is the block's family, if there is a block.
    pub(crate) fn refusal(&self, owner: Option<Family>) -> &'static str {
        (self.function.vendor().refusal)(self.function, owner)
    }

    /// Whether it is a further release by a call that is recorded already.
    pub fn is_further(&self) -> bool {
        let is_list = matches!(
            self.function.role,
            Role::Release(Family::TensorList | Family::ScalarList)
        );
        is_list && self.argument == FURTHER
    }
}

/// The argument of further releases by one call.
pub const FURTHER: u32 = 1;
/// The argument of closing a key if that releases an import.
pub const IMPORT: u32 = FURTHER;

impl Function {
    /// Its index in [`FUNCTIONS`](super::functions::FUNCTIONS).
    pub fn number(&self) -> u16 {
        self.number
    }

    /// One that is not in the table.
    #[cfg(test)]
    pub(crate) fn unlisted(name: &'static str, role: Role) -> Self {
        now(name, role)
    }

    /// Whether it is a release that waits for the device first.
    pub fn waits_for_device(&self) -> bool {
        self.attributes.waits_for_device
    }

    /// Whether it is a function of the layer below the interface, where programs also do what no hook sees.
    pub fn is_below(&self) -> bool {
        self.attributes.is_below
    }

    /// Whether it adds the SoC's padding to the size that is asked for.
    #[inline]
    pub fn is_padded(&self) -> bool {
        self.attributes.is_padded
    }

    /// Whether its blocks may end at a guard page.
    #[inline]
    pub fn ends_at_page(&self) -> bool {
        self.attributes.ends_at_page
    }

    /// What it does besides its role and its place in the order.
    #[inline]
    pub(crate) fn effect(&self) -> Effect {
        self.attributes.effect
    }
}

/// Columns of a row.
impl Function {
    /// Names the values of its event.
    pub(crate) const fn with(self, values: &'static [&'static str]) -> Self {
        Self { values, ..self }
    }

    /// Its role in happens-before.
    pub(crate) const fn sync(mut self, sync_role: SyncRole) -> Self {
        self.attributes.sync_role = sync_role;
        self
    }

    /// What it does besides.
    pub(crate) const fn does(mut self, effect: Effect) -> Self {
        self.attributes.effect = effect;
        self
    }

    /// It may use memory that its event does not name.
    pub(crate) const fn opaque(mut self) -> Self {
        self.attributes.is_opaque = true;
        self
    }

    /// It runs a kernel, which may also write such memory.
    pub(crate) const fn runs_kernel(mut self) -> Self {
        self.attributes.hides_writes = true;
        self.opaque()
    }

    /// It concerns captured graphs.
    pub(crate) const fn of_graph(mut self) -> Self {
        self.attributes.is_of_graph = true;
        self.opaque()
    }

    /// It concerns stream-ordered pools.
    pub(crate) const fn of_pool(mut self) -> Self {
        self.attributes.is_of_pool = true;
        self
    }

    /// Its queue is a stream. Other queues of media units are channels, whose ends are not recorded.
    pub(crate) const fn on_stream(mut self) -> Self {
        self.attributes.names_stream = true;
        self
    }

    /// It waits for the device before it releases.
    pub(crate) const fn after_device(mut self) -> Self {
        self.attributes.waits_for_device = true;
        self
    }

    /// It adds the SoC's padding to the size that is asked for.
    pub(crate) const fn padded(mut self) -> Self {
        self.attributes.is_padded = true;
        self
    }

    /// A block of it may be placed before a guard page: nothing but its pages differs from the runtime's.
    pub(crate) const fn before_page(mut self) -> Self {
        self.attributes.ends_at_page = true;
        self
    }

    /// It belongs to the layer below.
    pub(crate) const fn below(mut self) -> Self {
        self.attributes.is_below = true;
        self
    }
}

impl Function {
    /// The family that it allocates or releases.
    #[inline]
    pub fn family(&self) -> Option<Family> {
        self.attributes.family
    }
}

impl Function {
    /// Whether it is recorded while recording is stopped, because what is recorded afterwards is judged by it: devices, contexts, streams,
    /// mappings, graphs, and what the program says about itself. Releases of known blocks are recorded in any case. Without work, its waits say
    /// nothing; without blocks and tensors, nor do their parts and operators.
    pub fn is_followed_while_stopped(&self) -> bool {
        use SyncRole::{QueueGraph, RunGraph};
        match self.role {
            Role::Initialize | Role::Finalize | Role::SetDevice | Role::Send => true,
            Role::ResetDevice | Role::ResetDeviceForce => true,
            Role::Allocate(family) | Role::Release(family) => !family.is_passing(),
            Role::Order if self.is_of_graph() => {
                !matches!(self.attributes.sync_role, RunGraph | QueueGraph)
            }
            Role::Order => !self.is_edge() && !self.is_opaque(),
            Role::State => {
                let is_executor = self.values.first() == Some(&"executor");
                !is_executor && !self.is_of_tensor() && self.values.first() != Some(&"buffer")
            }
            Role::Annotation => !matches!(
                self.effect(),
                Effect::AllocateInPool
                    | Effect::FreeInPool
                    | Effect::RegisterRegions
                    | Effect::UnregisterRegions
            ),
            Role::Copy | Role::Copy2d | Role::Set | Role::Launch => false,
            Role::HostAccess | Role::MemoryInfo => false,
        }
    }
}

impl Function {
    /// Whether it returns an executor and the workspace that it needs.
    pub fn is_phase_one(&self) -> bool {
        self.attributes.is_phase_one
    }

    /// Whether it runs an operator's executor in a workspace.
    pub fn is_phase_two(&self) -> bool {
        self.attributes.is_phase_two
    }

    /// Whether it creates a tensor or gives one another address.
    pub fn is_of_tensor(&self) -> bool {
        self.attributes.is_of_tensor
    }

    /// Whether the host waits in it for a stream or a device.
    #[inline]
    pub fn is_wait(&self) -> bool {
        self.attributes.is_wait
    }

    /// Whether it has nothing to do with the order of work, not even as the end of a launch.
    #[inline]
    pub fn is_unordered(&self) -> bool {
        self.attributes.sync_role == SyncRole::Nothing
    }

    /// Whether it may use memory that its event does not name.
    #[inline]
    pub fn is_opaque(&self) -> bool {
        self.attributes.is_opaque
    }

    /// Whether it concerns stream-ordered pools.
    pub fn is_of_pool(&self) -> bool {
        self.attributes.is_of_pool
    }

    /// Whether it is a record, a wait or the like: it names no memory and creates nothing.
    #[inline]
    pub fn is_edge(&self) -> bool {
        self.attributes.is_edge
    }

    /// Whether the memory that it allocates is checked for races, and a fill of that memory can be queued.
    #[inline]
    pub fn has_queued_fills(&self) -> bool {
        self.attributes.has_queued_fills
    }

    /// Whether it records an event on a stream. Its values are the event and the stream.
    pub fn is_event_record(&self) -> bool {
        self.attributes.sync_role == SyncRole::Record
    }

    /// Whether a stream waits in it for an event. Its values are the stream and the event.
    pub fn is_event_wait(&self) -> bool {
        self.attributes.sync_role == SyncRole::Wait
    }

    /// Whether it concerns captured graphs.
    pub fn is_of_graph(&self) -> bool {
        self.attributes.is_of_graph
    }
}
