//! How a table is declared: a row's fields, with types and units.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::schema::types::{Type, TypePtr};

use crate::cell::{Column, Kind};

/// What a column's values are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Joins tables, or numbers rows of one process.
    Key,
    Bytes,
    /// Nanoseconds since the process's log began, or of a duration.
    Nanoseconds,
    /// Nanoseconds since 1970.
    UnixNanoseconds,
    /// A number of things.
    Count,
    /// Between 0 and 1.
    Share,
    /// In a hundred.
    Percent,
    Address,
    /// A number, name or flag without a unit.
    None,
}

impl Unit {
    /// The name in `schema/`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Bytes => "bytes",
            Self::Nanoseconds => "ns",
            Self::UnixNanoseconds => "ns since 1970",
            Self::Count => "count",
            Self::Share => "0 to 1",
            Self::Percent => "percent",
            Self::Address => "address",
            Self::None => "",
        }
    }

    /// Whether neighboring values are near each other, so that differences are small, and a dictionary does not help.
    pub fn is_sequence(self) -> bool {
        matches!(self, Self::Nanoseconds | Self::Address)
    }
}

/// A column's declaration.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
    pub may_be_null: bool,
    pub unit: Unit,
    /// The version that added it.
    pub since: u32,
    /// Lines of its documentation.
    pub meaning: &'static [&'static str],
}

/// A row of a table.
pub trait Row: Sized {
    /// The table's name, which is its folder's.
    const TABLE: &'static str;
    const FIELDS: &'static [Field];

    /// Appends the row to the columns, which are in the order of the fields.
    fn put(&self, to: &mut [Column]);
    /// The next row. A column is `None` if the file is older than it.
    fn take(from: &mut [Option<Column>]) -> Option<Self>;
}

/// The table as Parquet declares it.
pub fn schema(table: &str, fields: &[Field]) -> parquet::errors::Result<TypePtr> {
    let fields = fields.iter().map(|field| {
        let (kind, logical) = match field.kind {
            Kind::Number => (PhysicalType::INT64, None),
            Kind::Share => (PhysicalType::DOUBLE, None),
            Kind::Truth => (PhysicalType::BOOLEAN, None),
            Kind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition = match field.may_be_null {
            true => Repetition::OPTIONAL,
            false => Repetition::REQUIRED,
        };
        Type::primitive_type_builder(field.name, kind)
            .with_logical_type(logical)
            .with_repetition(repetition)
            .build()
            .map(Arc::new)
    });
    let fields = fields.collect::<Result<Vec<_>, _>>()?;
    let table = Type::group_type_builder(table).with_fields(fields).build();
    table.map(Arc::new)
}

/// `schema/TABLE.tsv` of a table.
pub fn describe(fields: &[Field]) -> String {
    let mut text = "column\ttype\tnull\tunit\tsince\tmeaning\n".to_owned();
    for field in fields {
        let meaning = field.meaning.iter().map(|line| line.trim());
        let meaning = meaning.collect::<Vec<_>>().join(" ");
        let null = if field.may_be_null { "yes" } else { "no" };
        let cells = [
            field.name,
            field.kind.name(),
            null,
            field.unit.name(),
            &field.since.to_string(),
            &meaning,
        ];
        text += &cells.join("\t");
        text.push('\n');
    }
    text
}

/// Declares a table: the row's type, its name, and each column with its unit and, if it is not of version 1, the version that added it.
#[macro_export]
macro_rules! table {
    (
        $(#[$about:meta])*
        $row:ident in $table:literal {
            $(
                $(#[doc = $meaning:literal])*
                $field:ident: $type:ty [$unit:ident $(, since $since:literal)?],
            )*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, PartialEq, Debug)]
        pub struct $row {
            $($(#[doc = $meaning])* pub $field: $type,)*
        }

        impl $crate::table::Row for $row {
            const TABLE: &'static str = $table;
            const FIELDS: &'static [$crate::table::Field] = &[
                $($crate::table::Field {
                    name: stringify!($field),
                    kind: <$type as $crate::cell::Cell>::KIND,
                    may_be_null: <$type as $crate::cell::Cell>::MAY_BE_NULL,
                    unit: $crate::table::Unit::$unit,
                    since: 1 $(- 1 + $since)?,
                    meaning: &[$($meaning),*],
                },)*
            ];

            fn put(&self, to: &mut [$crate::cell::Column]) {
                let mut to = to.iter_mut();
                $(
                    if let Some(column) = to.next() {
                        $crate::cell::Cell::put(&self.$field, column);
                    }
                )*
            }

            fn take(from: &mut [Option<$crate::cell::Column>]) -> Option<Self> {
                let mut from = from.iter_mut();
                Some(Self {
                    $($field: match from.next()? {
                        Some(column) => $crate::cell::Cell::take(column)?,
                        None => <$type as $crate::cell::Cell>::default(),
                    },)*
                })
            }
        }

        impl Default for $row {
            fn default() -> Self {
                Self { $($field: <$type as $crate::cell::Cell>::default(),)* }
            }
        }
    };
}
