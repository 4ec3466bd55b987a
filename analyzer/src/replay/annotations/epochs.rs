//! Epochs: the steps, marks and ranges that the program announced.

use std::collections::{HashMap, HashSet};

use aclsan_render::model::Epoch;

use super::AnnotationContext;

/// Most epochs kept: a program that marks each operator has millions.
const MAX_EPOCHS: usize = 1 << 12;

/// Epochs in order of time.
#[derive(Default)]
pub struct Epochs {
    list: Vec<Epoch>,
    left_out: u64,
    /// Start of the first epoch that was not kept.
    kept_until: Option<u64>,
    /// The current step.
    current: Option<usize>,
    /// Open ranges that were kept, by domain and number.
    open: HashMap<(u64, u64), usize>,
    /// All open ranges, kept or not.
    lasting: HashSet<(u64, u64)>,
}

impl Epochs {
    /// A step begins, which ends the previous one.
    pub fn step(&mut self, name: String, context: &AnnotationContext) {
        if let Some(before) = self.current.take() {
            self.list[before].end_ns = Some(context.now.0);
        }
        self.current = self.add("annotation", String::new(), name, context);
    }

    /// A moment.
    pub fn mark(&mut self, domain: String, name: String, context: &AnnotationContext) {
        self.add("mark", domain, name, context);
    }

    /// A range begins.
    pub fn start(
        &mut self,
        key: (u64, u64),
        domain: String,
        name: String,
        context: &AnnotationContext,
    ) {
        if self.lasting.len() < MAX_EPOCHS {
            self.lasting.insert(key);
        }
        if let Some(at) = self.add("range", domain, name, context) {
            self.open.insert(key, at);
        }
    }

    /// A range ends. Returns whether no other is open.
    pub fn end(&mut self, key: (u64, u64), ns: u64) -> bool {
        if let Some(at) = self.open.remove(&key) {
            self.list[at].end_ns = Some(ns);
        }
        let was_open = self.lasting.remove(&key);
        was_open && self.lasting.is_empty()
    }

    /// The last epoch that had begun by `ns`, from 1; 0 for none. The number after the last kept one stands for all later ones.
    pub fn at(&self, ns: u64) -> u32 {
        if self.kept_until.is_some_and(|until| until <= ns) {
            return self.list.len() as u32 + 1;
        }
        self.list.partition_point(|epoch| epoch.begin_ns <= ns) as u32
    }

    /// The kept epochs, and how many were not kept.
    pub fn finish(self) -> (Vec<Epoch>, u64) {
        (self.list, self.left_out)
    }

    fn add(
        &mut self,
        kind: &'static str,
        domain: String,
        name: String,
        context: &AnnotationContext,
    ) -> Option<usize> {
        if self.list.len() >= MAX_EPOCHS {
            self.left_out += 1;
            self.kept_until.get_or_insert(context.now.0);
            return None;
        }
        self.list.push(Epoch {
            pid: 0,
            process: 0,
            kind,
            domain,
            name,
            begin_ns: context.now.0,
            end_ns: None,
            live_bytes: context.live_bytes,
        });
        Some(self.list.len() - 1)
    }
}
