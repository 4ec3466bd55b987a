//! Devices set and reset, the process at its end.

use aclsan_log::{SiteId, Values};
use aclsan_rules::Call;
use aclsan_rules::functions::Role;
use aclsan_rules::heap::Held;
use aclsan_rules::judge;

use super::Player;

impl Player {
    pub(super) fn call(&mut self, site: SiteId, values: &Values, status: i32) {
        let call = self.sites.call(site, |_| true);
        // What a call has made is on record before the call is.
        if !call.is_some_and(|call| matches!(call.function.role, Role::Allocate(_))) {
            self.calls.called(&self.sites, site);
        }
        if let Some(call) = &call {
            self.ask(|ledger, scene| ledger.called(call, values, status, scene));
        }
        if status != 0 {
            self.calls.refused(&self.sites, site, status, 0);
            return;
        }
        let Some(call) = call else {
            self.unknown_functions += 1;
            return;
        };
        let device = values.get(0) as u32 as i32;
        match call.function.role {
            Role::SetDevice => self.set_device(device, site),
            Role::ResetDevice => {
                if let Some(dropped) = self.heap.reset_device(device, site) {
                    self.reset(&call, device, &dropped);
                }
            }
            Role::ResetDeviceForce => {
                let dropped = self.heap.reset_device_force(device, site);
                self.reset(&call, device, &dropped);
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

    pub(super) fn reset(&mut self, call: &Call, device: i32, dropped: &[Held]) {
        let (ns, site) = (self.now.0, call.site);
        self.ledger.reset(call, device);
        for held in dropped {
            self.usage.depart(held, &self.sites, ns, false);
        }
        self.dropped.add(dropped, site, ns);
    }
}
