//! Memory snapshots as PyTorch's allocator describes itself: parts, and the whole.

use std::rc::Rc;

use arbitrary::{Result, Unstructured};

use crate::pickle::{Py, dict, dumps};

/// A stack, innermost frame first: function, file, line. Entries of one place share it.
pub fn stack(frames: &[(&str, &str, i64)]) -> Py {
    let frames = frames.iter().map(|&(name, filename, line)| {
        dict([
            ("filename", filename.into()),
            ("name", name.into()),
            ("line", line.into()),
        ])
    });
    Py::Shared(Rc::new(Py::List(frames.collect())))
}

/// An entry of a trace on stream 0.
pub fn entry(action: &str, addr: i64, size: i64, time_us: i64, frames: &Py) -> Py {
    dict([
        ("action", action.into()),
        ("addr", addr.into()),
        ("size", size.into()),
        ("stream", 0.into()),
        ("time_us", time_us.into()),
        ("compile_context", "N/A".into()),
        ("user_metadata", "".into()),
        ("pool_id", pool(0, 0)),
        ("frames", frames.clone()),
    ])
}

/// An allocation that was refused.
pub fn out_of_memory(size: i64, device_free: i64, time_us: i64, frames: &Py) -> Py {
    dict([
        ("action", "oom".into()),
        ("device_free", device_free.into()),
        ("size", size.into()),
        ("stream", 0.into()),
        ("time_us", time_us.into()),
        ("frames", frames.clone()),
    ])
}

/// A block.
pub fn block(address: i64, (size, requested): (i64, i64), state: &str, frames: &Py) -> Py {
    dict([
        ("address", address.into()),
        ("size", size.into()),
        ("requested_size", requested.into()),
        ("state", state.into()),
        ("frames", frames.clone()),
    ])
}

/// A segment of the default pool on device 0.
pub fn segment(address: i64, size: i64, blocks: Vec<Py>, frames: &Py) -> Py {
    dict([
        ("device", 0.into()),
        ("address", address.into()),
        ("total_size", size.into()),
        ("allocated_size", 0.into()),
        ("active_size", 0.into()),
        ("requested_size", 0.into()),
        ("stream", 0.into()),
        ("segment_type", "large".into()),
        ("segment_pool_id", pool(0, 0)),
        ("is_expandable", false.into()),
        ("frames", frames.clone()),
        ("blocks", Py::List(blocks)),
    ])
}

fn pool(first: i64, second: i64) -> Py {
    Py::Tuple(vec![first.into(), second.into()])
}

/// The snapshot.
pub fn snapshot(segments: Vec<Py>, traces: Vec<Vec<Py>>) -> Py {
    let traces = traces.into_iter().map(Py::List).collect();
    let settings = dict([
        ("PYTORCH_CUDA_ALLOC_CONF", "".into()),
        ("max_split_size", (-1).into()),
        ("garbage_collection_threshold", Py::Float(0.0)),
        ("expandable_segments", false.into()),
        ("roundup_power2_divisions", dict([("1", 0.into())])),
    ]);
    dict([
        ("segments", Py::List(segments)),
        ("device_traces", Py::List(traces)),
        ("allocator_settings", settings),
        ("external_annotations", Py::List(Vec::new())),
    ])
}

/// A file: the bytes themselves, or the snapshot that they choose; `None` if they are too few for one.
pub fn file(choice: u8, bytes: &[u8]) -> Option<Vec<u8>> {
    match choice {
        0 => Some(bytes.to_vec()),
        _ => Some(dumps(&nonsense(&mut Unstructured::new(bytes)).ok()?, 4)),
    }
}

/// A well-formed snapshot, whose entries need not fit together.
fn nonsense(u: &mut Unstructured) -> Result<Py> {
    let stacks = [
        stack(&[]),
        stack(&[("f", "a.py", 1)]),
        stack(&[("g", "b.cpp", 0), ("f", "a.py", 2)]),
    ];
    let actions = [
        "alloc",
        "free_requested",
        "free_completed",
        "segment_alloc",
        "segment_free",
        "segment_map",
        "segment_unmap",
        "snapshot",
    ];
    let mut traces = Vec::new();
    for _ in 0..u.int_in_range(0..=2)? {
        let mut trace = Vec::new();
        for _ in 0..u.int_in_range(0..=40)? {
            let frames = u.choose(&stacks)?.clone();
            let (size, at) = (size(u)?, i64::from(u.arbitrary::<u8>()?));
            trace.push(match u.int_in_range(0..=20)? {
                0 => out_of_memory(size, at, at, &frames),
                _ => entry(u.choose(&actions)?, address(u)?, size, at, &frames),
            });
        }
        traces.push(trace);
    }
    let mut segments = Vec::new();
    for _ in 0..u.int_in_range(0..=4)? {
        let mut blocks = Vec::new();
        for _ in 0..u.int_in_range(0..=4)? {
            let states = ["active_allocated", "active_awaiting_free", "inactive"];
            let (state, frames) = (u.choose(&states)?, u.choose(&stacks)?);
            blocks.push(block(address(u)?, (size(u)?, size(u)?), state, frames));
        }
        let Py::Dict(mut items) = segment(address(u)?, size(u)?, blocks, u.choose(&stacks)?) else {
            continue;
        };
        for (key, value) in &mut items {
            match key.as_str() {
                "is_expandable" => *value = u.arbitrary::<bool>()?.into(),
                "device" => *value = u.int_in_range(0..=1)?.into(),
                _ => {}
            }
        }
        segments.push(Py::Dict(items));
    }
    Ok(snapshot(segments, traces))
}

/// Few addresses, so that entries meet, and the last ones.
fn address(u: &mut Unstructured) -> Result<i64> {
    Ok(match u.arbitrary::<u8>()? {
        255 => i64::MAX & !511,
        254 => 0,
        small => 0x1000_0000 + i64::from(small) * 256,
    })
}

fn size(u: &mut Unstructured) -> Result<i64> {
    Ok(match u.arbitrary::<u8>()? {
        255 => i64::MAX,
        254 => 1 << 40,
        small => i64::from(small) * 128,
    })
}
