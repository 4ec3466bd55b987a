//! The text of a finding, identical wherever it is printed: immediately by the shim, or later from the log.

use crate::evidence::finding::Finding;
use crate::evidence::plural::{bytes, with_article};
use aclsan_log::CallSiteId;

/// The lines of a finding, without a prefix: rule and sentence, location, stacks, evidence, what the runtime does, what
/// to do. `stack` returns a site's frames, one per line. `count` is the number of occurrences.
pub fn lines(
    finding: &Finding,
    count: u64,
    mut stack: impl FnMut(CallSiteId) -> Vec<String>,
) -> Vec<String> {
    let severity = finding.severity.name().to_uppercase();
    let times = if count > 1 {
        format!(" ({count} times)")
    } else {
        String::new()
    };
    let mut lines = vec![format!(
        "{severity}: aclsan: {}: {}{times}",
        finding.rule.name, finding.message
    )];
    lines.extend(
        finding
            .address
            .map(|address| format!("  {}", place(address, spot(finding)))),
    );
    let mut add = |lines: &mut Vec<String>, site| {
        let frames = stack(site);
        let none = if frames.is_empty() {
            vec!["(no stack)".to_owned()]
        } else {
            Vec::new()
        };
        lines.extend(
            frames
                .into_iter()
                .chain(none)
                .map(|frame| format!("    {frame}")),
        );
    };
    add(&mut lines, finding.here);
    for &(what, site) in &finding.earlier {
        lines.push(format!("  {}:", what.label()));
        add(&mut lines, site);
    }
    lines.extend(finding.details.iter().map(|detail| format!("  {detail}")));
    lines.extend(advice(
        finding.rule.name,
        &finding.runtime,
        &finding.instead,
    ));
    lines
}

/// The lines of a finding in short: what happened, where, which earlier calls, the evidence without memory dumps, what to do. `stack`
/// returns a site's innermost frames on one line and, for the call itself, the source line.
pub fn brief_lines(
    finding: &Finding,
    mut stack: impl FnMut(CallSiteId) -> (String, Option<String>),
) -> Vec<String> {
    let severity = finding.severity.name().to_uppercase();
    let mut lines = vec![format!(
        "{severity}: aclsan: {}: {}",
        finding.rule.name, finding.message
    )];
    let named = |chain: String| match chain.as_str() {
        "" => "(no stack)".to_owned(),
        _ => chain,
    };
    let (chain, source) = stack(finding.here);
    lines.push(format!("  in {}", named(chain)));
    lines.extend(source.map(|line| format!("    {line}")));
    for &(what, site) in &finding.earlier {
        lines.push(format!("  {}: {}", what.label(), named(stack(site).0)));
    }
    lines.extend(brief_details(&finding.details).map(|detail| format!("  {detail}")));
    lines.extend(brief_advice(&finding.runtime, &finding.instead));
    lines
}

/// The details of a finding without those that only a closer look needs: a memory dump after its first line, and neighboring blocks.
pub fn brief_details(details: &[String]) -> impl Iterator<Item = &str> {
    let mut has_dump = false;
    details.iter().map(String::as_str).filter(move |detail| {
        let is_dump = detail.contains(" found  ");
        let is_more = is_dump && std::mem::replace(&mut has_dump, true);
        let minor = ["pattern ", "next before it, ", "next after it, "];
        let is_minor = minor
            .iter()
            .any(|begin| detail.trim_start().starts_with(begin));
        let is_rest = detail.starts_with("and ") && detail.ends_with(" bytes more");
        !(is_more || is_minor || is_rest)
    })
}

/// What the runtime does, and what to do instead.
pub fn brief_advice(runtime: &str, instead: &str) -> Vec<String> {
    let mut lines = Vec::new();
    if !runtime.is_empty() {
        lines.push(format!("  the runtime {runtime}"));
    }
    if !instead.is_empty() {
        lines.push(format!("  fix: {instead}"));
    }
    lines
}

/// The line of a finding that follows from a root of `rule` at `place`, printed when the root has been printed before.
pub fn consequence_line(finding: &Finding, rule: &str, place: &str) -> String {
    let at = match place {
        "" => String::new(),
        place => format!(" at {place}"),
    };
    format!(
        "consequence of {rule}{at}: {}: {}",
        finding.rule.name, finding.message
    )
}

/// The position of an address relative to a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockPosition<'a> {
    /// The block's first byte.
    pub start: u64,
    /// Its bytes, as the program asked for them.
    pub size: u64,
    /// From its start to the address, in bytes.
    pub offset: u64,
    /// Name of its family.
    pub family: &'a str,
    /// Its device, −1 if unknown.
    pub device: i32,
}

/// Describes an address relative to its block, if it has one. A thing without bytes is described by its kind.
pub fn place(address: u64, spot: Option<BlockPosition>) -> String {
    let Some(spot) = spot else {
        return format!("{address:#x} is in no block that was seen allocated");
    };
    let device = if spot.device < 0 {
        String::new()
    } else {
        format!(", device {}", spot.device)
    };
    if spot.size == 0 && spot.offset == 0 {
        return format!("{address:#x} is {}{device}", with_article(spot.family));
    }
    let before = spot.start.wrapping_sub(address);
    let position = match spot.offset.checked_sub(spot.size) {
        _ if spot.offset > i64::MAX as u64 => format!("{} before", bytes(before)),
        Some(past_end) if spot.offset > 0 => format!("{} past the end of", bytes(past_end)),
        _ if spot.offset == 0 => "at the start of".to_owned(),
        _ => format!("{} inside", bytes(spot.offset)),
    };
    format!(
        "{address:#x} is {position} a block of {} [{:#x}, {:#x}), family {}{device}",
        bytes(spot.size),
        spot.start,
        spot.start.wrapping_add(spot.size),
        spot.family,
    )
}

/// What the runtime does, what to do instead, where to read more.
pub fn advice(rule: &str, runtime: &str, instead: &str) -> Vec<String> {
    let mut lines = brief_advice(runtime, instead);
    lines.push(format!("  more: aclsan explain {rule}"));
    lines
}

fn spot(finding: &Finding) -> Option<BlockPosition<'static>> {
    let (block, offset) = finding.block?;
    Some(BlockPosition {
        start: block.address,
        size: block.size,
        offset,
        family: block.family().name(),
        device: block.device,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;
    use crate::rules::double_free;

    #[test]
    fn a_thing_without_bytes_is_reported_by_its_kind() {
        let tensor = BlockPosition {
            start: 0x1000,
            size: 0,
            offset: 0,
            family: "tensor",
            device: 1,
        };
        assert_eq!(place(0x1000, Some(tensor)), "0x1000 is a tensor, device 1");
    }

    #[test]
    fn an_address_before_a_block_is_placed_before_it() {
        let spot = BlockPosition {
            start: 0x1000,
            size: 64,
            offset: 16u64.wrapping_neg(),
            family: "device",
            device: 0,
        };
        assert_eq!(
            place(0xff0, Some(spot)),
            "0xff0 is 16 bytes before a block of 64 bytes [0x1000, 0x1040), family device, device 0"
        );
    }

    #[test]
    fn a_finding_reads_from_what_to_what_instead() {
        let found = double_free::check(
            &call("aclrtFree"),
            0x1000,
            &ended(device_block(0x1000, 64), 0),
        )
        .unwrap();
        let text = lines(&found, 2, |site| {
            if site == HERE {
                vec!["#0 0x1 in main a.c:5".into()]
            } else {
                vec![]
            }
        });
        assert_eq!(
            text,
            [
                "ERROR: aclsan: double-free: `aclrtFree` released a block of 64 bytes that was already released (2 times)",
                "  0x1000 is at the start of a block of 64 bytes [0x1000, 0x1040), family device, device 0",
                "    #0 0x1 in main a.c:5",
                "  released by:",
                "    (no stack)",
                "  allocated by:",
                "    (no stack)",
                "  the runtime refuses it with 107000, unless the address has been allocated again: then that block is released",
                "  fix: release a block once, and set the pointer to NULL where it is released",
                "  more: aclsan explain double-free",
            ]
        );
    }

    #[test]
    fn in_short_a_stack_is_a_line_and_memory_is_not_dumped() {
        let mut found = double_free::check(
            &call("aclrtFree"),
            0x1000,
            &ended(device_block(0x1000, 64), 0),
        )
        .unwrap();
        found.details = [
            "+0    found   41 A",
            "      pattern 5c",
            "+16   found   42 B",
            "and 8 bytes more",
            "next before it, 8 bytes away: a live block of 8 bytes, family device",
            "named `labels`",
        ]
        .map(str::to_owned)
        .into();
        let text = brief_lines(&found, |site| match site == HERE {
            true => (
                "drop a.c:5 ← main a.c:9".into(),
                Some("5 | aclrtFree(p);".into()),
            ),
            false => (String::new(), None),
        });
        assert_eq!(
            text,
            [
                "ERROR: aclsan: double-free: `aclrtFree` released a block of 64 bytes that was already released",
                "  in drop a.c:5 ← main a.c:9",
                "    5 | aclrtFree(p);",
                "  released by: (no stack)",
                "  allocated by: (no stack)",
                "  +0    found   41 A",
                "  named `labels`",
                "  the runtime refuses it with 107000, unless the address has been allocated again: then that block is released",
                "  fix: release a block once, and set the pointer to NULL where it is released",
            ]
        );
    }
}
