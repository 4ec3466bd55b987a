//! Files to rows. Nothing in a file is trusted: numbers of rows are bounded, and what the Parquet reader cannot decode names the file.

use std::cell::Cell;
use std::fs::File;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Once;

use bytes::Bytes;
use parquet::basic::Type as PhysicalType;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, FileReader};
use parquet::file::serialized_reader::SerializedFileReader;

use crate::cell::{Column, Kind, Values};
use crate::error::{Unusable, Why};
use crate::table::{Field, Row};
use crate::write::{TABLE_KEY, VERSION_KEY};

/// Most rows of one file: these, and as many for each of its bytes. Written files have fewer than ten for a byte, and a file that claims its
/// row groups again and again must not fill the memory.
const MOST: i64 = 1 << 16;
const MOST_OF_BYTE: i64 = 64;
/// Most rows of one row group: far more than are written, and few enough that a false number costs little.
const MOST_GROUP: i64 = 1 << 20;
/// Rows that are decoded together.
const BATCH: usize = 1 << 12;

/// Passes each row of a file to `each`. Returns the version of the dataset that wrote it.
///
/// # Errors
/// If it is not a readable file of this table. Rows before the damage were passed.
pub fn rows<R: Row>(file: &Path, each: impl FnMut(R)) -> Result<u32, Unusable> {
    let unusable = |why| Unusable {
        file: file.to_owned(),
        why,
    };
    let open = File::open(file).map_err(|error| {
        unusable(match error.kind() {
            std::io::ErrorKind::NotFound => Why::Missing,
            _ => Why::Unreadable(error),
        })
    })?;
    if !open.metadata().is_ok_and(|meta| meta.is_file()) {
        return Err(unusable(Why::Foreign));
    }
    whole(open, each).map_err(unusable)
}

/// All rows of a file.
///
/// # Errors
/// As [`rows`].
pub fn all<R: Row>(file: &Path) -> Result<Vec<R>, Unusable> {
    let mut found = Vec::new();
    rows(file, |row| found.push(row))?;
    Ok(found)
}

/// As [`rows`], for the bytes of a file.
///
/// # Errors
/// As [`rows`].
pub fn bytes<R: Row>(file: &[u8], each: impl FnMut(R)) -> Result<u32, Why> {
    whole(Bytes::copy_from_slice(file), each)
}

thread_local! {
    /// Whether a panic of this thread is expected, and caught.
    static READS: Cell<bool> = const { Cell::new(false) };
}

/// The Parquet crate asserts in places what a damaged file breaks: negative offsets, impossible lengths. Such a panic is not reported as one.
fn whole<R: Row>(file: impl ChunkReader + 'static, each: impl FnMut(R)) -> Result<u32, Why> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !READS.get() {
                usual(panic);
            }
        }));
    });
    READS.set(true);
    let read = panic::catch_unwind(AssertUnwindSafe(|| read(file, each)));
    READS.set(false);
    read.unwrap_or_else(|_| Err(torn("it cannot be decoded")))
}

fn torn(error: impl ToString) -> Why {
    Why::Torn(error.to_string())
}

fn read<R: Row>(file: impl ChunkReader + 'static, mut each: impl FnMut(R)) -> Result<u32, Why> {
    let most = (file.len() as i64).saturating_mul(MOST_OF_BYTE);
    let most = most.saturating_add(MOST);
    let file = SerializedFileReader::new(file).map_err(torn)?;
    let about = file.metadata().file_metadata();
    let value = |key: &str| {
        let pairs = about.key_value_metadata()?;
        pairs.iter().find(|pair| pair.key == key)?.value.clone()
    };
    let (Some(table), Some(version)) = (value(TABLE_KEY), value(VERSION_KEY)) else {
        return Err(Why::Foreign);
    };
    if table != R::TABLE {
        return Err(Why::Misplaced(table));
    }
    let number = version.parse().ok();
    let Some(number) = number.filter(|number| (crate::OLDEST..=crate::VERSION).contains(number))
    else {
        return Err(Why::Version(version));
    };
    let mut claimed = 0_i64;
    for group in file.metadata().row_groups() {
        let rows = group.num_rows();
        claimed = claimed.saturating_add(rows.max(0));
        if !(0..=MOST_GROUP).contains(&rows) || claimed > most {
            return Err(Why::Long(claimed));
        }
    }
    let places = R::FIELDS.iter().map(|field| place(&file, field, number));
    let places = places.collect::<Result<Vec<_>, _>>()?;
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group).map_err(torn)?;
        let rows = group.metadata().num_rows();
        let mut columns = Vec::with_capacity(places.len());
        for (field, place) in R::FIELDS.iter().zip(&places) {
            columns.push(match place {
                None => None,
                Some(at) => {
                    let reader = group.get_column_reader(*at).map_err(torn)?;
                    Some(column(reader, field, rows as usize).map_err(torn)?)
                }
            });
        }
        for _ in 0..rows {
            let row = R::take(&mut columns).ok_or_else(|| torn("a column ends early"))?;
            each(row);
        }
    }
    Ok(number)
}

/// The index of a column in the file; `None` if the file is older than the column.
fn place<T: ChunkReader + 'static>(
    file: &SerializedFileReader<T>,
    field: &Field,
    version: u32,
) -> Result<Option<usize>, Why> {
    let schema = file.metadata().file_metadata().schema_descr();
    let named = |at: &usize| schema.column(*at).path().parts() == [field.name];
    let Some(at) = (0..schema.num_columns()).find(named) else {
        return match field.since > version.max(1) {
            true => Ok(None),
            false => Err(Why::Column(field.name)),
        };
    };
    let found = schema.column(at);
    let kind = match found.physical_type() {
        PhysicalType::INT64 => Some(Kind::Number),
        PhysicalType::DOUBLE => Some(Kind::Share),
        PhysicalType::BOOLEAN => Some(Kind::Truth),
        PhysicalType::BYTE_ARRAY => Some(Kind::Text),
        _ => None,
    };
    let levels = (found.max_def_level(), found.max_rep_level());
    let is_it = kind == Some(field.kind) && levels == (field.may_be_null.into(), 0);
    match is_it {
        true => Ok(Some(at)),
        false => Err(Why::Column(field.name)),
    }
}

fn column(reader: ColumnReader, field: &Field, rows: usize) -> ParquetResult<Column> {
    let mut column = Column::new(field.kind, field.may_be_null);
    let present = &mut column.present;
    match (reader, &mut column.values) {
        (ColumnReader::Int64ColumnReader(mut from), Values::Number(to)) => {
            fill(&mut from, to, present, rows)?;
        }
        (ColumnReader::DoubleColumnReader(mut from), Values::Share(to)) => {
            fill(&mut from, to, present, rows)?;
        }
        (ColumnReader::BoolColumnReader(mut from), Values::Truth(to)) => {
            fill(&mut from, to, present, rows)?;
        }
        (ColumnReader::ByteArrayColumnReader(mut from), Values::Text(to)) => {
            fill(&mut from, to, present, rows)?;
        }
        _ => return Err(ParquetError::General("a column changes its type".into())),
    }
    Ok(column)
}

fn fill<T: DataType>(
    from: &mut ColumnReaderImpl<T>,
    to: &mut Vec<T::T>,
    present: &mut Option<Vec<i16>>,
    rows: usize,
) -> ParquetResult<()> {
    let mut left = rows;
    while left > 0 {
        let (records, ..) = from.read_records(left.min(BATCH), present.as_mut(), None, to)?;
        if records == 0 {
            return Err(ParquetError::EOF("a column ends early".into()));
        }
        left -= records;
    }
    Ok(())
}
