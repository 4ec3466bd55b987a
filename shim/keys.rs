//! Keys of shared blocks: what each stands for in this process.
//!
//! One call closes a key, whether the process made it or imported it, and a key imported twice is closed twice.

use std::collections::HashMap;

/// Every key that the process made or imported, by its hash.
#[derive(Default)]
pub struct Keys(HashMap<u64, Known>);

#[derive(Clone, Copy, Default)]
struct Known {
    /// The block's address here, and how many imports are open.
    import: Option<(u64, u32)>,
    /// The handle of the key that was made here.
    export: Option<u64>,
}

/// What closing a key ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Closes {
    /// One of several imports: the block stays.
    Count,
    /// The import at this address.
    Import(u64),
    /// The key of this handle.
    Export(u64),
}

/// Where a key of a block is filed: its low bits are the block's address, its high ones tell keys of one block apart.
pub fn handle(address: u64, key: u64) -> u64 {
    address & ADDRESS | (key & 0xff) << ADDRESS_BITS
}

const ADDRESS_BITS: u32 = 48;
const ADDRESS: u64 = (1 << ADDRESS_BITS) - 1;

/// FNV-1a of a key's characters.
pub fn hash(key: &[u8]) -> u64 {
    key.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl Keys {
    /// The process made a key.
    pub fn exported(&mut self, key: u64, handle: u64) {
        self.0.entry(key).or_default().export = Some(handle);
    }

    /// The process imported a key and was given `address`; `true` for the first time, when that is a new block.
    pub fn imported(&mut self, key: u64, address: u64) -> bool {
        let known = self.0.entry(key).or_default();
        match &mut known.import {
            Some((open, count)) if *open == address && *count > 0 => {
                *count += 1;
                false
            }
            import => {
                *import = Some((address, 1));
                true
            }
        }
    }

    /// What closing the key would end now. A key that was closed before is what it last was; `None` for one that was never seen.
    pub fn closes(&self, key: u64) -> Option<Closes> {
        let known = self.0.get(&key)?;
        match (known.import, known.export) {
            (Some((_, 2..)), _) => Some(Closes::Count),
            (Some((address, 1)), _) => Some(Closes::Import(address)),
            (_, Some(handle)) => Some(Closes::Export(handle)),
            (Some((address, _)), None) => Some(Closes::Import(address)),
            (None, None) => None,
        }
    }

    /// The key was closed.
    pub fn closed(&mut self, key: u64) {
        if let Some((_, count)) = self.0.get_mut(&key).and_then(|known| known.import.as_mut()) {
            *count = count.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_imported_twice_is_closed_twice() {
        let mut keys = Keys::default();
        assert!(keys.imported(1, 0x1000));
        assert!(!keys.imported(1, 0x1000));
        assert_eq!(keys.closes(1), Some(Closes::Count));
        keys.closed(1);
        assert_eq!(keys.closes(1), Some(Closes::Import(0x1000)));
        keys.closed(1);
        assert_eq!(
            keys.closes(1),
            Some(Closes::Import(0x1000)),
            "once too often"
        );
        assert!(keys.imported(1, 0x1000), "anew");
    }

    #[test]
    fn imports_of_a_key_of_ones_own_are_closed_first() {
        let mut keys = Keys::default();
        keys.exported(1, 0x2000);
        keys.imported(1, 0x1000);
        assert_eq!(keys.closes(1), Some(Closes::Import(0x1000)));
        keys.closed(1);
        assert_eq!(keys.closes(1), Some(Closes::Export(0x2000)));
    }

    #[test]
    fn a_key_of_unknown_origin_closes_nothing_known() {
        assert_eq!(Keys::default().closes(1), None);
    }

    #[test]
    fn two_keys_of_one_block_have_two_handles_with_its_address() {
        let address = 0x1240_0000_0000;
        assert_ne!(handle(address, 1), handle(address, 2));
        assert_eq!(handle(address, 1) & ADDRESS, address);
    }
}
