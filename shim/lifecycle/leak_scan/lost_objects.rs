//! The objects that hold the last pointers to blocks, and that nothing points to.

use super::class_name::class_name;
use super::memory_reader::MemoryReader;
use super::search::{Search, Target};
use crate::state::process::Process;
use crate::state::strings::MAX_BYTES;
use aclsan_log::{BlockId, Event, Mapping};

/// An object of `malloc`'s that was lost, with a block.
pub struct LostObject {
    block: BlockId,
    at: u64,
    size: u64,
    class: Option<String>,
}

impl LostObject {
    pub fn event(&self, process: &Process) -> Event {
        let log = &process.log;
        let class = self.class.as_deref().map_or(0, |class| {
            log.strings
                .intern(shortened(class), |definition| log.sink.define(definition))
        });
        Event::LostObject {
            block: self.block,
            at: self.at,
            size: self.size,
            class,
        }
    }
}

/// Names of templates' instances can be very long.
fn shortened(name: &str) -> &str {
    let ends = (0..=name.len().min(MAX_BYTES)).rev();
    ends.into_iter()
        .find_map(|end| name.get(..end))
        .unwrap_or("")
}

/// Those of the blocks of a scan.
pub fn lost_objects(
    search: &Search,
    reader: &mut MemoryReader,
    images: &[(u64, u64)],
) -> Vec<LostObject> {
    let of_target = |target: &Target| {
        let (at, mapping) = target.found?;
        let (low, high) = search.objects.around(at)?;
        (mapping == Mapping::LostObject).then(|| LostObject {
            block: target.id,
            at: low,
            size: high - low,
            class: class_name(reader, images, low),
        })
    };
    search.targets.iter().filter_map(of_target).collect()
}
