//! The text of a finding, the same wherever it is printed: at once by the shim, or later from the log.

use crate::finding::Finding;
use aclsan_log::SiteId;

/// The lines of a finding, without a prefix: its rule and sentence, where, the stacks, the evidence, what the runtime does, what to do.
/// `stack` gives a site's frames, a line each. `count` is how often it was met.
pub fn lines(
    finding: &Finding,
    count: u64,
    mut stack: impl FnMut(SiteId) -> Vec<String>,
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
    lines.extend(place(finding).map(|place| format!("  {place}")));
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
    if !finding.runtime.is_empty() {
        lines.push(format!("  the runtime {}", finding.runtime));
    }
    if !finding.instead.is_empty() {
        lines.push(format!("  instead: {}", finding.instead));
    }
    lines.push(format!("  more: aclsan explain {}", finding.rule.name));
    lines
}

/// Where the address lies: in words that place it relative to its block.
fn place(finding: &Finding) -> Option<String> {
    let address = finding.address?;
    let Some((block, offset)) = finding.block else {
        return Some(format!(
            "{address:#x} is in no block that was seen allocated"
        ));
    };
    let position = match offset.checked_sub(block.size) {
        Some(behind) if offset > 0 => format!("{behind} bytes behind"),
        _ if offset == 0 => "at the start of".to_owned(),
        _ => format!("{offset} bytes inside"),
    };
    let device = if block.device < 0 {
        String::new()
    } else {
        format!(", device {}", block.device)
    };
    let end = block.address.wrapping_add(block.size);
    let family = block.family().name();
    Some(format!(
        "{address:#x} is {position} a block of {} bytes [{:#x}, {end:#x}), family {family}{device}",
        block.size, block.address
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::double_free;
    use crate::rules::testing::*;

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
                "ERROR: aclsan: double-free: `aclrtFree` released a block of 64 bytes that was released before (2 times)",
                "  0x1000 is at the start of a block of 64 bytes [0x1000, 0x1040), family device, device 0",
                "    #0 0x1 in main a.c:5",
                "  released by:",
                "    (no stack)",
                "  allocated by:",
                "    (no stack)",
                "  the runtime refuses it with 107000, unless the address has been allocated again: then that block is released",
                "  instead: release a block once, and set the pointer to NULL where it is released",
                "  more: aclsan explain double-free",
            ]
        );
    }
}
