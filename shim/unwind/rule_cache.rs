//! Unwind rules by address, shared by all threads without a lock: an entry is one word, so a reader sees all of it or
//! nothing.
//!
//! Holds 16,384 rules in sets of four. A word contains the low 36 bits of the address, without those that are always 0,
//! and a packed rule. Two addresses that agree in those bits and in their set would share a rule. That takes code
//! spread over more than 64 GiB and is improbable even then; a wrong rule gives a wrong frame, never a wild read.

use crate::rule::{PackedRule, UnwindRule};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const SETS: usize = 4096;
const WAYS: usize = 4;
const TAG_BITS: u32 = 64 - UnwindRule::BITS;
/// aarch64 instructions are four-byte words.
const ZEROS: u32 = if cfg!(target_arch = "aarch64") { 2 } else { 0 };

static RULES: [[AtomicU64; WAYS]; SETS] = [const { [const { AtomicU64::new(0) }; WAYS] }; SETS];

/// The cached rule at `pc`. An empty entry, whose tag is 0, is a rule that is not supported: an address of that tag takes the fallback.
#[inline(always)]
pub fn get(pc: u64) -> Option<PackedRule> {
    let tag = tag(pc);
    for entry in set(pc) {
        let word = entry.load(Relaxed);
        if word >> UnwindRule::BITS == tag {
            return Some(PackedRule(word));
        }
    }
    None
}

/// Caches the rule at `pc`, replacing another one if its set is full.
pub fn put(pc: u64, rule: UnwindRule) {
    let word = tag(pc) << UnwindRule::BITS | rule.pack().0;
    let entries = set(pc);
    let free = entries.iter().position(|entry| entry.load(Relaxed) == 0);
    let victim = free.unwrap_or((pc >> 4) as usize % WAYS);
    entries[victim].store(word, Relaxed);
}

/// Drops every rule: code was unloaded, and other code may take its addresses.
pub fn clear() {
    RULES
        .iter()
        .flatten()
        .for_each(|entry| entry.store(0, Relaxed));
}

/// The bits of `pc` that an entry has above its rule.
#[inline(always)]
pub fn tag(pc: u64) -> u64 {
    pc >> ZEROS & ((1 << TAG_BITS) - 1)
}

#[inline(always)]
fn set(pc: u64) -> &'static [AtomicU64; WAYS] {
    &RULES[(pc.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize]
}

const _: () = assert!(SETS == 1 << (64 - 52));
const _: () = assert!(TAG_BITS + ZEROS == 36);
