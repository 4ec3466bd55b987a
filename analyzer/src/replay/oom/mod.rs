//! Allocations refused for lack of memory: what was free, and who had the rest.

pub mod fit;

use aclsan_log::CallSiteId;
use aclsan_render::model::{Cause, Page, Pinning, Space};
use aclsan_rules::api::functions::Call;
use aclsan_rules::evidence::waste::Refusal;
use aclsan_rules::rules::fragmented::is_picky;

use super::sites::last_key_map::LastKeyMap;
use super::totals::Sum;

/// Statuses for lack of memory: `ACL_ERROR_RT_MEMORY_ALLOCATION`, `ACL_ERROR_RT_DEVICE_OOM`, `ACL_ERROR_BAD_ALLOC`.
pub const OUT_OF_MEMORY: [i32; 3] = [207_001, 207_018, 200_000];
/// Attributes of `aclrtGetMemInfo` for all memory of a device, not one kind of page: `ACL_DDR_MEM`, `ACL_HBM_MEM`.
const WHOLE_DEVICE: [u32; 2] = [0, 1];
/// Sites whose refusals are examined.
const MAX_SITES: usize = 16;
/// Largest holders of memory that are reported.
pub const MAX_CONSUMERS: usize = 5;
/// Largest distance in time between a refusal and the runtime's report of free memory.
const MAX_DISTANCE_NS: u64 = 1_000_000_000;

/// Free memory as the runtime reported it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RuntimeMemInfo {
    /// Free bytes.
    pub free: u64,
    /// All bytes.
    pub total: u64,
    /// When it was reported.
    pub ns: u64,
    /// Page bytes taken since.
    pub taken: u64,
    /// Page bytes returned since.
    pub returned: u64,
    /// Page bytes of this process then.
    pub ours: u64,
}

/// What this process uses of a device.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Device {
    /// Bytes of pages.
    pub pages: u64,
    /// Bytes of redzones among them.
    pub guards: u64,
    /// The largest granted request.
    pub largest: u64,
    mem_info: Option<RuntimeMemInfo>,
    /// The latest refusal, while no page was taken or returned since.
    pending: Option<usize>,
}

impl Device {
    /// What the runtime reported last.
    pub fn mem_info(&self) -> Option<RuntimeMemInfo> {
        self.mem_info
    }
}

/// A refused allocation.
#[derive(Clone, PartialEq, Debug)]
pub struct RefusedAllocation {
    /// The call.
    pub call: Call,
    /// The calling thread.
    pub thread: u32,
    /// When it was reported.
    pub ns: u64,
    /// Refusals at this call site.
    pub count: u64,
    /// Bytes requested.
    pub size: u64,
    /// The runtime's status.
    pub status: i32,
    /// The page class that it would have had.
    pub page: Option<Page>,
    /// Page bytes that it needed.
    pub needed: u64,
    /// The device then.
    pub device: Device,
    /// Bytes live then.
    pub live: u64,
    /// Holes of its page class.
    pub space: Space,
    /// Sites whose blocks separate the holes.
    pub pinners: Vec<Pinning>,
    /// Sites with most live bytes.
    pub consumers: Vec<(CallSiteId, Sum)>,
    /// The runtime's report nearest in time.
    pub mem_info: Option<RuntimeMemInfo>,
    /// The cause.
    pub cause: Cause,
}

/// Tracks device use and refusals.
#[derive(Default)]
pub struct OomTracker {
    devices: LastKeyMap<i32, Device>,
    /// Refusals, by call site.
    pub list: Vec<RefusedAllocation>,
}

impl OomTracker {
    /// Page bytes were taken on a device, `guards` of them for redzones; `granted` is the request, 0 if there was none.
    #[inline]
    pub fn on_pages_taken(&mut self, device: i32, pages: u64, guards: u64, granted: u64) {
        let device = self.devices.of(device);
        device.pages = device.pages.saturating_add(pages);
        device.guards = device.guards.saturating_add(guards);
        device.largest = device.largest.max(granted);
        device.pending = None;
        if let Some(mem_info) = &mut device.mem_info {
            mem_info.taken = mem_info.taken.saturating_add(pages);
        }
    }

    /// Page bytes were returned.
    #[inline]
    pub fn on_pages_returned(&mut self, device: i32, pages: u64, guards: u64) {
        let device = self.devices.of(device);
        device.pages = device.pages.saturating_sub(pages);
        device.guards = device.guards.saturating_sub(guards);
        device.pending = None;
        if let Some(mem_info) = &mut device.mem_info {
            mem_info.returned = mem_info.returned.saturating_add(pages);
        }
    }

    /// What several calls of [`OomTracker::on_pages_taken`] and [`OomTracker::on_pages_returned`] do, without redzones; `granted` is the
    /// largest request.
    #[inline]
    pub fn on_pages_changed(&mut self, device: i32, (taken, returned): (u64, u64), granted: u64) {
        let device = self.devices.of(device);
        device.pages = device.pages.saturating_add(taken).saturating_sub(returned);
        device.largest = device.largest.max(granted);
        device.pending = None;
        if let Some(mem_info) = &mut device.mem_info {
            mem_info.taken = mem_info.taken.saturating_add(taken);
            mem_info.returned = mem_info.returned.saturating_add(returned);
        }
    }

    /// The runtime reported free memory, for `attribute`.
    pub fn on_mem_info(&mut self, device: i32, attribute: u32, (free, total): (u64, u64), ns: u64) {
        if !WHOLE_DEVICE.contains(&attribute) || total == 0 {
            return;
        }
        let device = self.devices.of(device);
        let mem_info = RuntimeMemInfo {
            free,
            total,
            ns,
            ours: device.pages,
            ..RuntimeMemInfo::default()
        };
        device.mem_info = Some(mem_info);
        if let Some(at) = device.pending.take() {
            let refused = &mut self.list[at];
            let is_better = refused.mem_info.is_none_or(|before| {
                let is_doubtful = (before.taken, before.returned) != (0, 0);
                is_doubtful || mem_info.ns.abs_diff(refused.ns) <= before.ns.abs_diff(refused.ns)
            });
            if is_better {
                refused.mem_info = Some(mem_info);
                refused.cause = refused.classify();
            }
        }
    }

    /// The free bytes that the runtime had reported less than a second earlier, if fewer than the `pages` that it has now given out: it
    /// returned its caches for them, or another process did.
    pub fn beyond_free(&self, device: i32, pages: u64, ns: u64) -> Option<u64> {
        let mem_info = self.devices.get(device)?.mem_info?;
        // These pages are counted as taken already.
        let taken = mem_info.taken.saturating_sub(pages);
        let free = mem_info.free.saturating_add(mem_info.returned);
        let free = free.saturating_sub(taken);
        (ns.abs_diff(mem_info.ns) <= MAX_DISTANCE_NS && free < pages).then_some(free)
    }

    /// The device was reset: what the runtime reported before says nothing any more.
    pub fn on_reset(&mut self, device: i32) {
        self.devices.of(device).mem_info = None;
    }

    /// All devices of which anything is known.
    pub fn devices(&self) -> impl Iterator<Item = (i32, &Device)> {
        self.devices.iter()
    }

    /// The use of a device.
    pub fn device(&self, device: i32) -> Device {
        self.devices.get(device).copied().unwrap_or_default()
    }

    /// Whether the next refusal is worth examining: `same` says whether a call is at the same site.
    pub fn is_new(&mut self, same: impl Fn(&Call) -> bool) -> bool {
        match self.list.iter_mut().find(|known| same(&known.call)) {
            Some(known) => {
                known.count += 1;
                false
            }
            None => self.list.len() < MAX_SITES,
        }
    }

    /// An allocation was refused.
    pub fn refused(&mut self, mut refused: RefusedAllocation) {
        let device = self.devices.of(refused.call.device);
        refused.mem_info = device.mem_info;
        refused.cause = refused.classify();
        device.pending = Some(self.list.len());
        self.list.push(refused);
    }
}

impl RefusedAllocation {
    /// The rule's evidence; `None` without a report of free memory.
    pub fn evidence(&self) -> Option<Refusal> {
        let mem_info = self.mem_info?;
        Some(Refusal {
            size: self.size,
            status: self.status,
            free: mem_info.free,
            taken: mem_info.taken,
            apart_ns: mem_info.ns.abs_diff(self.ns),
            is_after: mem_info.ns > self.ns,
        })
    }

    fn classify(&self) -> Cause {
        let Some(mem_info) = self.mem_info else {
            return Cause::Unknown;
        };
        if mem_info.ns.abs_diff(self.ns) > MAX_DISTANCE_NS {
            return Cause::Unknown;
        }
        let highest = mem_info
            .free
            .saturating_sub(mem_info.taken)
            .saturating_add(mem_info.returned);
        let lowest = mem_info.free.saturating_sub(mem_info.taken);
        let others = mem_info
            .total
            .saturating_sub(mem_info.free)
            .saturating_sub(mem_info.ours);
        let short = self.needed.saturating_sub(highest);
        match () {
            () if short > 0 && self.device.guards >= short => Cause::Guards,
            () if short > 0 && others >= short && others > self.device.pages => Cause::OtherProcess,
            () if short > 0 => Cause::Shortage,
            () if lowest < self.size.saturating_mul(2) => Cause::Unknown,
            () if is_picky(self.call.argument) => Cause::PageClass,
            () => Cause::Fragmentation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aclsan_rules::api::functions::function;

    const GIB: u64 = 1 << 30;

    fn refused(policy: u32, size: u64) -> RefusedAllocation {
        RefusedAllocation {
            call: Call {
                function: function("aclrtMalloc").unwrap(),
                site: CallSiteId(1),
                argument: policy,
                device: 0,
            },
            thread: 1,
            ns: 100,
            count: 1,
            size,
            status: 207_001,
            page: Some(Page::Huge),
            needed: size,
            device: Device::default(),
            live: 0,
            space: Space::of(Vec::new()),
            pinners: Vec::new(),
            consumers: Vec::new(),
            mem_info: None,
            cause: Cause::Unknown,
        }
    }

    /// The cause of a refusal of `size` on a 10 GiB device with `free` bytes free, after this process took `ours`.
    fn cause(policy: u32, size: u64, free: u64, ours: u64, guards: u64) -> Cause {
        let mut oom = OomTracker::default();
        oom.on_pages_taken(0, ours, guards, 0);
        oom.on_mem_info(0, 1, (free, 10 * GIB), 50);
        let device = oom.device(0);
        oom.refused(RefusedAllocation {
            device,
            ..refused(policy, size)
        });
        oom.list[0].cause
    }

    #[test]
    fn each_cause_has_its_evidence() {
        // 2 GiB requested, 1 free: 1 short. Of 9 taken 8 are ours, 1 others'; then 3 ours and 6 others'.
        assert_eq!(cause(0, 2 * GIB, GIB, 8 * GIB, 0), Cause::Shortage);
        assert_eq!(cause(0, 2 * GIB, GIB, 3 * GIB, 0), Cause::OtherProcess);
        assert_eq!(cause(0, 2 * GIB, GIB, 8 * GIB, GIB), Cause::Guards);
        assert_eq!(cause(0, 2 * GIB, 4 * GIB, 6 * GIB, 0), Cause::Fragmentation);
        assert_eq!(cause(1, 2 * GIB, 4 * GIB, 6 * GIB, 0), Cause::PageClass);
        assert_eq!(cause(0, 2 * GIB, 3 * GIB, 6 * GIB, 0), Cause::Unknown);
    }

    #[test]
    fn a_report_counts_with_what_was_taken_since_or_if_it_follows_at_once() {
        let mut oom = OomTracker::default();
        oom.on_mem_info(0, 1, (4 * GIB, 10 * GIB), 50);
        oom.on_pages_taken(0, 3 * GIB, 0, 3 * GIB);
        oom.refused(refused(0, 2 * GIB));
        // 4 less 3: 1 short of 2; others have 6.
        assert_eq!(oom.list[0].cause, Cause::OtherProcess);
        oom.on_mem_info(0, 5, (9 * GIB, 10 * GIB), 110); // of normal pages only
        oom.on_mem_info(0, 1, (4 * GIB, 10 * GIB), 120);
        assert_eq!(oom.list[0].cause, Cause::Fragmentation);
        assert!(oom.list[0].evidence().unwrap().is_after);
        oom.on_mem_info(0, 1, (GIB, 10 * GIB), 130);
        assert_eq!(oom.list[0].cause, Cause::Fragmentation);
    }

    #[test]
    fn of_two_clear_reports_the_nearer_counts() {
        let mut oom = OomTracker::default();
        oom.on_mem_info(0, 1, (GIB, 10 * GIB), 90);
        oom.refused(refused(0, 2 * GIB)); // at 100
        oom.on_mem_info(0, 1, (9 * GIB, 10 * GIB), 111);
        assert_eq!(oom.list[0].cause, Cause::OtherProcess);
        assert_eq!(oom.list[0].mem_info.unwrap().ns, 90);
    }

    #[test]
    fn what_is_given_out_beyond_what_was_free_is_noticed() {
        let mut oom = OomTracker::default();
        assert_eq!(oom.beyond_free(0, GIB, 60), None, "nothing was reported");
        oom.on_mem_info(0, 1, (4 * GIB, 10 * GIB), 50);
        oom.on_pages_taken(0, 3 * GIB, 0, 3 * GIB);
        assert_eq!(oom.beyond_free(0, 3 * GIB, 60), None, "3 of 4");
        oom.on_pages_taken(0, 2 * GIB, 0, 2 * GIB);
        // 4 less 3 were free, and 2 were given out.
        assert_eq!(oom.beyond_free(0, 2 * GIB, 60), Some(GIB));
        assert_eq!(oom.beyond_free(0, 2 * GIB, 1_000_000_051), None, "old");
        oom.on_pages_returned(0, 3 * GIB, 0);
        assert_eq!(oom.beyond_free(0, 2 * GIB, 60), None, "3 came back");
    }

    #[test]
    fn without_a_report_or_with_an_old_one_nothing_is_claimed() {
        let mut oom = OomTracker::default();
        oom.refused(refused(0, GIB));
        assert_eq!(oom.list[0].cause, Cause::Unknown);
        let mut oom = OomTracker::default();
        oom.on_mem_info(0, 1, (4 * GIB, 10 * GIB), 0);
        oom.refused(RefusedAllocation {
            ns: 1_000_000_001,
            ..refused(0, GIB)
        });
        assert_eq!(oom.list[0].cause, Cause::Unknown);
    }
}
