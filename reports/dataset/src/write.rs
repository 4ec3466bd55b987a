//! Rows to a file. Memory is bounded: a row group is written when it is full.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{BoolType, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::Result;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::ColumnPath;

use crate::cell::{Column, Values};
use crate::table::{Field, Row, schema};

/// Keys of the file's metadata.
pub const TABLE_KEY: &str = "aclsan.table";
pub const VERSION_KEY: &str = "aclsan.dataset";

/// Rows of a row group: engines skip whole groups by their statistics, and read them in parallel.
const GROUP: usize = 1 << 15;
/// Bytes of a page before compression.
const PAGE: usize = 128 << 10;

/// Tables of a few rows and many columns are not compressed: each column would cost the writer and every reader a Zstandard context.
const SHORT: [&str; 5] = ["calls", "categories", "layouts", "processes", "usage"];

/// A file of a table under construction.
pub struct Writer<R: Row, W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Column>,
    rows: usize,
    row: std::marker::PhantomData<fn(&R)>,
}

impl<R: Row, W: Write + Send> Writer<R, W> {
    /// Begins the file.
    ///
    /// # Errors
    /// Those of `to`.
    pub fn new(to: W) -> Result<Self> {
        Self::of_version(to, crate::VERSION)
    }

    /// As [`Writer::new`], as another version would, with the columns that it has: for tests of readers.
    ///
    /// # Errors
    /// Those of `to`.
    pub fn of_version(to: W, version: u32) -> Result<Self> {
        let fields = R::FIELDS.iter();
        let fields: Vec<Field> = fields
            .filter(|field| field.since <= version.max(1))
            .copied()
            .collect();
        let properties = properties(R::TABLE, &fields, version)?;
        let schema = schema(R::TABLE, &fields)?;
        Ok(Self {
            file: SerializedFileWriter::new(to, schema, Arc::new(properties))?,
            columns: fields
                .iter()
                .map(|field| Column::new(field.kind, field.may_be_null))
                .collect(),
            rows: 0,
            row: std::marker::PhantomData,
        })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If a full row group cannot be written.
    pub fn add(&mut self, row: &R) -> Result<()> {
        row.put(&mut self.columns);
        self.rows += 1;
        match self.rows >= GROUP {
            true => self.flush(),
            false => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<()> {
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            let Some(mut to) = group.next_column()? else {
                break;
            };
            let present = column.present.as_deref();
            match &column.values {
                Values::Number(values) => put::<Int64Type>(&mut to, values, present)?,
                Values::Share(values) => put::<DoubleType>(&mut to, values, present)?,
                Values::Truth(values) => put::<BoolType>(&mut to, values, present)?,
                Values::Text(values) => put::<ByteArrayType>(&mut to, values, present)?,
            }
            to.close()?;
            column.clear();
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }

    /// Completes the file, and returns where it was written to. One without rows has no row group.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> Result<W> {
        if self.rows > 0 {
            self.flush()?;
        }
        self.file.into_inner()
    }
}

fn put<T: DataType>(
    to: &mut SerializedColumnWriter<'_>,
    values: &[T::T],
    present: Option<&[i16]>,
) -> Result<()> {
    to.typed::<T>().write_batch(values, present, None).map(drop)
}

fn properties(table: &str, fields: &[Field], version: u32) -> Result<WriterProperties> {
    let metadata = [
        (TABLE_KEY, table.to_owned()),
        (VERSION_KEY, version.to_string()),
    ];
    let metadata = metadata.map(|(key, value)| KeyValue::new(key.to_owned(), value));
    let compression = match SHORT.contains(&table) {
        true => Compression::UNCOMPRESSED,
        false => Compression::ZSTD(ZstdLevel::try_new(3)?),
    };
    let mut properties = WriterProperties::builder()
        .set_compression(compression)
        .set_created_by(format!("aclsan version {}", env!("CARGO_PKG_VERSION")))
        .set_data_page_size_limit(PAGE)
        .set_dictionary_page_size_limit(PAGE)
        .set_offset_index_disabled(false)
        .set_max_row_group_row_count(Some(GROUP))
        .set_key_value_metadata(Some(metadata.into()));
    for field in fields.iter().filter(|field| field.unit.is_sequence()) {
        let column = ColumnPath::from(field.name);
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
    }
    Ok(properties.build())
}
