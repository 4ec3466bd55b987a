//! Files that tell totals over time and no allocation, so that no log can hold them: `memory_record.csv`, `npu_module_mem*.csv`, `npu_mem*.csv`
//! of profilers, and what `npu-smi info` prints. They are named, instead of being called damaged.

use anyhow::bail;

use super::{Reader, Reading, Source, first_line};

/// The reader.
pub struct Curves;

impl Reader for Curves {
    fn recognises(&self, head: &[u8]) -> bool {
        let line = first_line(head);
        let has = |name: &str| {
            line.split(',')
                .any(|other| other.trim().eq_ignore_ascii_case(name))
        };
        let is_curve = has("Component") && has("Timestamp(us)");
        let is_usage = has("memory(KB)") && has("timestamp(us)");
        let start = String::from_utf8_lossy(&head[..head.len().min(512)]);
        is_curve || is_usage || start.contains("| npu-smi ")
    }

    fn limits(&self) -> &'static str {
        ""
    }

    fn read(&self, source: &Source) -> anyhow::Result<Reading> {
        bail!(
            "`{}` tells totals and no allocation, so there is no log in it: the profiler's `operator_memory.csv` has allocations, and a PyTorch snapshot has their stacks",
            source.name
        );
    }
}
