//! Events and definitions as JSON lines.

use aclsan_log::batch::TimestampedEvent;
use aclsan_log::record::MAX_VALUES;
use aclsan_log::{
    Access, BlockId, CallSiteId, Event, Log, Mapping, PythonFrame, ScanGap, ScanOutcome, Values,
};
use aclsan_render::model;
use aclsan_rules::api::functions;
use aclsan_rules::evidence::death;
use serde_json::{Map, Value, json};

/// The JSON of one event.
pub fn line(log: &Log, timed: &TimestampedEvent) -> Value {
    let mut fields = Map::new();
    fields.insert("ns".into(), timed.ns.into());
    fields.insert("tid".into(), timed.tid.into());
    let (name, site, rest) = parts(log, &timed.event);
    fields.insert("event".into(), name.into());
    if let Some(site) = site {
        fields.insert("site".into(), site.0.into());
        fields.insert("function".into(), function(log, site).into());
        fields.insert("device".into(), log.site(site).device.into());
    }
    if let Value::Object(rest) = rest {
        fields.extend(rest);
    }
    Value::Object(fields)
}

fn parts(log: &Log, event: &Event) -> (&'static str, Option<CallSiteId>, Value) {
    match *event {
        Event::Thread { tid } => ("thread", None, json!({ "tid": tid })),
        Event::Allocation {
            block,
            site,
            address,
            size,
        } => (
            "allocation",
            Some(site),
            json!({ "block": number(block), "address": hex(address), "size": size }),
        ),
        Event::AllocationFailed { site, size, status } => (
            "allocation_failed",
            Some(site),
            json!({ "size": size, "status": status }),
        ),
        Event::Release { block, site } => {
            ("release", Some(site), json!({ "block": number(block) }))
        }
        Event::ReleaseAt {
            site,
            address,
            mapping,
        } => (
            "release_at",
            Some(site),
            json!({ "address": hex(address), "mapping": mapped(mapping) }),
        ),
        Event::Refused {
            site,
            address,
            status,
        } => (
            "refused",
            Some(site),
            json!({ "address": hex(address), "status": status }),
        ),
        Event::Copy {
            site,
            to,
            room,
            from,
            count,
            stream,
        } => (
            "copy",
            Some(site),
            json!({ "to": hex(to), "room": room, "from": hex(from), "count": count, "stream": hex(stream) }),
        ),
        Event::Copy2d {
            site,
            to,
            to_pitch,
            from,
            from_pitch,
            width,
            height,
            stream,
        } => (
            "copy_2d",
            Some(site),
            json!({
                "to": hex(to), "to_pitch": to_pitch, "from": hex(from), "from_pitch": from_pitch,
                "width": width, "height": height, "stream": hex(stream),
            }),
        ),
        Event::Set {
            site,
            to,
            room,
            value,
            count,
            stream,
            mapping,
        } => (
            "set",
            Some(site),
            json!({
                "to": hex(to), "room": room, "value": value, "count": count, "stream": hex(stream),
                "mapping": mapped(mapping),
            }),
        ),
        Event::Call {
            site,
            values,
            status,
        } => ("call", Some(site), called(log, site, &values, status)),
        Event::Use {
            site,
            address,
            size,
            access,
            stream,
        } => (
            "use",
            Some(site),
            json!({ "address": hex(address), "size": size, "access": accessed(access), "stream": hex(stream) }),
        ),
        Event::Memory { site, free, total } => (
            "memory",
            Some(site),
            json!({ "free": free, "total": total }),
        ),
        Event::Guard {
            block,
            slack,
            guard,
            front,
        } => (
            "guard",
            None,
            json!({ "block": number(block), "slack": slack, "guard": guard, "front": front }),
        ),
        Event::Damage {
            block,
            site,
            offset,
            extent,
            found,
        } => (
            "damage",
            Some(site),
            json!({ "block": number(block), "offset": offset as i64, "extent": extent, "found": bytes(found.bytes()) }),
        ),
        Event::Fence {
            block,
            slack,
            guard,
            taken,
        } => (
            "fence",
            None,
            json!({ "block": number(block), "slack": slack, "guard": guard, "taken": taken }),
        ),
        Event::Slow { block, ns } => (
            "slow",
            None,
            json!({ "block": number(block), "took_ns": ns }),
        ),
        Event::Pointer { block, at, mapping } => (
            "pointer",
            None,
            json!({ "block": number(block), "at": hex(at), "in": mapped(mapping) }),
        ),
        Event::LostObject {
            block,
            at,
            size,
            class,
        } => (
            "lost_object",
            None,
            json!({ "block": number(block), "at": hex(at), "size": size, "class": log.texts.get(&class) }),
        ),
        Event::Gap { what, count } => (
            "scan_gap",
            None,
            json!({ "what": gap(what), "count": count }),
        ),
        Event::Scan {
            outcome,
            bytes,
            ns,
            threads,
        } => (
            "scan",
            None,
            json!({ "outcome": ended(outcome), "bytes": bytes, "took_ns": ns, "other_threads": threads }),
        ),
        Event::Unwritten {
            block,
            site,
            offset,
            extent,
        } => (
            "unwritten",
            Some(site),
            json!({ "block": number(block), "offset": offset, "extent": extent }),
        ),
        Event::Dropped { count } => ("dropped", None, json!({ "count": count })),
        Event::Exit => ("exit", None, json!({})),
    }
}

/// A call's values, named by its function's row.
fn called(log: &Log, site: CallSiteId, values: &Values, status: i32) -> Value {
    let names = functions::function(function(log, site)).map_or(&[][..], |known| known.values);
    let mut fields = Map::new();
    for (index, &value) in values.all().iter().enumerate() {
        let name = names.get(index).copied().unwrap_or(UNNAMED[index]);
        let text = || log.texts.get(&u32::try_from(value).ok()?).cloned();
        let value = match TEXTS.contains(&name) {
            true => text().unwrap_or_default(),
            false => hex(value),
        };
        fields.insert(name.into(), value.into());
    }
    fields.insert("status".into(), status.into());
    fields.into()
}

/// Names of values that are text numbers.
const TEXTS: [&str; 3] = ["name", "message", "domain"];

/// Names for the values of an unknown function.
const UNNAMED: [&str; MAX_VALUES] = [
    "value_0", "value_1", "value_2", "value_3", "value_4", "value_5", "value_6", "value_7",
];

/// Everything that events refer to by number, one value each.
pub fn definitions(log: &Log) -> Vec<Value> {
    let mut lines = Vec::new();
    for (key, value) in &log.properties {
        lines.push(json!({ "definition": "property", "key": key, "value": value }));
    }
    for module in log.modules() {
        lines.push(json!({
            "definition": "module", "path": module.path, "start": hex(module.start), "end": hex(module.end),
            "bias": hex(module.bias), "build_id": bytes(&module.build_id),
            "unloaded": module.until != u32::MAX,
        }));
    }
    for (code, name) in &log.statuses {
        lines.push(json!({ "definition": "status", "code": code, "name": name }));
    }
    for id in (1..log.site_count() as u32).map(CallSiteId) {
        let site = log.site(id);
        let frames: Vec<String> = site.frames.iter().map(|&at| frame(log, at)).collect();
        lines.push(json!({
            "definition": "site", "site": id.0, "function": function(log, id), "argument": site.argument,
            "device": site.device, "frames": frames,
        }));
    }
    if let Some((end, site)) = &log.end {
        lines.push(json!({
            "definition": "end", "message": death::sentence(end, log.header.pid), "signal": end.signal,
            "code": end.code, "tid": end.thread, "address": hex(end.address), "ns": log.clock.ns(end.ticks),
            "freed": hex(end.freed), "site": site.0,
        }));
    }
    lines
}

/// A return address, or a Python frame as text.
fn frame(log: &Log, address: u64) -> String {
    match PythonFrame::of(address) {
        None => hex(address),
        Some(frame) => {
            let (function, file) = log.python(frame).unwrap_or_default();
            format!("{function} {file}:{}", frame.line)
        }
    }
}

/// A site's function; site 0 has none.
fn function(log: &Log, site: CallSiteId) -> &str {
    match site {
        CallSiteId(0) => "",
        site => log.function(site),
    }
}

fn hex(address: u64) -> String {
    format!("{address:#x}")
}

fn bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn number(block: BlockId) -> String {
    format!("{}.{}", block.segment(), block.place())
}

fn accessed(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Both => "both",
    }
}

/// What a scan could not look into, as text.
pub fn gap(what: ScanGap) -> &'static str {
    match what {
        ScanGap::Threads => "threads",
        ScanGap::Glibc => "glibc",
        ScanGap::Jemalloc => "jemalloc",
        ScanGap::Tcmalloc => "tcmalloc",
        ScanGap::Mimalloc => "mimalloc",
        ScanGap::Allocator => "another allocator",
    }
}

/// Those of a scan, as a report has them.
pub fn gaps(counts: &[u64; ScanGap::ALL.len()]) -> Vec<model::ScanGap> {
    let known = ScanGap::ALL.into_iter().zip(*counts);
    let known = known.filter(|&(_, count)| count > 0);
    known
        .map(|(what, count)| model::ScanGap {
            what: gap(what),
            count,
        })
        .collect()
}

/// The outcome of a scan as text.
pub fn ended(outcome: ScanOutcome) -> &'static str {
    match outcome {
        ScanOutcome::Whole => "whole",
        ScanOutcome::Cut => "cut short",
        ScanOutcome::Failed => "failed",
    }
}

fn mapped(mapping: Mapping) -> &'static str {
    match mapping {
        Mapping::Unknown => "unknown",
        Mapping::Stack => "stack",
        Mapping::Heap => "heap",
        Mapping::Image => "image",
        Mapping::Anonymous => "anonymous",
        Mapping::LostObject => "lost object",
    }
}
