//! Blocks that come and go, immediately and in stream order.

use super::per_thread::Released;
use super::persistent_streams::{PERSISTENT, UNBOUND};
use crate::api::function::SyncRole;
use aclsan_log::record::Values;

use super::access::{Access, Kind, Range, worst_race};
use super::epoch::HOST;
use super::pools::Wait;
use super::state::RaceDetector;
use crate::api::block::{AddressInfo, Block};
use crate::api::family::{Family, is_host_memory, is_race_checked};
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::evidence::race::{Race, RaceAccess, TimelineKind};
use crate::rules::{
    free_in_flight, host_buffer_reused_in_flight, pool_destroyed_live, use_after_stream_free,
    workspace_freed_in_flight,
};
use crate::trackers::objects::HeapView;

/// `ACL_EVENT_SYNC` and `ACL_EVENT_EXTERNAL`: unless the event is extended, a stream that waits for it waits for its next record.
const MARKED: u32 = 0x01 | 0x20;
/// `ACL_EVENT_IPC`: another process may record the event.
const INTERPROCESS: u32 = 0x40;

impl RaceDetector {
    /// A stream-ordered block was allocated.
    pub(super) fn pool_allocation(&mut self, call: &Call, values: &Values, view: &dyn HeapView) {
        let [address, size, pool, stream] = [0, 1, 2, 3].map(|index| values.get(index));
        if size > 0 {
            match self.pools.handed_out(pool, address, size) {
                Wait::For(sync_vars) => {
                    for sync_var in sync_vars {
                        self.timelines
                            .acquire_sync_var(stream, call.device, Some(sync_var));
                    }
                }
                Wait::Anything => self.timelines.acquire_all(stream, call.device),
            }
        }
        let epoch = self.queue(stream, call.device);
        let AddressInfo::Live(block, 0) = view.place(address) else {
            return;
        };
        self.graphs.owns(stream, block.id);
        if let Some(epoch) = epoch
            && block.family() == Family::Pool
        {
            let range = Range {
                address,
                extent: block.size,
                is_whole: true,
            };
            let access = self.access(call, epoch, range, Kind::Allocation);
            self.pooled.insert(block.id, access.side);
            self.accesses.add(block.id, access, &self.timelines);
        }
    }

    /// A live block or handle is about to be released.
    pub fn releasing(&mut self, call: &Call, block: &Block, thread: u32) -> Vec<Finding> {
        match block.family() {
            Family::Tensor => self.destroying(block),
            _ => match self.releasing_memory(call, block, thread) {
                None => Vec::new(),
                Some(finding) => vec![finding],
            },
        }
    }

    fn releasing_memory(&mut self, call: &Call, block: &Block, thread: u32) -> Option<Finding> {
        let family = block.family();
        match family {
            Family::Stream => {
                self.timelines.destroy(block.address);
                self.graphs.persistent.gone(block.address);
            }
            Family::Event => self.timelines.forget_event(block.address),
            Family::Notify => self.timelines.forget_notify(block.address),
            Family::CountNotify => self.semaphores.gone(block.address),
            Family::MemPool => self.pools.gone(block.address),
            Family::Registered => {
                self.registered.remove(&block.address);
            }
            _ => {}
        }
        if !is_race_checked(family) {
            return None;
        }
        self.semaphores.released(block.address, block.size);
        let pooled = self.pooled.remove(&block.id);
        let accesses = self.accesses.take(block.id);
        if call.function.attributes.sync_role == SyncRole::FreeOn {
            let block = *block;
            self.threads.entry(thread).freeing = Some(Released { block, accesses });
            return None;
        }
        if call.function.waits_for_device() {
            self.timelines.acquire_host_device(call.device);
        }
        if family == Family::Pool && call.family() == Some(Family::MemPool) {
            return Some(self.pool_destroyed(call, block, &accesses, pooled));
        }
        // A wrong release is another rule's. `aclrtFree` of a pool's block waits for nothing: any stream may get the
        // memory from then on, whatever the attributes (`SegmentFree(ptr, forceFree = true)`, runtime 681ef761).
        let is_own = call.family() == Some(family)
            || matches!(family, Family::Managed | Family::Pool)
                && call.family() == Some(Family::Device);
        if !is_own {
            return None;
        }
        let queued = accesses.iter().rev();
        let queued = queued.filter(|old| old.kind != Kind::Allocation);
        let queued = queued.filter(|old| !self.timelines.is_before(old.epoch, HOST));
        let old = worst_race(queued)?;
        self.faults.released(old.epoch, block, call.site);
        let race = Race {
            earlier: old.side,
            here: RaceAccess {
                call: *call,
                timeline_kind: TimelineKind::Host,
            },
            block,
            address: block.address,
            bytes: old.bytes(),
            gap: Some(self.gaps.between(block.id, old, HOST, &self.timelines)),
        };
        let finding = match old.kind {
            Kind::Workspace => workspace_freed_in_flight::check_release(&race),
            _ if is_host_memory(family) => host_buffer_reused_in_flight::check_released(&race),
            _ => free_in_flight::check(&race),
        };
        self.certain(finding, [old.tensor, 0])
    }

    /// A pool is destroyed with the block in it.
    fn pool_destroyed(
        &self,
        call: &Call,
        block: &Block,
        accesses: &[Access],
        pooled: Option<RaceAccess>,
    ) -> Finding {
        let mut queued = accesses.iter().rev();
        let queued =
            queued.find(|old| old.tensor == 0 && !self.timelines.is_before(old.epoch, HOST));
        let race = queued.map(|old| old.side).or(pooled).map(|earlier| Race {
            earlier,
            here: RaceAccess {
                call: *call,
                timeline_kind: TimelineKind::Host,
            },
            block,
            address: block.address,
            bytes: None,
            gap: None,
        });
        pool_destroyed_live::check(call, block, race.as_ref(), queued.is_none())
    }

    /// The stream-ordered release that this thread announced is queued.
    pub(super) fn freed_on(&mut self, call: &Call, stream: u64, thread: u32) -> Vec<Finding> {
        let epoch = self.queue(stream, call.device);
        let released = self.threads.entry(thread).freeing.take();
        if let Some(Released { block, .. }) = &released
            && block.family() == Family::Pool
        {
            let sync_var = epoch.map(|_| self.timelines.sync_var(stream, call.device));
            self.pools.freed(block.address, block.size, sync_var);
        }
        let (Some(epoch), Some(Released { block, accesses })) = (epoch, released) else {
            return Vec::new();
        };
        let old = accesses
            .iter()
            .rev()
            .find(|old| old.tensor == 0 && !self.timelines.is_before(old.epoch, epoch.timeline));
        let finding = old.map(|old| {
            let race = Race {
                earlier: old.side,
                here: RaceAccess {
                    call: *call,
                    timeline_kind: self.timelines.kind_of(epoch.timeline),
                },
                block: &block,
                address: block.address,
                bytes: old.bytes(),
                gap: Some(
                    self.gaps
                        .between(block.id, old, epoch.timeline, &self.timelines),
                ),
            };
            use_after_stream_free::check(&race)
        });
        Vec::from_iter(finding)
    }
}

impl RaceDetector {
    /// Nobody has recorded an event that this process creates: waits for it return at once, or are refused.
    pub(super) fn made_event(&mut self, call: &Call, block: &Block) {
        let may_wait_for_others = match call.function.attributes.sync_role {
            SyncRole::OpenEvent => true,
            SyncRole::MakeExtendedEvent => call.argument & INTERPROCESS != 0,
            _ => call.argument & (MARKED | INTERPROCESS) != 0,
        };
        match may_wait_for_others {
            true => self.timelines.forget_event(block.address),
            false => self.timelines.create_event(block.address),
        }
    }

    /// A stream was created. The flag of a persistent stream is recorded.
    pub(super) fn made_stream(&mut self, call: &Call, block: &Block) {
        match call.function.attributes.sync_role {
            // Whether it is persistent is hidden in its attributes.
            SyncRole::MakeStream => self.timelines.destroy(block.address),
            _ => self.timelines.create(block.address, call.device),
        }
        match call.argument & PERSISTENT != 0 {
            true => drop(self.graphs.persistent.parts.insert(block.address, UNBOUND)),
            false => self.graphs.persistent.gone(block.address),
        }
    }
}
