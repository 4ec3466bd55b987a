use std::fs;
use std::os::unix::fs::FileExt;

use aclsan_log::reader::ReadAt;

use super::*;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("aclsan-pack-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Writes `bytes` as a log, and its packed form.
    fn packed(&self, bytes: &[u8]) -> (File, PathBuf) {
        let (log, packed) = (self.0.join("a.aclsan"), self.0.join("a.aclsan.zst"));
        fs::write(&log, bytes).unwrap();
        let log = File::open(log).unwrap();
        let mut out = Vec::new();
        pack(&log, bytes.len() as u64, &mut out).unwrap();
        fs::write(&packed, out).unwrap();
        (log, packed)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Bytes with little repetition, from a Weyl sequence.
fn bytes(count: usize) -> Vec<u8> {
    (0..count as u64)
        .map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u8)
        .collect()
}

#[test]
fn any_range_of_any_length_comes_back() {
    let folder = Folder::new("ranges");
    for length in [
        1,
        FRAME_BYTES - 1,
        FRAME_BYTES,
        FRAME_BYTES + 1,
        5 * FRAME_BYTES + 77,
    ] {
        let bytes = bytes(length);
        let (log, packed) = folder.packed(&bytes);
        compare(&packed, &log, length as u64).unwrap();
        let frames = PackedReader::open(&packed).unwrap();
        assert_eq!(frames.length(), length as u64);
        // Across a frame's end, to and past the last byte, out of order: more frames than are cached.
        for (from, wanted) in [
            (length - 1, 9),
            (0, 3),
            (FRAME_BYTES - 2, 4),
            (4 * FRAME_BYTES, FRAME_BYTES),
            (0, 1),
            (length, 1),
            (length + 9, 1),
        ] {
            let mut got = vec![0; wanted];
            let count = frames.read_at(&mut got, from as u64).unwrap();
            let expected = bytes.get(from..).unwrap_or(&[]);
            let expected = &expected[..expected.len().min(wanted)];
            assert_eq!(&got[..count], expected, "{length} bytes from {from}");
        }
    }
}

#[test]
fn any_reader_of_zstandard_gives_the_log_back() {
    let folder = Folder::new("plain");
    let bytes = bytes(2 * FRAME_BYTES + 5);
    let (_, packed) = folder.packed(&bytes);
    assert_eq!(
        zstd::stream::decode_all(File::open(packed).unwrap()).unwrap(),
        bytes
    );
}

#[test]
fn a_copy_that_is_none_is_distinguished() {
    let folder = Folder::new("copy");
    let mut bytes = bytes(FRAME_BYTES + 5);
    let (_, packed) = folder.packed(&bytes);
    let other = folder.0.join("other");
    let reported = |bytes: &[u8]| {
        fs::write(&other, bytes).unwrap();
        let log = File::open(&other).unwrap();
        compare(&packed, &log, bytes.len() as u64)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        reported(&bytes[1..]),
        "it has 1048581 bytes, the log has 1048580"
    );
    bytes[FRAME_BYTES + 2] ^= 1;
    assert_eq!(
        reported(&bytes),
        "it differs from the log after byte 1048576"
    );
}

/// The table: header 8, two entries of 8, footer 9.
#[test]
fn no_damage_of_the_table_ends_in_anything_but_a_sentence() {
    let folder = Folder::new("damage");
    let (_, path) = folder.packed(&bytes(FRAME_BYTES + 5));
    let whole = fs::read(&path).unwrap();
    let table = whole.len() - 33;
    for at in table..whole.len() {
        for bit in 0..8 {
            let mut bad = whole.clone();
            bad[at] ^= 1 << bit;
            fs::write(&path, &bad).unwrap();
            // Flips of unused descriptor bits, and lengths that stay possible, are not detected here.
            let Ok(frames) = PackedReader::open(&path) else {
                continue;
            };
            let mut into = vec![0; 2 * FRAME_BYTES];
            let _ = frames.read_at(&mut into, 0);
        }
    }
    for length in 0..whole.len() {
        if length % 4099 == 0 || length > table {
            File::create(&path)
                .unwrap()
                .write_all_at(&whole[..length], 0)
                .unwrap();
            assert!(PackedReader::open(&path).is_err(), "{length} bytes");
        }
    }
}

#[test]
fn claims_are_held_to_the_file_and_to_what_is_read() {
    let folder = Folder::new("claims");
    let path = folder.0.join("claims.zst");
    let reported = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        format!(
            "{:#}",
            PackedReader::open(&path).err().unwrap().root_cause()
        )
    };
    let mut footer = u32::MAX.to_le_bytes().to_vec();
    footer.push(0);
    footer.extend_from_slice(&0x8f92_eab1_u32.to_le_bytes());
    assert_eq!(
        reported(&footer),
        "its seek table claims 4294967295 frames, more than the file has room for"
    );
    let mut table = SeekTable::default();
    table.add(1, 16 << 20);
    table.add(1, (16 << 20) + 1);
    let mut bytes = vec![0, 0];
    bytes.extend(table.encode());
    assert_eq!(
        reported(&bytes),
        "its seek table claims a frame of 16777217 bytes in 1; up to 16777216 are read"
    );
    let mut table = SeekTable::default();
    (0..100_000).for_each(|_| table.add(1, 16 << 20));
    let mut bytes = vec![0; 100_000];
    bytes.extend(table.encode());
    // 100,000 frames of 1 byte and entries of 8, 17 bytes around them; 1.6 TB.
    assert_eq!(
        reported(&bytes),
        "its seek table claims 1677721600000 bytes in a file of 900017: beyond 1073741824, up to 2000 for each are read"
    );
    let mut table = SeekTable::default();
    table.add(5, 9);
    assert_eq!(
        reported(&table.encode()),
        "its frames end at byte 5, and its seek table begins at byte 0"
    );
}
