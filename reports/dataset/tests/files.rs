//! Files of a dataset: written, described, read back, and refused.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

use aclsan_dataset::cell::Address;
use aclsan_dataset::error::Why;
use aclsan_dataset::table::{Row, describe, schema};
use aclsan_dataset::tables::{Block, Call, Finding, TABLES};
use aclsan_dataset::write::Writer;
use aclsan_dataset::{VERSION, read, table};
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;

fn bytes_of<R: Row>(rows: &[R], version: u32) -> Vec<u8> {
    let mut to = Vec::new();
    let mut writer = Writer::of_version(&mut to, version).unwrap();
    rows.iter().for_each(|row| writer.add(row).unwrap());
    writer.finish().unwrap();
    to
}

fn back<R: Row>(bytes: &[u8]) -> Result<Vec<R>, Why> {
    let mut rows = Vec::new();
    read::bytes(bytes, |row| rows.push(row)).map(|_| rows)
}

fn findings() -> Vec<Finding> {
    let one = Finding {
        process: "p".into(),
        message: "a sentence".into(),
        count: 3,
        block_offset: Some(-8),
        ..Finding::default()
    };
    let other = Finding {
        finding: 1,
        address: Some(Address(u64::MAX - 1)),
        is_consequence: true,
        roots: "0".into(),
        ..one.clone()
    };
    vec![one, other]
}

#[test]
fn rows_come_back_with_their_nulls_and_addresses() {
    let rows = findings();
    let again: Vec<Finding> = back(&bytes_of(&rows, VERSION)).unwrap();
    assert_eq!(again, rows);
    let none: Vec<Finding> = back(&bytes_of::<Finding>(&[], VERSION)).unwrap();
    assert_eq!(none, []);
}

#[test]
fn schema_describes_what_is_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema");
    for (table, fields) in TABLES {
        let file = folder.join(format!("{table}.tsv"));
        snapbox::assert_data_eq!(
            describe(fields),
            snapbox::Data::read_from(&file, None).raw()
        );
        let described = fs::read_to_string(&file).unwrap();
        let written = schema(table, fields).unwrap();
        let columns = described.lines().skip(1).map(|line| line.split('\t'));
        let columns: Vec<Vec<&str>> = columns.map(Iterator::collect).collect();
        assert_eq!(columns.len(), written.get_fields().len(), "{table}");
        for (column, field) in columns.iter().zip(written.get_fields()) {
            assert_eq!(column[0], field.name(), "{table}");
            assert_eq!(column[2] == "yes", field.is_optional(), "{table}");
            let has_unit = ["_bytes", "_ns"].iter().any(|end| column[0].ends_with(end));
            assert!(!has_unit || !column[3].is_empty(), "{table}.{}", column[0]);
            assert!(!column[5].is_empty(), "{table}.{}", column[0]);
        }
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), TABLES.len());
}

table! {
    /// As of version 1, with columns that version 2 adds.
    Later in "later" {
        /// A name.
        name: String [None],
        /// New.
        size_bytes: u64 [Bytes, since 2],
        /// New.
        note: Option<String> [None, since 2],
    }
}

#[test]
fn columns_that_are_newer_than_the_file_have_their_default() {
    let row = Later {
        name: "a".into(),
        size_bytes: 7,
        note: Some("b".into()),
    };
    let older = bytes_of(std::slice::from_ref(&row), VERSION - 1);
    let expected = Later {
        name: "a".into(),
        ..Later::default()
    };
    assert_eq!(back::<Later>(&older).unwrap(), [expected]);
    // The version before is accepted.
    let calls = bytes_of(&[Call::default()], VERSION - 1);
    assert_eq!(back::<Call>(&calls).unwrap(), [Call::default()]);
}

#[test]
fn newer_foreign_misplaced_and_torn_files_are_told_apart() {
    let newer = bytes_of(&findings(), VERSION + 1);
    assert!(
        matches!(back::<Finding>(&newer), Err(Why::Version(v)) if v == (VERSION + 1).to_string())
    );
    let good = bytes_of(&findings(), VERSION);
    assert!(matches!(back::<Call>(&good), Err(Why::Misplaced(table)) if table == "findings"));
    for length in [0, 3, good.len() / 2, good.len() - 1] {
        assert!(matches!(
            back::<Finding>(&good[..length]),
            Err(Why::Torn(_))
        ));
    }
    let missing = read::all::<Finding>(Path::new("/no/such.parquet")).unwrap_err();
    assert!(matches!(missing.why, Why::Missing), "{missing}");
}

#[test]
fn no_byte_that_changes_makes_the_reader_panic() {
    let good = bytes_of(&[Call::default(), Call::default()], VERSION);
    for at in 0..good.len() {
        for flip in [0x01, 0x80] {
            let mut bad = good.clone();
            bad[at] ^= flip;
            drop(back::<Call>(&bad));
        }
    }
}

/// A file whose footer names its row group `times` times.
fn repeated(times: usize) -> Vec<u8> {
    let rows = vec![Call::default(); 30_000];
    let file = bytes_of(&rows, VERSION);
    let metadata = SerializedFileReader::new(bytes::Bytes::from(file.clone())).unwrap();
    let metadata = metadata.metadata().clone();
    let groups = vec![metadata.row_groups()[0].clone(); times];
    let metadata = metadata.into_builder().set_row_groups(groups).build();
    let mut to = file;
    let writer = parquet::file::metadata::ParquetMetaDataWriter::new(&mut to, &metadata);
    writer.finish().unwrap();
    to
}

#[test]
fn a_small_file_cannot_claim_many_rows() {
    assert_eq!(back::<Call>(&repeated(1)).unwrap().len(), 30_000);
    let mut rows = 0;
    let refused = read::bytes(&repeated(200), |_: Call| rows += 1);
    assert!(matches!(refused, Err(Why::Long(_))), "{refused:?}");
}

#[test]
fn a_million_blocks_take_less_than_25_megabytes_in_row_groups() {
    let file: PathBuf = env::temp_dir().join(format!("aclsan-blocks-{}", process::id()));
    let mut writer = Writer::new(fs::File::create(&file).unwrap()).unwrap();
    let mut random = 1_u64;
    let mut address = 0x12_0000_0000_u64;
    let block = Block {
        process: "0123456789abcdef".into(),
        family: "device".into(),
        leak: Some(0),
        class: Some("unknown".into()),
        ..Block::default()
    };
    for _ in 0..1_000_000 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        address += (random >> 60 << 20) + (1 << 20);
        let row = Block {
            address: Address(address),
            size_bytes: (random >> 44) & 0xf_ffe0,
            stack: (random >> 30) as u32 % 1000,
            leak: Some((random >> 30) as u32 % 1000),
            thread: (random >> 20) as u32 % 16,
            allocated_ns: random >> 24,
            ..block.clone()
        };
        writer.add(&row).unwrap();
    }
    writer.finish().unwrap();
    let size = fs::metadata(&file).unwrap().len();
    assert!(size < 25_000_000, "{size} bytes");
    let groups = SerializedFileReader::new(fs::File::open(&file).unwrap()).unwrap();
    let groups = groups.metadata().row_groups();
    assert!(groups.len() > 10, "engines skip and share row groups");
    assert!(groups[0].column(1).statistics().is_some());
    fs::remove_file(&file).unwrap();
}
