//! Logs with something missing or changed: read as far as they go, or refused with the reason.

use super::every_event;
use aclsan_log::builder::LogBuilder;
use aclsan_log::{Definition, Log, LogError};

fn small() -> Vec<u8> {
    let mut builder = LogBuilder::default();
    builder.define(Definition::Property {
        key: "program".into(),
        value: "a".into(),
    });
    builder.site("aclrtMalloc", 0, 0, &[0x5000]);
    for event in every_event() {
        builder.event(1, event);
    }
    let mut bytes = builder.bytes();
    bytes.truncate(bytes.len() - 60_000); // the unused rest of the last segment
    bytes
}

/// Reads everything; the test is that it returns.
fn exhaust(bytes: Vec<u8>) -> Result<(usize, usize), LogError> {
    let log = Log::from_bytes("test", bytes)?;
    let mut events = log.events();
    let count = events.by_ref().count();
    Ok((count, log.damage.len() + events.damage().len()))
}

#[test]
fn every_truncation_is_read_or_refused_with_its_reason() {
    let whole = small();
    let total = exhaust(whole.clone()).unwrap().0;
    for length in (0..100)
        .chain((100..66_000).step_by(997))
        .chain(whole.len() - 5700..whole.len())
    {
        match exhaust(whole[..length].to_vec()) {
            Ok((count, damage)) => {
                assert!(
                    count == total || damage > 0 || count == 0,
                    "{length}: {count} events, {damage} damaged"
                )
            }
            Err(error) => assert!(error.to_string().contains("`test`"), "{error}"),
        }
    }
}

#[test]
fn a_file_that_is_cut_off_while_it_is_read_is_damaged() {
    let path = std::env::temp_dir().join(format!("aclsan-cut-{}", std::process::id()));
    std::fs::write(&path, small()).unwrap();
    let log = Log::open(&path).unwrap();
    // Read, not mapped: otherwise this would kill the process.
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(100_000).unwrap();
    let mut events = log.events();
    assert_eq!(events.by_ref().count(), 0);
    assert_eq!(events.damage().len(), 1);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn no_flipped_bit_stops_the_reader() {
    let whole = small();
    let used: Vec<usize> = (0..whole.len())
        .filter(|&at| at < 60 || whole[at] != 0)
        .collect();
    for at in used {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            let _ = exhaust(bytes).map_err(|error| error.to_string());
        }
    }
}

#[test]
fn a_foreign_file_an_empty_file_and_a_newer_log_are_distinguished() {
    let message = |bytes: Vec<u8>| exhaust(bytes).unwrap_err().to_string();
    assert!(message(vec![]).contains("is empty"));
    assert!(message(b"\x7fELF and so on, for a while".to_vec()).contains("not an event log"));
    assert!(message(small()[..100].to_vec()).contains("cut short"));
    let mut newer = small();
    newer[8] = 9;
    assert!(message(newer).contains("version 9, this aclsan reads up to 2"));
    let mut sizes = small();
    sizes[13] = 1;
    assert!(message(sizes).contains("damaged header"));
}
