//! Values of rows, and columns of them in memory until their row group is written.

use std::collections::HashMap;

use parquet::data_type::ByteArray;

/// The physical type of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Number,
    Share,
    Truth,
    Text,
}

impl Kind {
    /// The type as Parquet and `schema/` name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "INT64",
            Self::Share => "DOUBLE",
            Self::Truth => "BOOLEAN",
            Self::Text => "UTF8",
        }
    }
}

/// The values of a column that are there.
#[derive(Debug)]
pub enum Values {
    Number(Vec<i64>),
    Share(Vec<f64>),
    Truth(Vec<bool>),
    Text(Vec<ByteArray>),
}

/// A column of a row group.
#[derive(Debug)]
pub struct Column {
    pub values: Values,
    /// For a column that may be null: 1 where a row has a value.
    pub present: Option<Vec<i16>>,
    /// Texts repeat, and copies of one share its bytes.
    known: HashMap<String, ByteArray>,
    /// While reading: the next row, and the next value.
    row: usize,
    next: usize,
}

/// Texts that a column shares among its rows.
const SHARED: usize = 4096;

impl Column {
    /// An empty column.
    pub fn new(kind: Kind, may_be_null: bool) -> Self {
        Self {
            values: match kind {
                Kind::Number => Values::Number(Vec::new()),
                Kind::Share => Values::Share(Vec::new()),
                Kind::Truth => Values::Truth(Vec::new()),
                Kind::Text => Values::Text(Vec::new()),
            },
            present: may_be_null.then(Vec::new),
            known: HashMap::new(),
            row: 0,
            next: 0,
        }
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        match &mut self.values {
            Values::Number(values) => values.clear(),
            Values::Share(values) => values.clear(),
            Values::Truth(values) => values.clear(),
            Values::Text(values) => values.clear(),
        }
        if let Some(present) = &mut self.present {
            present.clear();
        }
        (self.row, self.next) = (0, 0);
    }

    fn text(&mut self, text: &str) {
        let Values::Text(values) = &mut self.values else {
            return;
        };
        if let Some(known) = self.known.get(text) {
            return values.push(known.clone());
        }
        let bytes = ByteArray::from(text);
        if self.known.len() < SHARED {
            self.known.insert(text.to_owned(), bytes.clone());
        }
        values.push(bytes);
    }

    /// Whether the next row has a value.
    fn has_next(&mut self) -> Option<bool> {
        let Some(present) = &self.present else {
            return Some(true);
        };
        let has = *present.get(self.row)? == 1;
        self.row += 1;
        Some(has)
    }
}

/// A type of field.
pub trait Cell: Sized {
    const KIND: Kind;
    const MAY_BE_NULL: bool = false;

    /// Appends it.
    fn put(&self, to: &mut Column);
    /// The next one; `None` if the column ends, which happens in damaged files only.
    fn take(from: &mut Column) -> Option<Self>;
    /// The value in files that are older than the column.
    fn default() -> Self;
}

macro_rules! numbers {
    ($($number:ty: $to:expr, $from:expr;)*) => {$(
        impl Cell for $number {
            const KIND: Kind = Kind::Number;

            fn put(&self, to: &mut Column) {
                if let Values::Number(values) = &mut to.values {
                    let to: fn($number) -> i64 = $to;
                    values.push(to(*self));
                }
            }

            fn take(from: &mut Column) -> Option<Self> {
                let at = from.next;
                from.next += 1;
                let Values::Number(values) = &from.values else {
                    return None;
                };
                let from: fn(i64) -> $number = $from;
                values.get(at).map(|&value| from(value))
            }

            fn default() -> Self {
                0
            }
        }
    )*};
}

numbers! {
    u64: |value| i64::try_from(value).unwrap_or(i64::MAX), |value| u64::try_from(value).unwrap_or(0);
    u32: i64::from, |value| u32::try_from(value).unwrap_or(0);
    i64: |value| value, |value| value;
    i32: i64::from, |value| i32::try_from(value).unwrap_or(0);
}

/// An address, stored with its bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Address(pub u64);

impl Cell for Address {
    const KIND: Kind = Kind::Number;

    fn put(&self, to: &mut Column) {
        self.0.cast_signed().put(to);
    }

    fn take(from: &mut Column) -> Option<Self> {
        i64::take(from).map(|bits| Self(bits.cast_unsigned()))
    }

    fn default() -> Self {
        Self(0)
    }
}

impl Cell for f64 {
    const KIND: Kind = Kind::Share;

    fn put(&self, to: &mut Column) {
        if let Values::Share(values) = &mut to.values {
            values.push(*self);
        }
    }

    fn take(from: &mut Column) -> Option<Self> {
        from.next += 1;
        match &from.values {
            Values::Share(values) => values.get(from.next - 1).copied(),
            _ => None,
        }
    }

    fn default() -> Self {
        0.0
    }
}

impl Cell for bool {
    const KIND: Kind = Kind::Truth;

    fn put(&self, to: &mut Column) {
        if let Values::Truth(values) = &mut to.values {
            values.push(*self);
        }
    }

    fn take(from: &mut Column) -> Option<Self> {
        from.next += 1;
        match &from.values {
            Values::Truth(values) => values.get(from.next - 1).copied(),
            _ => None,
        }
    }

    fn default() -> Self {
        false
    }
}

impl Cell for String {
    const KIND: Kind = Kind::Text;

    fn put(&self, to: &mut Column) {
        to.text(self);
    }

    fn take(from: &mut Column) -> Option<Self> {
        from.next += 1;
        match &from.values {
            Values::Text(values) => values
                .get(from.next - 1)
                .map(|text| Self::from_utf8_lossy(text.data()).into_owned()),
            _ => None,
        }
    }

    fn default() -> Self {
        Self::new()
    }
}

impl<T: Cell> Cell for Option<T> {
    const KIND: Kind = T::KIND;
    const MAY_BE_NULL: bool = true;

    fn put(&self, to: &mut Column) {
        if let Some(present) = &mut to.present {
            present.push(self.is_some().into());
        }
        if let Some(value) = self {
            value.put(to);
        }
    }

    fn take(from: &mut Column) -> Option<Self> {
        match from.has_next()? {
            true => T::take(from).map(Some),
            false => Some(None),
        }
    }

    fn default() -> Self {
        None
    }
}
