//! Plans as text.

use std::io;

use super::{Growth, Plan, Plans};
use crate::text::TextWriter;
use crate::units::{bytes, counted, device, duration, percent};

/// Most plans whose first refusal is shown; of more, only that of the best.
const MOST_REFUSED: usize = 3;

/// Writes all plans.
///
/// # Errors
/// Those of the writer.
pub fn write(all: &[Plans], writer: &mut TextWriter) -> io::Result<()> {
    for plans in all {
        write_one(plans, writer)?;
    }
    Ok(())
}

fn write_one(plans: &Plans, writer: &mut TextWriter) -> io::Result<()> {
    let of = match plans.pid {
        0 => format!("`{}`", plans.program),
        pid => format!("process {pid} ({})", plans.program),
    };
    writer.title(&format!(
        "Plan for {} of {of}: {} of {}",
        device(plans.device),
        counted(plans.requests, "request"),
        plans.recorded.allocator
    ))?;
    write_recorded(plans, writer)?;
    let has_card = plans.card.is_some();
    let mut head = vec![
        "allocator",
        "settings",
        "reserved peak",
        "allocated peak",
        "unused",
        "in use",
    ];
    if has_card {
        head.push("fits");
    }
    let rows = plans.plans.iter().map(|plan| {
        let mut row = vec![
            plan.allocator.clone(),
            setting(&plan.setting).to_owned(),
            bytes(plan.reserved_peak),
            bytes(plan.allocated_peak),
            percent(plan.unused()),
            bytes(plan.in_use_peak),
        ];
        if has_card {
            row.push(if plan.fits == Some(true) { "yes" } else { "no" }.to_owned());
        }
        row
    });
    writer.table(&head, 2, rows.collect())?;
    let refused = |plan: &&Plan| plan.first_refused.is_some();
    // The others are refused much alike.
    let shown = match plans.plans.iter().filter(refused).count() > MOST_REFUSED {
        true => 1,
        false => MOST_REFUSED,
    };
    for plan in plans.plans.iter().filter(refused).take(shown) {
        write_refused(plan, writer)?;
    }
    if let [plan] = plans.plans.as_slice()
        && plan.first_refused.is_none()
    {
        write_peak(plan, writer)?;
    }
    match plans.plans.first().and_then(|plan| plan.growth.as_ref()) {
        Some(growth) => write_growth(growth, writer),
        None => Ok(()),
    }
}

fn setting(setting: &str) -> &str {
    if setting.is_empty() {
        "default"
    } else {
        setting
    }
}

fn write_recorded(plans: &Plans, writer: &mut TextWriter) -> io::Result<()> {
    let recorded = &plans.recorded;
    let settings = match recorded.setting.as_str() {
        "" => "the default settings".to_owned(),
        setting => format!("settings `{setting}`"),
    };
    if let (Some(peak), Some(model)) = (recorded.reserved_peak, recorded.modelled) {
        let (said, comes_to) = (bytes(peak), bytes(model));
        writer.line(&match peak == model {
            true => format!(
                "  recorded with {settings}: {said} reserved at most, and the model comes to the same"
            ),
            false => format!(
                "  recorded: {said} reserved at most; with {settings} the model comes to {comes_to}: figures may be off by as much"
            ),
        })?;
    }
    if recorded.inexact > 0 {
        writer.line(&format!(
            "  of {} only the block is known, which may be up to 1 MiB larger than what was asked for",
            counted(recorded.inexact, "request")
        ))?;
    }
    let others = plans.others_peak.saturating_add(plans.unexplained);
    if others > 0 {
        writer.line(&format!(
            "  beside it: {} of the process at most, and {} of the runtime and other processes",
            bytes(plans.others_peak),
            bytes(plans.unexplained)
        ))?;
    }
    match plans.card {
        Some(card) => writer.line(&format!("  the card has {}", bytes(card))),
        None => writer.line("  how much the card has is not known: name it with `--card`"),
    }
}

fn write_peak(plan: &Plan, writer: &mut TextWriter) -> io::Result<()> {
    let Some(at) = &plan.at else {
        return Ok(());
    };
    let place = place(&at.site);
    writer.line(&format!(
        "  most is reserved after {}{place}, with {} of it given out",
        duration(at.ns),
        bytes(plan.allocated_then)
    ))
}

fn write_growth(growth: &Growth, writer: &mut TextWriter) -> io::Result<()> {
    writer.line(&format!(
        "  from `{}` ({}) to `{}` ({}) most given out grows from {} to {}: {} each",
        growth.from,
        growth.from_size,
        growth.to,
        growth.to_size,
        bytes(growth.from_bytes),
        bytes(growth.to_bytes),
        bytes(growth.each)
    ))?;
    for place in &growth.places {
        writer.line(&format!(
            "    {} of it at {}",
            bytes(place.bytes),
            place.site
        ))?;
    }
    match growth.largest {
        Some(largest) => writer.line(&format!(
            "  extrapolated: {largest} is the largest that fits, if it goes on like that"
        )),
        None => Ok(()),
    }
}

fn place(site: &str) -> String {
    match site.is_empty() {
        true => String::new(),
        false => format!(" at {site}"),
    }
}

fn write_refused(plan: &Plan, writer: &mut TextWriter) -> io::Result<()> {
    let Some(refused) = &plan.first_refused else {
        return Ok(());
    };
    let who = match refused.is_of_others {
        true => "a request by the rest of the process for",
        false => "a request for",
    };
    writer.line(&format!(
        "  {}, {}: after {}{}, {who} {} is refused: {} are reserved, {} of them given out, and {} are left",
        plan.allocator,
        setting(&plan.setting),
        duration(refused.at.ns),
        place(&refused.at.site),
        bytes(refused.bytes),
        bytes(refused.reserved),
        bytes(refused.allocated),
        bytes(refused.left)
    ))?;
    for holder in &refused.holders {
        let at = if holder.site.is_empty() {
            "an unknown place"
        } else {
            &holder.site
        };
        writer.line(&format!(
            "    {} in {} of {at}",
            bytes(holder.bytes),
            counted(holder.count, "part")
        ))?;
    }
    Ok(())
}
