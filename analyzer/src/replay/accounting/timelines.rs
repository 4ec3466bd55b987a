//! Live bytes over time: of the process, and of each device if it uses several.

use std::collections::BTreeMap;

use aclsan_render::model::{Point, Quiet, Sampler};

/// The timelines. One device has that of the process, which costs nothing more.
#[derive(Default)]
pub struct Timelines {
    all: Sampler,
    /// The first device that has a block.
    first: Option<i32>,
    /// Of all devices, once there is a second. Families of host memory in them mean nothing.
    devices: BTreeMap<i32, Sampler>,
}

impl Timelines {
    /// The live bytes of a family become `live`, because of a block of `device`; `None` for host memory.
    #[inline(always)]
    pub fn change(&mut self, ns: u64, line: usize, live: u64, device: Option<i32>) {
        if let Some(device) = device
            && (self.first != Some(device) || !self.devices.is_empty())
        {
            self.change_device(ns, line, live, device);
        }
        self.all.change_line(ns, line, live);
    }

    /// Whether a device's timeline is that of the process.
    #[inline(always)]
    pub fn is_only(&self, device: i32) -> bool {
        self.first == Some(device) && self.devices.is_empty()
    }

    /// Changes of a family, by blocks of the only device, that keep no point.
    #[inline(always)]
    pub fn quiet(&self, line: usize) -> Quiet {
        self.all.quiet(line)
    }

    /// The live bytes of a family are `live` after several changes, all of them quiet.
    #[inline(always)]
    pub fn change_quietly(&mut self, ns: u64, line: usize, live: u64, changes: u64) {
        self.all.change_quietly(ns, line, live, changes);
    }

    #[cold]
    #[inline(never)]
    fn change_device(&mut self, ns: u64, line: usize, live: u64, device: i32) {
        let first = *self.first.get_or_insert(device);
        if first == device && self.devices.is_empty() {
            return;
        }
        if self.devices.is_empty() {
            self.devices.insert(first, self.all.clone());
        }
        let one = self.devices.entry(device).or_default();
        let of_device = one.live(line).saturating_add(live);
        one.change_line(ns, line, of_device.saturating_sub(self.all.live(line)));
    }

    /// The points of the process.
    pub fn points(&self) -> Vec<Point> {
        self.all.points()
    }

    /// The points of each device, if there are several.
    pub fn device_points(&self) -> Vec<(i32, Vec<Point>)> {
        let devices = self.devices.iter();
        devices
            .map(|(&device, one)| (device, one.points()))
            .collect()
    }
}
