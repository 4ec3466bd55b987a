//! Calls: devices set and reset, annotations, the end of the process.

use aclsan_log::{CallSiteId, Values};
use aclsan_rules::api::block::AddressInfo;
use aclsan_rules::api::functions::Call;
use aclsan_rules::api::functions::Role;
use aclsan_rules::judge;
use aclsan_rules::trackers::heap::LiveBlock;

use super::Player;
use crate::replay::annotations::{self, Annotations};
use crate::replay::leaks::AtEnd;

impl Player {
    pub(super) fn call(&mut self, site: CallSiteId, values: &Values, status: i32) {
        let call = self.sites.call(site, |_| true);
        if let Some(call) = call.filter(|call| call.function.is_edge() && status == 0) {
            return self.edge(&call, values);
        }
        self.mark_used(values.all());
        if let Some(call) = &call {
            self.watch(call);
        }
        if let Some(call) = call.filter(|call| call.function.role == Role::Annotation) {
            self.ask(|objects, scene| objects.called(&call, values, status, &scene));
            return self.annotated(&call, values);
        }
        // For a successful allocation or release this only adds details: the other event has counted it.
        let is_more = status == 0
            && call.is_some_and(|call| {
                matches!(call.function.role, Role::Allocate(_) | Role::Release(_))
            });
        if !is_more {
            self.calls.called(&self.sites, site);
        }
        if let Some(call) = &call {
            if status == 0 && call.function.is_of_pool() {
                self.annotate(|annotations, context| annotations.pooled(call, values, context));
            }
            if call.function.is_of_graph() {
                self.annotations.graph_called(call, values, status);
            }
            if status == 0 {
                self.operands.called(call, values);
                if call.function.is_of_tensor() {
                    self.written.tensor_made();
                }
                self.annotations.described(call, values);
            }
            if call.function.role == Role::Launch {
                self.written.launched_at(self.now.1);
            }
            self.ask(|objects, scene| objects.called(call, values, status, &scene));
            let finding = self.guard_pages.called(call, values, status);
            self.found(finding);
            if status != 0 && !self.guard_pages.explains_last_error() {
                self.ask_order(|order, _, scene| order.fault(call, values, status, scene));
            }
            self.ask_order(|order, thread, scene| {
                order.called(call, values, status, thread, scene)
            });
            if call.function.role == Role::Send {
                self.sent(values, status);
            }
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
        if let Some(dropped) = self.heap.called(call.function, values, site, self.now.0) {
            self.reset(&call, device, &dropped);
        }
        match call.function.role {
            Role::SetDevice => self.set_again(device, site),
            Role::Finalize => (self.is_complete, self.is_finalized) = (true, true),
            _ => {}
        }
    }

    /// A successful record, wait or the like: only stream order and guard pages observe it.
    fn edge(&mut self, call: &Call, values: &Values) {
        self.calls.called(&self.sites, call.site);
        self.watch(call);
        self.ask_order(|order, thread, scene| order.called(call, values, 0, thread, scene));
        if !self.guard_pages.is_empty() {
            let finding = self.guard_pages.called(call, values, 0);
            self.found(finding);
        }
    }

    /// Forgets the blocks that a message may have carried: see [`AutoFree`](aclsan_rules::trackers::hiai_auto_free::AutoFree).
    fn sent(&mut self, values: &Values, status: i32) {
        let (message, is_taken) = (values.get(0), values.get(1) != 0);
        let gone = match self.heap.place(message) {
            AddressInfo::Live(block, 0) if status != 0 => vec![block.id],
            AddressInfo::Unknown if !is_taken => {
                let doubtful = self.auto_free.doubt().into_iter();
                doubtful.map(|(_, id)| id).collect()
            }
            _ => Vec::new(),
        };
        for held in gone.into_iter().filter_map(|id| self.heap.forget(id)) {
            self.accounting.on_free(&held, self.now.0, false);
        }
    }

    /// An annotation, which is no AscendCL call.
    fn annotated(&mut self, call: &Call, values: &Values) {
        match call.function.name {
            "aclsan_stop" => self.stop(),
            "aclsan_start" => self.is_stopped = false,
            _ => {}
        }
        let tick = self.annotate(|annotations, context| annotations.heard(call, values, context));
        let found = std::mem::take(&mut self.annotations.found);
        self.found(found);
        if let Some(tick) = tick {
            self.tick(tick);
        }
    }

    fn annotate<T>(
        &mut self,
        tell: impl FnOnce(&mut Annotations, &annotations::AnnotationContext) -> T,
    ) -> T {
        let context = annotations::AnnotationContext {
            heap: &self.heap,
            now: self.now,
            live_bytes: self.accounting.live_bytes(&self.heap),
            place: &|site| self.sites.canonical(site),
            duty: &|block| self.sites.duty(block, &self.profile),
        };
        tell(&mut self.annotations, &context)
    }

    fn set_again(&mut self, device: i32, site: CallSiteId) {
        let at_end = AtEnd {
            ns: self.now.0,
            epoch: &|_| 0,
            holds: &Default::default(),
            keeper: &|_| None,
            pool: &|_| None,
            since: &|_| None,
        };
        let names = &self.annotations.names;
        for group in self.dropped.take(device, &self.sites, names, &at_end) {
            let reset = group.reset.map_or(CallSiteId(0), |(site, _)| site);
            if let Some(finding) = judge::set_again(&group.first.block, reset, site) {
                self.found_times(finding, group.blocks);
            }
        }
    }

    fn reset(&mut self, call: &Call, device: i32, dropped: &[LiveBlock]) {
        let (ns, site) = (self.now.0, call.site);
        self.objects.reset(call, device);
        self.objects_follow = self.objects.wants_blocks();
        self.order.reset(device);
        self.accounting.read().oom.on_reset(device);
        self.guard_pages.reset(device);
        for held in dropped {
            self.written.forget(&held.block);
            self.accounting.on_free(held, ns, false);
            self.annotations.dropped(held.block.id, ns);
        }
        let heeded = dropped.iter().copied();
        let heeded = heeded.filter(|held| !self.annotations.ignored.has(held.block.id));
        self.dropped.add(heeded, site, ns);
    }
}
