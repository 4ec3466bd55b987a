//! Rules by address, shared by all threads without a lock: an entry is one word, so a reader sees all of it or none.
//!
//! Holds 16,384 rules in sets of four. A word is the lowest 36 bits of the address, without those that are always 0, and a packed rule;
//! two addresses of one process that agree in those 36 bits and in their set, but not beyond, would share a rule: code spread over more
//! than 64 GiB makes that possible and improbable, and a wrong rule costs a wrong frame, never a wild read.

use crate::rule::{PackedRule, UnwindRule};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const SETS: usize = 4096;
const WAYS: usize = 4;
const TAG_BITS: u32 = 64 - UnwindRule::BITS;
/// Instructions of aarch64 are words of four bytes.
const ZEROS: u32 = if cfg!(target_arch = "aarch64") { 2 } else { 0 };

static RULES: [[AtomicU64; WAYS]; SETS] = [const { [const { AtomicU64::new(0) }; WAYS] }; SETS];

/// The rule at `pc`, if it is known.
#[inline(always)]
pub fn get(pc: u64) -> Option<PackedRule> {
    let tag = tag(pc);
    for entry in set(pc) {
        let word = entry.load(Relaxed);
        if word >> UnwindRule::BITS == tag && word != 0 {
            return Some(PackedRule(word));
        }
    }
    None
}

/// Remembers the rule at `pc`, in place of another of its set if that is full.
pub fn put(pc: u64, rule: UnwindRule) {
    let word = tag(pc) << UnwindRule::BITS | rule.pack().0;
    let entries = set(pc);
    let free = entries.iter().position(|entry| entry.load(Relaxed) == 0);
    let victim = free.unwrap_or((pc >> 4) as usize % WAYS);
    entries[victim].store(word, Relaxed);
}

/// Forgets every rule: code was unloaded, and other code may come to lie at its addresses.
pub fn clear() {
    RULES
        .iter()
        .flatten()
        .for_each(|entry| entry.store(0, Relaxed));
}

fn tag(pc: u64) -> u64 {
    pc >> ZEROS & ((1 << TAG_BITS) - 1)
}

#[inline(always)]
fn set(pc: u64) -> &'static [AtomicU64; WAYS] {
    &RULES[(pc.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize]
}

const _: () = assert!(SETS == 1 << (64 - 52));
const _: () = assert!(TAG_BITS + ZEROS == 36);
