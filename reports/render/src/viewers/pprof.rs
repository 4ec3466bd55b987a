//! pprof's protocol buffer, uncompressed: for `go tool pprof`, Grafana, Google's viewers.
//!
//! The field numbers are those of `profile.proto`, which Google publishes for writers like this one.

use std::collections::HashMap;

use prost::Message;

use crate::model::{Frame, Trace};

/// Values of one stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The stack.
    pub trace: Trace,
    /// Total blocks and bytes allocated.
    pub allocated: (u64, u64),
    /// Blocks and bytes live at the end.
    pub live: (u64, u64),
    /// Blocks and bytes never released, those that a reset reclaimed among them.
    pub leaked: (u64, u64),
    /// Blocks and bytes live at the peak of device memory.
    pub peak: (u64, u64),
}

#[derive(Clone, PartialEq, Message)]
struct Profile {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<ProfileSample>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(int64, tag = "9")]
    time_nanos: i64,
    #[prost(int64, tag = "14")]
    default_sample_type: i64,
}

#[derive(Clone, PartialEq, Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    name: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
struct ProfileSample {
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(uint64, tag = "3")]
    address: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Clone, PartialEq, Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
    #[prost(int64, tag = "2")]
    line: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
    #[prost(int64, tag = "4")]
    filename: i64,
}

/// The document; `time_ns` is the start of the run since 1970.
pub fn document(samples: &[Sample], time_ns: u64) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.string("");
    let mut kind = |name, unit| ValueType {
        name: writer.string(name),
        unit: writer.string(unit),
    };
    let kinds = [
        ("alloc_objects", "count"),
        ("alloc_space", "bytes"),
        ("inuse_objects", "count"),
        ("inuse_space", "bytes"),
        ("leaked_objects", "count"),
        ("leaked_space", "bytes"),
        ("peak_objects", "count"),
        ("peak_space", "bytes"),
    ];
    writer.profile.sample_type = kinds.map(|(name, unit)| kind(name, unit)).to_vec();
    writer.profile.default_sample_type = writer.string("inuse_space");
    writer.profile.time_nanos = signed(time_ns);
    for sample in samples {
        let call = Frame {
            function: Some(sample.trace.function.as_str().into()),
            ..Frame::default()
        };
        let frames = std::iter::once(&call).chain(sample.trace.callers());
        let location_id = frames.map(|frame| writer.location(frame)).collect();
        let pairs = [sample.allocated, sample.live, sample.leaked, sample.peak];
        let values = pairs.iter().flat_map(|&(blocks, bytes)| [blocks, bytes]);
        let value = values.map(signed).collect();
        writer
            .profile
            .sample
            .push(ProfileSample { location_id, value });
    }
    writer.profile.encode_to_vec()
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[derive(Default)]
struct Writer {
    profile: Profile,
    strings: HashMap<String, i64>,
    functions: HashMap<(i64, i64), u64>,
    locations: HashMap<(u64, u64, i64), u64>,
}

impl Writer {
    fn string(&mut self, text: &str) -> i64 {
        if let Some(&known) = self.strings.get(text) {
            return known;
        }
        let number = self.profile.string_table.len() as i64;
        self.profile.string_table.push(text.to_owned());
        self.strings.insert(text.to_owned(), number);
        number
    }

    fn location(&mut self, frame: &Frame) -> u64 {
        let function_id = self.function(frame);
        let line = i64::from(frame.line.unwrap_or(0));
        let next = self.profile.location.len() as u64 + 1;
        let id = *self
            .locations
            .entry((frame.address, function_id, line))
            .or_insert(next);
        if id == next {
            let line = vec![Line { function_id, line }];
            self.profile.location.push(Location {
                id,
                address: frame.address,
                line,
            });
        }
        id
    }

    fn function(&mut self, frame: &Frame) -> u64 {
        let (name, filename) = (
            self.string(&frame.identity()),
            self.string(frame.file.as_deref().unwrap_or("")),
        );
        let next = self.profile.function.len() as u64 + 1;
        let id = *self.functions.entry((name, filename)).or_insert(next);
        if id == next {
            self.profile.function.push(Function { id, name, filename });
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::history;

    #[test]
    fn a_profile_comes_back_with_its_stacks_and_values() {
        let traces = history().traces;
        let samples = [
            Sample {
                trace: traces[0].clone(),
                allocated: (1, 4096),
                live: (0, 0),
                leaked: (1, 4096),
                peak: (1, 4096),
            },
            Sample {
                trace: traces[1].clone(),
                allocated: (1, 1000),
                live: (1, 1000),
                leaked: (1, 1000),
                peak: (0, 0),
            },
        ];
        let profile = Profile::decode(&*document(&samples, 7)).unwrap();
        assert_eq!(profile.string_table[0], "");
        let name = |at: i64| profile.string_table[at as usize].as_str();
        let types: Vec<_> = profile
            .sample_type
            .iter()
            .map(|kind| name(kind.name))
            .collect();
        // The first four are those of Go's heap profiles, in Go's order.
        assert_eq!(
            types,
            [
                "alloc_objects",
                "alloc_space",
                "inuse_objects",
                "inuse_space",
                "leaked_objects",
                "leaked_space",
                "peak_objects",
                "peak_space"
            ]
        );
        assert_eq!(name(profile.default_sample_type), "inuse_space");
        assert_eq!(profile.sample[0].value, [1, 4096, 0, 0, 1, 4096, 1, 4096]);
        assert_eq!(profile.sample[1].value, [1, 1000, 1, 1000, 1, 1000, 0, 0]);
        // Both stacks end in `main`: one location.
        assert_eq!(
            profile.sample[0].location_id.last(),
            profile.sample[1].location_id.last()
        );
        assert_eq!(profile.location.len(), 5);
        let name = |id: u64| &profile.string_table[profile.function[id as usize - 1].name as usize];
        let first = &profile.location[profile.sample[0].location_id[0] as usize - 1];
        assert_eq!(name(first.line[0].function_id), "aclrtMalloc");
    }
}
