//! Keys of shared blocks, and what each means in this process.
//!
//! The same call closes keys that the process exported and keys that it imported. A key imported twice is closed twice.

use std::collections::HashMap;

/// Maximum number of closed keys that are remembered, to detect double closes.
const MAX_CLOSED: usize = 1 << 12;

/// The keys that the process exported or imported, by hash.
#[derive(Default)]
pub struct IpcKeys {
    keys: HashMap<u64, KeyState>,
    /// Number of keys after closed ones were last evicted.
    len_after_eviction: usize,
}

#[derive(Clone, Copy, Default)]
struct KeyState {
    /// The address of the block in this process, and the number of open imports.
    import: Option<(u64, u32)>,
    /// The handle of the exported key, and whether it is open.
    export: Option<(u64, bool)>,
}

impl KeyState {
    fn is_open(&self) -> bool {
        let is_imported = self.import.is_some_and(|(_, count)| count > 0);
        is_imported || self.export.is_some_and(|(_, is_open)| is_open)
    }
}

/// The effect of closing a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CloseEffect {
    /// Closes one of several imports; the block stays.
    Count,
    /// Closes the import at this address.
    Import(u64),
    /// Closes the exported key with this handle.
    Export(u64),
}

const ADDRESS_BITS: u32 = 48;
const ADDRESS: u64 = (1 << ADDRESS_BITS) - 1;

/// FNV-1a hash of a key.
pub fn hash(key: &[u8]) -> u64 {
    key.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl IpcKeys {
    /// The process exported the block at `address`. Returns the handle to record it under: the low bits are the address, the high bits
    /// distinguish open keys of one block. `None` if there are too many of those.
    pub fn on_export(&mut self, key: u64, address: u64) -> Option<u64> {
        self.evict_closed();
        let handle = |number: u64| address & ADDRESS | (number & 0xff) << ADDRESS_BITS;
        let is_taken = |handle| {
            let mut all = self.keys.values();
            all.any(|known| known.export == Some((handle, true)))
        };
        let mut all = (0..=0xff).map(|number| handle(key.wrapping_add(number)));
        let handle = all.find(|&handle| !is_taken(handle))?;
        self.keys.entry(key).or_default().export = Some((handle, true));
        Some(handle)
    }

    /// Drops closed keys once many have accumulated.
    fn evict_closed(&mut self) {
        if self.keys.len() >= self.len_after_eviction + MAX_CLOSED {
            self.keys.retain(|_, known| known.is_open());
            self.len_after_eviction = self.keys.len();
        }
    }

    /// The process imported a key at `address`; `true` the first time, when the block is new.
    pub fn on_import(&mut self, key: u64, address: u64) -> bool {
        self.evict_closed();
        let known = self.keys.entry(key).or_default();
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

    /// The effect of closing the key now. A key that is already closed reports what it last was; `None` for an unknown key.
    pub fn close_effect(&self, key: u64) -> Option<CloseEffect> {
        let known = self.keys.get(&key)?;
        match (known.import, known.export) {
            (Some((_, 2..)), _) => Some(CloseEffect::Count),
            (Some((address, 1)), _) => Some(CloseEffect::Import(address)),
            (_, Some((handle, _))) => Some(CloseEffect::Export(handle)),
            (Some((address, _)), None) => Some(CloseEffect::Import(address)),
            (None, None) => None,
        }
    }

    /// Whether the key is open.
    pub fn is_open(&self, key: u64) -> bool {
        self.keys.get(&key).is_some_and(KeyState::is_open)
    }

    /// The key was closed.
    pub fn on_close(&mut self, key: u64) {
        let Some(known) = self.keys.get_mut(&key) else {
            return;
        };
        match (&mut known.import, &mut known.export) {
            (Some((_, count)), _) if *count > 0 => *count -= 1,
            (_, Some((_, is_open))) => *is_open = false,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_key_imported_twice_is_closed_twice() {
        let mut keys = IpcKeys::default();
        assert!(keys.on_import(1, 0x1000));
        assert!(!keys.on_import(1, 0x1000));
        assert_eq!(keys.close_effect(1), Some(CloseEffect::Count));
        keys.on_close(1);
        assert_eq!(keys.close_effect(1), Some(CloseEffect::Import(0x1000)));
        keys.on_close(1);
        assert_eq!(
            keys.close_effect(1),
            Some(CloseEffect::Import(0x1000)),
            "once too often"
        );
        assert!(keys.on_import(1, 0x1000), "anew");
    }

    #[test]
    fn imports_of_a_key_of_ones_own_are_closed_first() {
        let mut keys = IpcKeys::default();
        let handle = keys.on_export(1, 0x2000).unwrap();
        keys.on_import(1, 0x1000);
        assert_eq!(keys.close_effect(1), Some(CloseEffect::Import(0x1000)));
        keys.on_close(1);
        assert_eq!(keys.close_effect(1), Some(CloseEffect::Export(handle)));
    }

    #[test]
    fn a_key_of_unknown_origin_closes_nothing_known() {
        assert_eq!(IpcKeys::default().close_effect(1), None);
    }

    #[test]
    fn open_keys_of_one_block_have_handles_of_their_own_with_its_address() {
        let (address, mut keys) = (0x1240_0000_0000, IpcKeys::default());
        let handles: HashSet<u64> = (0..256)
            .map(|key| keys.on_export(key << 8, address).unwrap())
            .collect();
        assert_eq!(handles.len(), 256);
        assert!(handles.iter().all(|handle| handle & ADDRESS == address));
        assert_eq!(keys.on_export(1, address), None);
    }

    #[test]
    fn closed_keys_are_forgotten_and_open_ones_kept() {
        let mut keys = IpcKeys::default();
        keys.on_export(1, 0x1000);
        for key in 2..3 * MAX_CLOSED as u64 {
            keys.on_export(key, 0x1000);
            keys.on_close(key);
        }
        assert!(keys.keys.len() <= MAX_CLOSED + 1);
        assert!(keys.close_effect(1).is_some());
        assert_eq!(keys.close_effect(2), None);
    }
}
