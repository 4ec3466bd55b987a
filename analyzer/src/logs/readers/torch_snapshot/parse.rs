//! Finds a snapshot's parts in a pickle.
//!
//! Objects of a pickle can be shared, so that a short file describes any number of entries. Stacks are shared by real files, and are read
//! once. All others are read as often as they occur, but no more of them than the file has bytes.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::Error;
use super::object::*;
use super::snapshot::*;
use crate::logs::readers::pickle::{DictId, ListId, Pickle, Value};

/// Finds all parts; `bytes` is the length of the file.
pub fn snapshot(pickle: &Pickle, bytes: usize) -> Result<Snapshot, Error> {
    let mut parser = Parser {
        pickle,
        left: bytes.max(1024),
        frames: HashMap::new(),
        stacks: HashMap::new(),
        texts: HashMap::new(),
        unknown: BTreeSet::new(),
        found: Snapshot::default(),
    };
    parser.top()?;
    let mut found = parser.found;
    found.unknown = parser.unknown.into_iter().collect();
    Ok(found)
}

struct Parser<'a> {
    pickle: &'a Pickle<'a>,
    /// Items that may still be read.
    left: usize,
    frames: HashMap<DictId, u32>,
    stacks: HashMap<ListId, StackId>,
    /// Texts by place in the file: a long one may be referred to by every entry.
    texts: HashMap<(*const u8, usize), Arc<str>>,
    unknown: BTreeSet<String>,
    found: Snapshot,
}

/// Most names of unknown keys that are kept.
const MAX_UNKNOWN: usize = 20;
/// Longest name; those of C++ templates have thousands of bytes.
const MAX_TEXT_BYTES: usize = 8192;

impl<'a> Parser<'a> {
    fn top(&mut self) -> Result<(), Error> {
        let top = match self.pickle.top {
            Value::Dict(top) => self.object(top, "the snapshot", &TOP)?,
            // `memory_snapshot()` has the segments alone.
            Value::List(segments) => return self.segments(segments),
            other => return Err(Error::NoSnapshot(other.kind())),
        };
        let segments = top.list("segments")?;
        self.segments(segments.ok_or(Error::NoSnapshot("a dictionary without `segments`"))?)?;
        if let Some(traces) = top.list("device_traces")? {
            let traces = self.items(traces)?;
            if traces.len() > MAX_DEVICES {
                let count = Value::Unsigned(traces.len() as u64);
                return Err(top.fault(
                    "device_traces",
                    count,
                    "devices are more than any machine has",
                ));
            }
            for trace in traces {
                let Value::List(trace) = *trace else {
                    return Err(top.fault("device_traces", *trace, "is no list of entries"));
                };
                let mut entries = Vec::new();
                for entry in self.items(trace)? {
                    entries.push(self.entry(*entry)?);
                }
                self.found.traces.push(entries);
            }
        }
        if let Some(annotations) = top.list("external_annotations")? {
            for annotation in self.items(annotations)? {
                let annotation = self.annotation(*annotation)?;
                self.found.annotations.push(annotation);
            }
            self.found
                .annotations
                .sort_by_key(|annotation| annotation.time_us);
        }
        if let Some(Value::Dict(settings)) = top.get("allocator_settings") {
            self.settings("", settings, 0)?;
        }
        Ok(())
    }

    /// Charges for `count` items that are about to be read.
    fn charge(&mut self, count: usize) -> Result<(), Error> {
        self.left = self.left.checked_sub(count).ok_or(Error::Repeats)?;
        Ok(())
    }

    fn items(&mut self, list: ListId) -> Result<&'a [Value<'a>], Error> {
        let items = self.pickle.list(list);
        self.charge(items.len())?;
        Ok(items)
    }

    fn object(
        &mut self,
        dict: DictId,
        kind: &'static str,
        known: &[&str],
    ) -> Result<Object<'a>, Error> {
        let items = self.pickle.dict(dict);
        self.charge(items.len())?;
        for (key, _) in items {
            let Value::Text(key) = key else { continue };
            if self.unknown.len() < MAX_UNKNOWN && !known.iter().any(|name| name.as_bytes() == *key)
            {
                self.unknown
                    .insert(format!("key `{}` of {kind}", clean(key)));
            }
        }
        Ok(Object { kind, items })
    }

    fn dict(
        &mut self,
        value: Value<'a>,
        kind: &'static str,
        known: &[&str],
    ) -> Result<Object<'a>, Error> {
        match value {
            Value::Dict(dict) => self.object(dict, kind, known),
            other => Err(Error::NoObject {
                of: kind,
                value: shown(other),
            }),
        }
    }

    fn segments(&mut self, segments: ListId) -> Result<(), Error> {
        for segment in self.items(segments)? {
            let segment = self.segment(*segment)?;
            self.found.segments.push(segment);
        }
        Ok(())
    }

    fn segment(&mut self, value: Value<'a>) -> Result<Segment, Error> {
        let object = self.dict(value, "a segment", &SEGMENT)?;
        let mut segment = Segment {
            device: object.device()?,
            address: object.needed("address")?,
            size: object.size("total_size")?,
            stream: object.handle("stream"),
            is_small: object.text("segment_type") == b"small",
            pool: self.pool(&object, "segment_pool_id").unwrap_or_default(),
            is_expandable: object.get("is_expandable") == Some(Value::Bool(true)),
            stack: self.stack(&object)?,
            blocks: Vec::new(),
        };
        // Before PyTorch 2.1 blocks had no address: they follow each other.
        let mut next = segment.address;
        if let Some(blocks) = object.list("blocks")? {
            for block in self.items(blocks)? {
                let block = self.block(*block, next)?;
                next = block.address.saturating_add(block.size);
                segment.blocks.push(block);
            }
        }
        Ok(segment)
    }

    fn block(&mut self, value: Value<'a>, next: u64) -> Result<Block, Error> {
        let object = self.dict(value, "a block", &BLOCK)?;
        let size = object.size("size")?;
        Ok(Block {
            address: object.number("address")?.unwrap_or(next),
            size,
            requested: object.number("requested_size")?.unwrap_or(size),
            state: match object.text("state") {
                b"active_allocated" => State::Allocated,
                b"active_awaiting_free" | b"active_pending_free" => State::AwaitingFree,
                b"inactive" => State::Inactive,
                _ => {
                    let value = object.get("state").unwrap_or(Value::None);
                    return Err(object.fault(
                        "state",
                        value,
                        "is no state: `active_allocated`, `active_awaiting_free` and `inactive` are",
                    ));
                }
            },
            stack: self.stack(&object)?,
        })
    }

    fn entry(&mut self, value: Value<'a>) -> Result<Entry, Error> {
        let object = self.dict(value, "an entry", &ENTRY)?;
        let name = object.text("action");
        let action = match name {
            b"alloc" => Action::Alloc,
            b"free_requested" | b"free" => Action::FreeRequested,
            b"free_completed" => Action::FreeCompleted,
            b"segment_alloc" => Action::SegmentAlloc,
            b"segment_free" => Action::SegmentFree,
            b"segment_map" => Action::SegmentMap,
            b"segment_unmap" => Action::SegmentUnmap,
            b"oom" => Action::OutOfMemory,
            b"snapshot" => Action::Snapshot,
            _ => {
                // `workspace_snapshot` is torch_npu's, `annotate` of PyTorch 2.10 and later.
                let is_known = matches!(name, b"workspace_snapshot" | b"annotate");
                if !is_known && self.unknown.len() < MAX_UNKNOWN {
                    self.unknown
                        .insert(format!("action `{}` of an entry", clean(name)));
                }
                Action::Other
            }
        };
        let has_place = !matches!(
            action,
            Action::OutOfMemory | Action::Snapshot | Action::Other
        );
        let size = match has_place || action == Action::OutOfMemory {
            true => object.size("size")?,
            false => object.handle("size"),
        };
        Ok(Entry {
            action,
            address: match has_place {
                true => object.needed("addr")?,
                false => 0,
            },
            size,
            stream: object.handle("stream"),
            device_free: object.number("device_free").unwrap_or(None),
            time_us: object.number("time_us")?.unwrap_or(0),
            pool: self.pool(&object, "pool_id"),
            metadata: self.shared(object.text("user_metadata")),
            stack: self.stack(&object)?,
        })
    }

    fn annotation(&mut self, value: Value<'a>) -> Result<Annotation, Error> {
        let object = self.dict(value, "an annotation", &ANNOTATION)?;
        Ok(Annotation {
            device: object.device()?,
            name: self.shared(object.text("name")),
            is_end: object.text("stage").eq_ignore_ascii_case(b"end"),
            time_us: object.number("time_us")?.unwrap_or(0),
        })
    }

    fn pool(&mut self, object: &Object, key: &str) -> Option<(u64, u64)> {
        let Some(Value::List(pool)) = object.get(key) else {
            return None;
        };
        match self.pickle.list(pool) {
            [Value::Int(first), Value::Int(second)] => Some((*first as u64, *second as u64)),
            _ => None,
        }
    }

    fn stack(&mut self, object: &Object<'a>) -> Result<StackId, Error> {
        // Before PyTorch 2.1 a block had a history of those who had it, the present one first.
        let frames = match (object.list("frames")?, object.get("history")) {
            (None, Some(Value::List(history))) => match self.pickle.list(history).first() {
                Some(first) => self
                    .dict(*first, "a block's history", &HISTORY)?
                    .list("frames")?,
                None => None,
            },
            (frames, _) => frames,
        };
        let Some(list) = frames else {
            return Ok(StackId::default());
        };
        if let Some(&known) = self.stacks.get(&list) {
            return Ok(known);
        }
        let mut frames = Vec::new();
        for frame in self.items(list)? {
            frames.push(self.frame(*frame)?);
        }
        let stack = match frames.is_empty() {
            true => StackId::default(),
            false => {
                self.found.stacks.stacks.push(frames);
                StackId(self.found.stacks.stacks.len() as u32)
            }
        };
        self.stacks.insert(list, stack);
        Ok(stack)
    }

    fn frame(&mut self, value: Value<'a>) -> Result<u32, Error> {
        if let Value::Dict(dict) = value
            && let Some(&known) = self.frames.get(&dict)
        {
            return Ok(known);
        }
        let object = self.dict(value, "a frame", &FRAME)?;
        let frame = Frame {
            function: self.shared(object.text("name")),
            file: self.shared(object.text("filename")),
            line: u32::try_from(object.handle("line")).unwrap_or(0),
        };
        let number = self.found.stacks.frames.len() as u32;
        self.found.stacks.frames.push(frame);
        if let Value::Dict(dict) = value {
            self.frames.insert(dict, number);
        }
        Ok(number)
    }

    fn shared(&mut self, text: &'a [u8]) -> Arc<str> {
        let text = &text[..text.len().min(MAX_TEXT_BYTES)];
        let known = self.texts.entry((text.as_ptr(), text.len()));
        let known = known.or_insert_with(|| String::from_utf8_lossy(text).into());
        Arc::clone(known)
    }

    fn settings(&mut self, prefix: &str, settings: DictId, depth: usize) -> Result<(), Error> {
        let items = self.pickle.dict(settings);
        self.charge(items.len())?;
        for (key, value) in items {
            let Value::Text(key) = key else { continue };
            let name = format!("{prefix}{}", clean(key));
            match value {
                Value::Dict(inner) if depth < 2 => {
                    self.settings(&format!("{name}."), *inner, depth + 1)?;
                }
                value => self.found.settings.push((name, shown(*value))),
            }
        }
        Ok(())
    }
}
