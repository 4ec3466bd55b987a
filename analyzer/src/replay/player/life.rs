//! Devices set and reset, the process at its end.

use aclsan_log::SiteId;
use aclsan_rules::functions::Role;
use aclsan_rules::heap::Held;
use aclsan_rules::judge;

use super::Player;

impl Player {
    pub(super) fn call(&mut self, site: SiteId, first: u64, status: i32) {
        self.calls.called(&self.sites, site);
        if status != 0 {
            self.calls.refused(&self.sites, site, status, 0);
            return;
        }
        let Some(call) = self.sites.call(site, |_| true) else {
            self.unknown_functions += 1;
            return;
        };
        let device = first as u32 as i32;
        match call.function.role {
            Role::SetDevice => self.set_device(device, site),
            Role::ResetDevice => {
                let dropped = self.heap.reset_device(device, site);
                self.reset(&dropped, site);
            }
            Role::ResetDeviceForce => {
                let dropped = self.heap.reset_device_force(device, site);
                self.reset(&dropped, site);
            }
            Role::Finalize => self.is_complete = true,
            _ => {}
        }
    }

    pub(super) fn set_device(&mut self, device: i32, site: SiteId) {
        self.heap.set_device(device);
        let (ns, tid) = self.now;
        for group in self.dropped.take(device, &self.sites) {
            let reset = group.reset.map_or(SiteId(0), |(site, _)| site);
            if let Some(finding) = judge::set_again(&group.first.block, reset, site) {
                self.findings
                    .add(&self.sites, finding, group.blocks, ns, tid);
            }
        }
    }

    pub(super) fn reset(&mut self, dropped: &[Held], site: SiteId) {
        let ns = self.now.0;
        for held in dropped {
            self.usage.depart(held, &self.sites, ns, false);
        }
        self.dropped.add(dropped, site, ns);
    }
}
