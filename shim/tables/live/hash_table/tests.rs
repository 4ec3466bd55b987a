use super::*;
use aclsan_log::BlockId;
use std::collections::HashMap;

fn entry(id: u64, size: u64) -> Entry {
    Entry {
        id: BlockId(id),
        size,
        site: CallSiteId(1),
        end: CallSiteId(0),
        guard: 32,
        slack: 1,
        function: 2,
        device: 0,
        state: State::Live,
        age: 0,
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % most
    }
}

fn all(table: &HashTable) -> HashMap<u64, Entry> {
    let mut found = HashMap::new();
    table.for_each(|key, entry| assert_eq!(found.insert(key, *entry), None, "{key:#x} twice"));
    found
}

#[test]
fn it_agrees_with_the_standard_librarys_on_random_work() {
    let (table, mut model) = (HashTable::default(), HashMap::new());
    let mut random = Random(0x1234_5678_9abc_def0);
    for round in 0..200_000u64 {
        // Handles, and addresses 512 bytes apart.
        let key = (random.below(20_000) * 512) | ((round & 1) << 63);
        match random.below(16) {
            0..8 => {
                // One in 64 is too large for a slot.
                let size = 100 << (random.below(64) / 63 * 40);
                table.insert(key, &entry(round, size));
                model.insert(key, entry(round, size));
            }
            8..11 => {
                table.remove(key);
                model.remove(&key);
            }
            11..14 => {
                let live = model.get_mut(&key).filter(|at| at.state == State::Live);
                assert_eq!(
                    table.release(key, CallSiteId(9), 1),
                    live.as_deref().copied()
                );
                if let Some(live) = live {
                    (live.state, live.end, live.age) = (State::Released, CallSiteId(9), 1);
                    (live.guard, live.slack) = (0, 0);
                }
            }
            _ => {
                // A block may outgrow its slot, and fit again.
                let size = 100 << (random.below(2) * 40);
                table.change(key, |entry| entry.size = size);
                model.entry(key).and_modify(|entry| entry.size = size);
            }
        }
        assert_eq!(table.get(key), model.get(&key).copied(), "round {round}");
        if round % 20_000 == 0 {
            let keep = |entry: &Entry| !entry.id.0.is_multiple_of(3);
            let live = table.retain(|_, entry| keep(entry));
            model.retain(|_, entry| entry.state == State::Live || keep(entry));
            let is_live = |entry: &&Entry| entry.state == State::Live;
            assert_eq!(live, model.values().filter(is_live).count());
            table.for_each_mut(|key, entry| entry.device = key as i8);
            model
                .iter_mut()
                .for_each(|(key, entry)| entry.device = *key as i8);
            assert_eq!(all(&table), model);
        }
    }
    assert_eq!(all(&table), model);
    assert_eq!(table.len(), model.len());
}

#[test]
fn entries_stand_near_their_places_in_little_more_room_than_they_need() {
    let table = HashTable::default();
    for (count, step) in [(100_000, 512), (200_000, 2 << 20), (400_000, 4096)] {
        for number in 0..count {
            table.insert(0x1240_0000_0000 + number * step, &entry(number, 8));
        }
        let (mut slots, mut used, mut steps) = (0, 0, 0);
        for shard in table.shards.iter() {
            let shard = shard.lock();
            slots += shard.list.len();
            used += shard.used();
            let ways = shard
                .list
                .iter()
                .enumerate()
                .filter(|(_, slot)| !slot.is_empty());
            steps += ways
                .map(|(at, slot)| at - position(slot.rest(), shard.positions))
                .sum::<usize>();
        }
        // At least two thirds are used and at most four fifths; at four fifths the mean displacement is two slots.
        assert!(
            used * 3 > slots * 2 && used * 5 <= slots * 4,
            "{used} of {slots}"
        );
        assert!(steps < used * 2, "{steps} steps of {used}");
    }
}

#[test]
fn memory_that_is_no_longer_needed_is_returned() {
    let table = HashTable::default();
    let room = || table.shards.iter().map(|shard| shard.lock().list.len());
    assert!((0..100_000).all(|number| table.insert(number * 16, &entry(number, 8))));
    let release = |number: &u64| table.release(number * 16, CallSiteId(1), 0).is_some();
    assert_eq!((1_000..100_000).filter(release).count(), 99_000);
    let most: usize = room().sum();
    for _ in 0..10 {
        assert_eq!(table.retain(|_, _| false), 1_000);
    }
    assert_eq!(all(&table).len(), 1_000);
    assert!(room().sum::<usize>() < most / 4);
}

#[test]
fn every_number_is_a_key_and_comes_back() {
    let table = HashTable::default();
    let keys = (0..64).flat_map(|bit| [1 << bit, !(1 << bit), u64::MAX >> bit]);
    let keys: HashMap<u64, Entry> = [0]
        .into_iter()
        .chain(keys)
        .zip((0..).map(|id| entry(id, 8)))
        .collect();
    keys.iter()
        .for_each(|(&key, entry)| assert!(table.insert(key, entry)));
    assert_eq!(all(&table), keys);
    for (&key, &entry) in &keys {
        assert_eq!(table.get(key), Some(entry));
        table.remove(key);
        assert_eq!(table.get(key), None);
    }
    assert_eq!(table.len(), 0);
}

#[test]
fn threads_that_share_shards_find_what_they_put() {
    let table = HashTable::default();
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let table = &table;
            scope.spawn(move || {
                for number in 0..20_000 {
                    let key = (number * 4 + thread) * 64;
                    table.insert(key, &entry(number, 8));
                    if number % 3 == 0 {
                        table.remove(key);
                    } else {
                        assert!(table.release(key, CallSiteId(2), 0).is_some());
                    }
                }
            });
        }
    });
    // Of each thread's 20,000 entries 6,667 were removed.
    assert_eq!(table.len(), 4 * 13_333);
}

#[test]
fn keys_whose_hashes_are_alike_do_not_take_all_memory() {
    let table = HashTable::default();
    // Up to 2^13 positions, all of these belong to the last one.
    let keys: Vec<u64> = (1..=2 * TAIL as u64)
        .map(|back| key(back.wrapping_neg()))
        .collect();
    for &key in &keys {
        table.insert(key, &entry(key, 8));
    }
    let known = keys.iter().filter(|&&key| table.get(key).is_some()).count();
    assert!((TAIL..keys.len()).contains(&known), "{known}");
    let room = table.shards[SHARDS - 1].lock().list.len();
    assert!(room <= 2 * SPARSEST * (known + FIRST), "{room}");
}
