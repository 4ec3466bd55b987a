//! Facts about each call site that replay needs at every event, looked up once.

use std::collections::HashMap;

use aclsan_log::record::BLOCK_SAMPLE;
use aclsan_log::{CallSiteId, Log};
use aclsan_render::model::Paging;
use aclsan_rules::api::block::Block;
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::{Call, Function};
use aclsan_rules::api::functions::{Role, function};
use aclsan_rules::api::profile::Profile;
use aclsan_rules::evidence::suballocation::PlacementRules;
use aclsan_rules::judge;
use aclsan_rules::trackers::heap::LiveBlock;

pub mod buffered_histogram;
pub mod calls;
pub mod growth;
pub mod histogram;
pub mod hot_calls;
pub mod last_key_map;
mod sampled;
pub mod stats;

use crate::replay::counted::Counted;
use crate::replay::profile;
use calls::{HotCall, Kind};
use sampled::WholeStacks;

/// Facts by site number.
pub struct Sites {
    facts: Vec<Fact>,
    /// Apart from the rest, as the accounting reads them at every event.
    traits: Vec<SiteTraits>,
}

#[derive(Clone, Copy)]
struct Fact {
    call: Option<Call>,
    same: CallSiteId,
    /// Only the caller was recorded; the stack is that of `same`.
    is_cut: bool,
    function: usize,
    device: i32,
}

/// How blocks from one site are counted.
#[derive(Clone, Copy)]
pub struct SiteTraits {
    /// The allocation site: see [`Sites::canonical`].
    pub place: CallSiteId,
    /// The device; −1 if unknown.
    pub device: i32,
    /// Index of the family in `Family::MEMORY`.
    pub line: Option<u8>,
    /// Whether its blocks are plain memory: see [`judge::is_plain`].
    pub is_plain: bool,
    /// Whether host code may access them.
    pub is_host: bool,
    /// How many device pages a block takes and of which class, if known.
    pub paging: Option<Paging>,
    /// Whether it is device memory: see [`Family::is_of_device`].
    pub is_of_device: bool,
    /// Whether it is of [`Family::Device`].
    pub is_device_family: bool,
    /// Whether the policy forbids a smaller page.
    pub is_forced: bool,
    /// Whether the device's final reset frees it.
    pub is_dropped_by_reset: bool,
    /// Device and family; 0 if the blocks do not count for a device's pages.
    sums: u64,
}

// One is read for every event, in random order.
const _: () = assert!(size_of::<SiteTraits>() == 32);

impl SiteTraits {
    /// The device whose memory a block of this site is; `None` for host memory.
    #[inline(always)]
    pub fn device_of(&self) -> Option<i32> {
        self.is_of_device.then_some(self.device)
    }

    /// Whether its blocks change sums of bytes of a device, of its pages and of the process.
    #[inline(always)]
    pub fn has_device_sums(&self) -> bool {
        self.sums != 0
    }

    /// Whether blocks of both sites change the same of these.
    #[inline(always)]
    pub fn shares_sums(&self, other: &Self) -> bool {
        self.sums == other.sums
    }

    fn of(call: Option<&Call>, place: CallSiteId, device: i32, profile: &Profile) -> Self {
        let family = call.and_then(|call| call.function.family());
        let family = family.unwrap_or(Family::Device);
        let policy = call.map_or(0, |call| call.argument);
        let paging = call.and_then(|call| Paging::of(call.function, policy, profile));
        let has_all = paging.is_some() && family.is_of_device();
        let sums = (u64::from(device.cast_unsigned()) << 32) | (family as u64 + 1);
        Self {
            place,
            device,
            line: (0..)
                .zip(Family::MEMORY)
                .find_map(|(at, other)| (other == family).then_some(at)),
            is_plain: judge::is_plain(family),
            is_host: family.is_host(),
            paging,
            sums: if has_all { sums } else { 0 },
            is_of_device: family.is_of_device(),
            is_device_family: family == Family::Device,
            is_forced: family == Family::Device && matches!(policy, 1 | 4 | 6 | 7),
            is_dropped_by_reset: family.is_dropped_by_reset(),
        }
    }
}

/// What a function does, if it is called often: allocates or releases plain memory, queues a fill, or records, waits and the like, which
/// only stream order and the clock of waits observe.
fn hot_call(function: &Function) -> Option<Kind> {
    if function.is_edge() && !function.is_opaque() {
        return Some(match () {
            () if function.is_event_record() => Kind::Record,
            () if function.is_event_wait() => Kind::Wait,
            () => Kind::Edge,
        });
    }
    match function.role {
        Role::Allocate(family) => judge::is_plain(family).then_some(Kind::Allocation),
        Role::Release(family) => {
            let is_plain = judge::is_plain(family) && !function.name.ends_with("WithDevSync");
            is_plain.then_some(Kind::Release)
        }
        Role::Set => function.is_async.then_some(Kind::Fill),
        _ => None,
    }
}

impl Sites {
    /// Looks up every site of `log`. Also returns the names of the log's functions, which sites refer to by index.
    pub fn new(log: &Log) -> (Self, Vec<String>) {
        let mut names: Vec<String> = vec![String::new()];
        let mut indices: HashMap<String, usize> = HashMap::from([(String::new(), 0)]);
        let mut known: Vec<Option<&'static Function>> = vec![None];
        let mut first: HashMap<(usize, &[u64]), CallSiteId> = HashMap::new();
        let whole = WholeStacks::of(log);
        let profile = profile(log);
        let nowhere = Fact {
            call: None,
            same: CallSiteId(0),
            is_cut: false,
            function: 0,
            device: -1,
        };
        let mut facts = vec![nowhere];
        let mut traits = vec![SiteTraits::of(None, CallSiteId(0), -1, &profile)];
        // Site 0 is "unknown", whatever the reader returns for it.
        for id in (1..log.site_count() as u32).map(CallSiteId) {
            let site = log.site(id);
            let name = log.function(id);
            let index = *indices.entry(name.to_owned()).or_insert_with(|| {
                names.push(name.to_owned());
                known.push(function(name));
                names.len() - 1
            });
            let call = known[index].map(|function| Call {
                function,
                site: id,
                argument: site.argument,
                device: site.device,
            });
            let whole = whole.of_caller(name, &site.frames);
            let is_cut = whole.is_some();
            let frames = whole.unwrap_or(&site.frames);
            let same = *first.entry((index, frames)).or_insert(id);
            facts.push(Fact {
                call,
                same,
                is_cut,
                function: index,
                device: site.device,
            });
            traits.push(SiteTraits::of(call.as_ref(), same, site.device, &profile));
        }
        if log.properties.contains_key(BLOCK_SAMPLE) {
            // Nobody knows the memory between recorded blocks.
            for traits in &mut traits {
                (traits.paging, traits.sums) = (None, 0);
            }
        }
        let mut sites = Self { facts, traits };
        sites.prefer_whole();
        (sites, names)
    }

    /// Keeps what `earlier`, a shorter list of the same log, says: what is counted under a site stays there.
    pub fn keep(&mut self, earlier: &Self) {
        let known = earlier.facts.len().min(self.facts.len());
        self.facts[..known].copy_from_slice(&earlier.facts[..known]);
        self.traits[..known].copy_from_slice(&earlier.traits[..known]);
    }

    /// Of sites with one stack, the first that recorded it represents them all.
    fn prefer_whole(&mut self) {
        let mut whole: HashMap<CallSiteId, CallSiteId> = HashMap::new();
        for (id, fact) in (0..).map(CallSiteId).zip(&self.facts) {
            if !fact.is_cut {
                whole.entry(fact.same).or_insert(id);
            }
        }
        for (fact, traits) in self.facts.iter_mut().zip(&mut self.traits) {
            if let Some(&id) = whole.get(&fact.same) {
                (fact.same, traits.place) = (id, id);
            }
        }
    }

    /// Whether only the caller was recorded there, by sampling, and its stack is inferred.
    pub fn is_cut(&self, id: CallSiteId) -> bool {
        self.fact(id).is_cut
    }

    /// The site with the whole stack, if that of `id` was cut; else `id`.
    pub fn whole(&self, id: CallSiteId) -> CallSiteId {
        match self.fact(id) {
            fact if fact.is_cut => fact.same,
            _ => id,
        }
    }

    #[inline]
    fn fact(&self, id: CallSiteId) -> &Fact {
        self.facts.get(id.0 as usize).unwrap_or(&self.facts[0])
    }

    /// The call, if its function is known and `fits`. A damaged log can pair any event with any site.
    #[inline]
    pub fn call(&self, id: CallSiteId, fits: impl FnOnce(Role) -> bool) -> Option<Call> {
        self.fact(id).call.filter(|call| fits(call.function.role))
    }

    /// Counters for the site, if it is hot.
    pub fn hot_call(&self, id: CallSiteId, profile: &Profile) -> Option<HotCall> {
        let fact = self.fact(id);
        let call = fact.call?;
        let kind = hot_call(call.function)?;
        Some(HotCall::new(kind, call, fact.function, profile))
    }

    /// How its blocks are counted.
    #[inline]
    pub fn traits(&self, id: CallSiteId) -> &SiteTraits {
        self.traits.get(id.0 as usize).unwrap_or(&self.traits[0])
    }

    /// A counted block as the heap has it; `None` if its site allocates nothing.
    pub fn live_block(&self, held: &Counted) -> Option<LiveBlock> {
        let call = self.fact(held.site).call?;
        Some(LiveBlock {
            block: Block::of(&call, held.id, held.address, held.size),
            since_ns: held.since_ns,
            thread: held.thread,
            is_named: held.is_named,
            order: held.order,
            bytes: held.bytes,
        })
    }

    /// The first site with the same function and stack: sites that differ only in an argument or device are one allocation site.
    pub fn canonical(&self, id: CallSiteId) -> CallSiteId {
        self.fact(id).same
    }

    /// Index of the name of its function.
    #[inline]
    pub fn function(&self, id: CallSiteId) -> usize {
        self.fact(id).function
    }

    /// Its device; −1 if unknown.
    pub fn device(&self, id: CallSiteId) -> i32 {
        self.fact(id).device
    }

    /// What sub-blocks of a block must satisfy, given the policy of its allocation.
    pub fn duty(&self, block: &Block, profile: &Profile) -> Option<PlacementRules> {
        let policy = self.fact(block.site).call.map_or(0, |call| call.argument);
        PlacementRules::of(block, policy, profile)
    }

    /// Number of sites.
    pub fn len(&self) -> usize {
        self.facts.len()
    }
}
