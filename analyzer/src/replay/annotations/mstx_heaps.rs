//! Heaps and regions that programs register by mstx, as pools and sub-blocks.

use aclsan_rules::trackers::objects::sub_block_index::{Source, SubBlock, UNRELIABLE_DOMAINS};

use super::AnnotationContext;
use super::pools::{Key, Pools};
use super::region::Region;

impl Pools {
    /// An mstx heap was registered. For some frameworks a "heap" is the total that their pool holds.
    pub fn heap(
        &mut self,
        domain: (u64, String),
        heap: u64,
        (address, size): (u64, u64),
        device: i32,
    ) {
        let named = (domain.1, device);
        if UNRELIABLE_DOMAINS.contains(&named.0.as_str()) {
            let pool = self.domain_pool(domain.0, named);
            let record = &mut self.records[self.story_of[&pool]];
            record.bytes = record.bytes.max(size);
        } else {
            self.open(Key::Heap(heap), Source::Mstx, named, (address, size));
        }
    }

    /// It was destroyed.
    pub fn end_heap(&mut self, heap: u64) {
        self.close(Key::Heap(heap));
    }

    /// An mstx region was registered.
    pub fn region(&mut self, region: &Region, context: &AnnotationContext) -> SubBlock {
        let (domain, name) = &region.domain;
        let pool = match self.known.get(&Key::Heap(region.heap)) {
            Some(&(pool, _)) => pool,
            None => self.domain_pool(*domain, (name.clone(), region.device)),
        };
        self.regions.insert((*domain, region.address), pool);
        if region.handle != 0 {
            self.handles.insert(region.handle, (pool, region.address));
        }
        let sub = SubBlock {
            pool,
            address: region.address,
            size: region.size,
            site: region.site,
        };
        self.add(sub, context);
        sub
    }

    /// The region was unregistered, by its handle or address.
    pub fn end_region(&mut self, domain: u64, is_handle: bool, region: u64) {
        let found = match is_handle {
            true => self.handles.remove(&region),
            false => self
                .regions
                .remove(&(domain, region))
                .map(|pool| (pool, region)),
        };
        if let Some((pool, address)) = found {
            self.regions.remove(&(domain, address));
            self.remove(pool, address);
        }
    }
}
