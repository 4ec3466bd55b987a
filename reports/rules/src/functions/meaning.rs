//! What judges ask of a function at every event, worked out once from its row: names are compared when the table is built, not when it is asked.

use super::operators::{NEED, PHASE_TWO};
use super::{Function, Role, is_same};
use crate::order::{self, Step};

/// What a function's row means to those who are asked at every event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Meaning {
    /// To the order of streams.
    pub step: Step,
    /// Whether it says which stream its work is on, and its ranges are data.
    pub names_stream: bool,
    /// Whether it may write what it does not name: kernels, graphs, media units.
    pub hides_writes: bool,
    is_phase_one: bool,
    is_phase_two: bool,
    is_of_tensor: bool,
    is_wait: bool,
    is_opaque: bool,
    is_of_pool: bool,
    is_of_graph: bool,
    is_edge: bool,
    has_queued_fills: bool,
}

/// Values that are no addresses.
const HANDLES: &[&str] = &[
    "stream", "event", "notify", "state", "count", "first", "second",
];

impl Meaning {
    /// Of a row that is not in the table.
    pub const NONE: Self = Self {
        step: Step::Other,
        names_stream: false,
        hides_writes: false,
        is_phase_one: false,
        is_phase_two: false,
        is_of_tensor: false,
        is_wait: false,
        is_opaque: false,
        is_of_pool: false,
        is_of_graph: false,
        is_edge: false,
        has_queued_fills: false,
    };

    /// Of a row of the table.
    pub const fn of(function: &Function) -> Self {
        let (name, values) = (function.name, function.values);
        let (is_phase_one, is_phase_two) = (is_all(values, NEED), is_all(values, PHASE_TWO));
        // Other queues of media units are channels, whose ends are not on record.
        let is_picture = begins(name, "acldvpp") && has(values, "queue");
        let is_flag = has(&["aclrtValueWrite", "aclrtValueWait"], name);
        let is_launch = matches!(function.role, Role::Launch);
        let step = Step::of(function, is_phase_one, is_phase_two);
        Self {
            step,
            names_stream: (has(values, "stream") || is_picture) && !is_flag,
            hides_writes: begins(name, "aclrtLaunchKernel")
                || begins(name, "aclmdlRIExecute")
                || has(values, "queue"),
            is_phase_one,
            is_phase_two,
            is_of_tensor: !values.is_empty() && is_same(values[0].as_bytes(), b"tensor"),
            is_wait: matches!(step, Step::SynchroniseStream | Step::SynchroniseDevice),
            is_opaque: contains(name, "LaunchKernel")
                || contains(name, "KernelLaunch")
                || begins(name, "aclmdl")
                || begins(name, "aclop") && is_launch,
            is_of_pool: begins(name, "aclrtMemPool"),
            is_of_graph: begins(name, "aclmdlRI"),
            is_edge: matches!(function.role, Role::Order)
                && are_all(values, HANDLES)
                && !begins(name, "aclmdlRI"),
            has_queued_fills: match function.role {
                Role::Allocate(family) => order::is_followed(family) && !order::is_host(family),
                _ => false,
            },
        }
    }
}

impl Function {
    /// Whether it hands out an executor, with the workspace that it needs.
    pub fn is_phase_one(&self) -> bool {
        self.meaning.is_phase_one
    }

    /// Whether it runs an executor of an operator, in a workspace.
    pub fn is_phase_two(&self) -> bool {
        self.meaning.is_phase_two
    }

    /// Whether it makes a tensor, or gives one another address.
    pub fn is_of_tensor(&self) -> bool {
        self.meaning.is_of_tensor
    }

    /// Whether the host waits in it for a stream or a device.
    #[inline]
    pub fn is_wait(&self) -> bool {
        self.meaning.is_wait
    }

    /// Whether it may use memory that its event does not name.
    #[inline]
    pub fn is_opaque(&self) -> bool {
        self.meaning.is_opaque
    }

    /// Whether it is about stream-ordered pools.
    pub fn is_of_pool(&self) -> bool {
        self.meaning.is_of_pool
    }

    /// Whether it is a record, a wait or the like: it names no memory and makes nothing.
    #[inline]
    pub fn is_edge(&self) -> bool {
        self.meaning.is_edge
    }

    /// Whether the order of streams follows who uses the memory that it allocates, and a fill of it can be queued.
    #[inline]
    pub fn has_queued_fills(&self) -> bool {
        self.meaning.has_queued_fills
    }

    /// Whether it records an event on a stream: its values are the event and the stream.
    pub fn is_event_record(&self) -> bool {
        self.meaning.step == Step::Record
    }

    /// Whether a stream waits in it for an event: its values are the stream and the event.
    pub fn is_event_wait(&self) -> bool {
        self.meaning.step == Step::Wait
    }

    /// Whether it is about captured graphs.
    pub fn is_of_graph(&self) -> bool {
        self.meaning.is_of_graph
    }
}

/// Whether `text` begins with `start`.
pub(crate) const fn begins(text: &str, start: &str) -> bool {
    is_at(text.as_bytes(), start.as_bytes(), 0)
}

/// Whether `text` has `part` in it.
pub(crate) const fn contains(text: &str, part: &str) -> bool {
    let mut at = 0;
    while at + part.len() <= text.len() {
        if is_at(text.as_bytes(), part.as_bytes(), at) {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether one of `names` is `name`.
pub(crate) const fn has(names: &[&str], name: &str) -> bool {
    let mut at = 0;
    while at < names.len() {
        if is_same(names[at].as_bytes(), name.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_all(names: &[&str], others: &[&str]) -> bool {
    let mut at = 0;
    while at < names.len()
        && at < others.len()
        && is_same(names[at].as_bytes(), others[at].as_bytes())
    {
        at += 1;
    }
    at == names.len() && at == others.len()
}

const fn are_all(names: &[&str], of: &[&str]) -> bool {
    let mut at = 0;
    while at < names.len() && has(of, names[at]) {
        at += 1;
    }
    at == names.len()
}

const fn is_at(text: &[u8], part: &[u8], from: usize) -> bool {
    let mut at = 0;
    while at < part.len() && from + at < text.len() && text[from + at] == part[at] {
        at += 1;
    }
    at == part.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::FUNCTIONS;

    #[test]
    fn what_the_table_says_is_what_the_rows_say() {
        for function in FUNCTIONS {
            let (name, values) = (function.name, function.values);
            assert_eq!(function.is_phase_one(), values == NEED, "{name}");
            assert_eq!(function.is_phase_two(), values == PHASE_TWO, "{name}");
            assert_eq!(function.is_of_tensor(), values.first() == Some(&"tensor"));
            assert_eq!(function.is_of_pool(), name.starts_with("aclrtMemPool"));
            assert_eq!(function.is_of_graph(), name.starts_with("aclmdlRI"));
            assert_eq!(contains(name, "Kernel"), name.contains("Kernel"));
            assert_eq!(has(values, "stream"), values.contains(&"stream"));
        }
    }

    #[test]
    fn records_and_waits_are_edges_and_what_names_memory_is_none() {
        let edge = |name| crate::functions::function(name).is_some_and(Function::is_edge);
        assert!(edge("aclrtRecordEvent") && edge("aclrtSynchronizeDevice"));
        for name in [
            "aclrtValueWrite",
            "aclrtCreateContext",
            "aclrtDestroyContext",
            "aclmdlRIExecuteAsync",
            "aclrtMalloc",
        ] {
            assert!(!edge(name), "{name}");
        }
    }

    #[test]
    fn a_kernel_may_use_what_it_does_not_name_and_a_copy_does_not() {
        let opaque = |name| crate::functions::function(name).is_some_and(Function::is_opaque);
        assert!(opaque("aclrtLaunchKernel") && opaque("aclmdlExecute"));
        assert!(!opaque("aclrtMemcpyAsync"));
    }
}
