//! Converts rows to event logs, one per process, as the shim would have written them as far as the rows say.
//!
//! Driver allocations become `rtMalloc`, `aclrtMallocPhysical` or `aclrtMallocHost`: the rows do not have the caller. Sub-blocks of pools
//! are written as `mstx` regions; if a device has pool rows but no driver rows, they become blocks of their own. No log gets an end mark,
//! unless aclsan wrote the rows: what the driver keeps until the end would count as leaked.

use std::collections::{BTreeMap, HashMap, HashSet};

use aclsan_log::{BlockId, CallSiteId, Event};
use aclsan_rules::api::ascend;
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::{Role, function};

use super::row::{Device, Kind, Row, What};
use super::{Table, stack};
use crate::logs::readers::Imported;
use crate::logs::readers::recording::Recording;

/// Status for lack of memory (`ACL_ERROR_RT_MEMORY_ALLOCATION`).
const OUT_OF_MEMORY: i32 = 207_001;
/// Converts `table`, read from file `name`, into one log per process.
pub fn logs(table: &Table, name: &str) -> Vec<Imported> {
    let mut by_pid: BTreeMap<u32, Vec<&Row>> = BTreeMap::new();
    for row in &table.rows {
        by_pid.entry(row.pid).or_default().push(row);
    }
    let stacks = table.stacks.list();
    let logs = by_pid.into_iter().map(|(pid, rows)| {
        let mut converter = Converter::new(pid, &rows, &stacks, name);
        for row in rows {
            converter.convert(row);
        }
        converter.finish()
    });
    logs.collect()
}

struct Converter<'a> {
    log: Recording<u32>,
    pid: u32,
    began_ns: u64,
    stacks: &'a [(&'a str, &'a str)],
    /// Driver blocks by address: block, releasing function and device.
    live: HashMap<u64, (BlockId, &'static str, i32)>,
    /// Sub-blocks that are written as blocks.
    parts: HashMap<(Kind, u64), (BlockId, i32)>,
    /// Devices that have driver rows.
    driver_devices: HashSet<i32>,
    /// Open ranges by thread.
    ranges: HashMap<u32, Vec<u64>>,
    range: u64,
    /// The device that the previous row reset, and when.
    reset: Option<(i32, u64)>,
    written_by_aclsan: bool,
    is_finalized: bool,
    unmatched_releases: u64,
}

impl<'a> Converter<'a> {
    fn new(pid: u32, rows: &[&Row], stacks: &'a [(&'a str, &'a str)], name: &str) -> Self {
        let began_ns = rows.first().map_or(0, |row| row.ns);
        let given = rows.iter().filter_map(|row| match &row.what {
            What::Malloc { kind, function, .. } => Some((row.device, *kind, function)),
            _ => None,
        });
        let driver_devices = given
            .clone()
            .filter(|(_, kind, _)| matches!(kind, Kind::Hal | Kind::Created));
        Self {
            log: Recording::new(pid, began_ns, name, "a program under msMemScope"),
            pid,
            began_ns,
            stacks,
            live: HashMap::new(),
            parts: HashMap::new(),
            driver_devices: driver_devices.map(|(device, ..)| number(device)).collect(),
            ranges: HashMap::new(),
            range: 0,
            reset: None,
            written_by_aclsan: given.clone().count() > 0
                && given.clone().all(|(.., function)| function.is_some()),
            is_finalized: false,
            unmatched_releases: 0,
        }
    }

    fn convert(&mut self, row: &Row) {
        self.log.synth.at(row.ns - self.began_ns);
        let (device, before) = (number(row.device), self.reset.take());
        match &row.what {
            What::Malloc {
                kind: Kind::Pool(domain),
                address,
                size,
                total,
                ..
            } => {
                let part = (*domain, *address, *size, *total);
                self.part(row, part, device);
            }
            What::Malloc {
                kind,
                address,
                size,
                policy,
                function,
                ..
            } => {
                let (named, release) = call(*kind, function.as_deref());
                let device = if *kind == Kind::Pinned && function.is_none() {
                    -1
                } else {
                    device
                };
                let site = self.site(named, *policy, device, row.stack);
                let block = self.log.allocation(row.tid, site, (*address, *size));
                self.live.insert(*address, (block, release, device));
            }
            What::Free {
                kind: kind @ Kind::Pool(domain),
                address,
                ..
            } => {
                if let Some((block, device)) = self.parts.remove(&(*kind, *address)) {
                    let site = self.site("aclrtFree", 0, device, row.stack);
                    self.event(row.tid, Event::Release { block, site });
                } else {
                    let domain = self.text(domain);
                    self.call(
                        row,
                        "mstxMemRegionsUnregister",
                        device,
                        &[domain, 0, *address],
                    );
                }
            }
            What::Free {
                address, is_reset, ..
            } => {
                let Some((block, release, device)) = self.live.remove(address) else {
                    self.unmatched_releases += 1;
                    return;
                };
                if *is_reset {
                    // One reset freed all blocks of the same time.
                    if before != Some((device, row.ns)) {
                        self.call(
                            row,
                            "aclrtResetDeviceForce",
                            device,
                            &[device as u32 as u64],
                        );
                    }
                    self.reset = Some((device, row.ns));
                } else {
                    let site = self.site(release, 0, device, row.stack);
                    self.event(row.tid, Event::Release { block, site });
                }
            }
            What::Mark(message) => {
                let message = self.text(message);
                self.call(row, "mstxMarkA", device, &[0, message, 0]);
            }
            What::Start(message) => {
                let message = self.text(message);
                self.range += 1;
                let range = self.range;
                self.ranges.entry(row.tid).or_default().push(range);
                self.call(row, "mstxRangeStartA", device, &[0, message, 0, range]);
            }
            What::End => {
                if let Some(range) = self.ranges.get_mut(&row.tid).and_then(Vec::pop) {
                    self.call(row, "mstxRangeEnd", device, &[0, range]);
                }
            }
            What::OutOfMemory(size) => {
                let site = self.site("aclrtMalloc", 0, device, row.stack);
                let (size, status) = (*size, OUT_OF_MEMORY);
                self.event(row.tid, Event::AllocationFailed { site, size, status });
            }
            What::Memory(free, total) => {
                let site = self.site("aclrtGetMemInfo", 0, device, row.stack);
                let (free, total) = (*free, *total);
                self.event(row.tid, Event::Memory { site, free, total });
            }
            What::Finalized => self.is_finalized = true,
        }
    }

    fn part(
        &mut self,
        row: &Row,
        (domain, address, size, total): (&'static str, u64, u64, u64),
        device: i32,
    ) {
        if !self.driver_devices.contains(&device) {
            let site = self.site("rtMalloc", 0, device, row.stack);
            let block = self.log.allocation(row.tid, site, (address, size));
            self.parts
                .insert((Kind::Pool(domain), address), (block, device));
            return;
        }
        let (domain, at) = (self.text(domain), device as u32 as u64);
        if total > 0 {
            self.call(
                row,
                "mstxMemHeapRegister",
                device,
                &[domain, 0, 0, total, at],
            );
        }
        self.call(
            row,
            "mstxMemRegionsRegister",
            device,
            &[domain, 0, address, size, at, 0],
        );
    }

    fn call(&mut self, row: &Row, function: &'static str, device: i32, values: &[u64]) {
        let site = self.site(function, 0, device, row.stack);
        self.log.call(row.tid, site, values);
    }

    fn event(&mut self, tid: u32, event: Event) {
        self.log.event(tid, event);
    }

    fn site(
        &mut self,
        function: &'static str,
        argument: u32,
        device: i32,
        stack: u32,
    ) -> CallSiteId {
        let (python, native) = self.stacks.get(stack as usize).copied().unwrap_or_default();
        self.log.site((function, argument, device), stack, || {
            stack::frames(python, native)
        })
    }

    fn text(&mut self, text: &str) -> u64 {
        self.log.text(text)
    }

    fn finish(mut self) -> Imported {
        if self.written_by_aclsan && self.is_finalized {
            self.event(0, Event::Exit);
        }
        self.log
            .finish(self.pid.to_string(), self.unmatched_releases)
    }
}

fn number(device: Device) -> i32 {
    match device {
        Device::Npu(device) => device,
        Device::Host | Device::Unknown => -1,
    }
}

/// The allocating function, and the function that releases such blocks.
fn call(kind: Kind, named: Option<&str>) -> (&'static str, &'static str) {
    let known = named
        .and_then(function)
        .and_then(|function| match function.role {
            Role::Allocate(family) if family.is_memory() => Some((function.name, family)),
            _ => None,
        });
    let (name, family) = known.unwrap_or(match kind {
        Kind::Pinned => ("aclrtMallocHost", Family::Pinned),
        Kind::Created => ("aclrtMallocPhysical", Family::Physical),
        // Driver sizes are rounded already.
        Kind::Hal | Kind::Pool(_) => ("rtMalloc", Family::Device),
    });
    (name, (ascend::VENDOR.release)(family))
}
