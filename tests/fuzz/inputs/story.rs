//! Well-formed logs with nonsensical content: every record decodes, so the code after decoding is tested.

use aclsan_log::builder::LogBuilder;
use aclsan_log::record::ByteSample;
use aclsan_log::{
    Access, BlockId, CallSiteId, Definition, Event, Mapping, ScanGap, ScanOutcome, Values,
};
use aclsan_rules::api::functions::FUNCTIONS;
use arbitrary::{Result, Unstructured};

/// The log that `bytes` encode.
pub fn log(mut from: Unstructured) -> Result<Vec<u8>> {
    let u = &mut from;
    let mut synth = LogBuilder::default();
    let mut now = 0_u64;
    for _ in 0..u.int_in_range(1..=12)? {
        site(u, &mut synth)?;
    }
    for _ in 0..400 {
        if u.is_empty() {
            break;
        }
        now = now.saturating_add(match u.int_in_range(0..=15)? {
            0 => u.arbitrary()?,
            1..=4 => 1_000_000_000,
            _ => 1000,
        });
        synth.at(now);
        match u.int_in_range(0..=15)? {
            0 => site(u, &mut synth)?,
            1 => define(u, &mut synth)?,
            _ => {
                let tid = u.int_in_range(1..=3)?;
                let event = event(u)?;
                synth.event(tid, event);
            }
        }
    }
    Ok(synth.bytes())
}

fn site(u: &mut Unstructured, synth: &mut LogBuilder) -> Result<()> {
    let name = u.choose(FUNCTIONS)?.name;
    let argument = match u.ratio(3, 4)? {
        true => u.int_in_range(0..=6)?,
        false => u.arbitrary()?,
    };
    let device = *u.choose(&[0, 0, 0, 1, -1, i32::MAX])?;
    let frames: Vec<u64> = (0..u.int_in_range(0..=3)?)
        .map(|_| address(u))
        .collect::<Result<_>>()?;
    synth.site(name, argument, device, &frames);
    Ok(())
}

fn define(u: &mut Unstructured, synth: &mut LogBuilder) -> Result<()> {
    let text = |u: &mut Unstructured| -> Result<String> {
        let length = u.int_in_range(0..=20)?;
        Ok(String::from_utf8_lossy(u.bytes(length)?).into_owned())
    };
    let definition = match u.int_in_range(0..=5)? {
        0 => Definition::Module {
            start: address(u)?,
            end: address(u)?,
            bias: address(u)?,
            build_id: text(u)?.into_bytes(),
            path: text(u)?,
        },
        1 => Definition::Unloaded { start: address(u)? },
        2 => Definition::PythonCode {
            id: u.int_in_range(0..=3)?,
            function: text(u)?,
            file: text(u)?,
        },
        3 => Definition::Text {
            id: u.int_in_range(0..=3)?,
            text: text(u)?,
        },
        4 => Definition::Status {
            code: u.arbitrary()?,
            name: text(u)?,
        },
        _ => {
            let keys = [
                "soc",
                "run_mode",
                "slow_ns",
                "program",
                "arguments",
                "host",
                "parent",
                "options",
                "version",
                "ended",
                "signal",
                "no_front: a",
            ];
            let value = match u.int_in_range(0..=3)? {
                0 => "Ascend910B1".to_owned(),
                1 => "device".to_owned(),
                _ => text(u)?,
            };
            Definition::Property {
                key: (*u.choose(&keys)?).to_owned(),
                value,
            }
        }
    };
    synth.define(definition);
    Ok(())
}

/// One of few, so that events share objects.
fn address(u: &mut Unstructured) -> Result<u64> {
    Ok(match u.int_in_range(0..=9)? {
        0 => u.arbitrary()?,
        1 => u64::MAX - u64::from(u.arbitrary::<u8>()?),
        2 => u64::from(u.arbitrary::<u8>()?),
        _ => 0x1240_0000_0000 + u64::from(u.arbitrary::<u8>()?) * 256,
    })
}

fn size(u: &mut Unstructured) -> Result<u64> {
    Ok(match u.int_in_range(0..=9)? {
        0 => u.arbitrary()?,
        1 => u64::MAX - u64::from(u.arbitrary::<u8>()?),
        2 => 0,
        3 => u64::from(u.arbitrary::<u8>()?) << 20,
        _ => u64::from(u.arbitrary::<u8>()?) * 16,
    })
}

fn status(u: &mut Unstructured) -> Result<i32> {
    Ok(match u.int_in_range(0..=3)? {
        0 => u.arbitrary()?,
        1 => *u.choose(&[207_001, 507_899, 107_000, 107_017, 100_000])?,
        _ => 0,
    })
}

/// One event.
pub fn event(u: &mut Unstructured) -> Result<Event> {
    let site = CallSiteId(u.int_in_range(0..=15)?);
    let block = match u.int_in_range(0..=20)? {
        0 => BlockId(u.arbitrary()?),
        _ => BlockId::new(u.int_in_range(0..=4)?, u.int_in_range(0..=7)?),
    };
    let stream = u64::from(u.int_in_range(0..=3_u8)?) * 0x1000;
    let mapping = *u.choose(&[
        Mapping::Unknown,
        Mapping::Stack,
        Mapping::Heap,
        Mapping::Image,
        Mapping::Anonymous,
    ])?;
    Ok(match u.int_in_range(0..=24)? {
        0..=5 => Event::Allocation {
            block,
            site,
            address: address(u)?,
            size: size(u)?,
        },
        6 | 7 => Event::Release { block, site },
        8 => Event::ReleaseAt {
            site,
            address: address(u)?,
            mapping,
        },
        9 => Event::Refused {
            site,
            address: address(u)?,
            status: status(u)?,
        },
        10 => Event::AllocationFailed {
            site,
            size: size(u)?,
            status: status(u)?,
        },
        11 => Event::Copy {
            site,
            to: address(u)?,
            room: size(u)?,
            from: address(u)?,
            count: size(u)?,
            stream,
        },
        12 => Event::Copy2d {
            site,
            to: address(u)?,
            to_pitch: size(u)?,
            from: address(u)?,
            from_pitch: size(u)?,
            width: size(u)?,
            height: size(u)?,
            stream,
        },
        13 => Event::Set {
            site,
            to: address(u)?,
            room: size(u)?,
            value: u.arbitrary()?,
            count: size(u)?,
            stream,
            mapping,
        },
        14..=17 => {
            let count = u.int_in_range(0..=8)?;
            let values: Vec<u64> = (0..count)
                .map(|at| if at % 2 == 0 { address(u) } else { size(u) })
                .collect::<Result<_>>()?;
            Event::Call {
                site,
                values: Values::new(&values),
                status: status(u)?,
            }
        }
        18 => {
            let access = *u.choose(&[Access::Read, Access::Write, Access::Both])?;
            Event::Use {
                site,
                address: address(u)?,
                size: size(u)?,
                access,
                stream,
            }
        }
        19 => Event::Memory {
            site,
            free: size(u)?,
            total: size(u)?,
        },
        20 => Event::Guard {
            block,
            slack: u.arbitrary()?,
            guard: u.arbitrary()?,
            front: u.arbitrary()?,
        },
        21 => Event::Fence {
            block,
            slack: u.arbitrary()?,
            guard: u.arbitrary()?,
            taken: size(u)?,
        },
        22 => {
            let length = u.int_in_range(0..=64)?;
            let found = ByteSample::new(u.bytes(length)?);
            Event::Damage {
                block,
                site,
                offset: size(u)?,
                extent: size(u)?,
                found,
            }
        }
        23 => match u.int_in_range(0..=6)? {
            0 => Event::Slow {
                block,
                ns: size(u)?,
            },
            1 => Event::Pointer {
                block,
                at: address(u)?,
                mapping,
            },
            5 => Event::LostObject {
                block,
                at: address(u)?,
                size: size(u)?,
                class: u.arbitrary()?,
            },
            6 => Event::Gap {
                what: *u.choose(&ScanGap::ALL)?,
                count: size(u)?,
            },
            2 => Event::Scan {
                outcome: ScanOutcome::Whole,
                bytes: size(u)?,
                ns: size(u)?,
                threads: u.arbitrary()?,
            },
            3 => Event::Unwritten {
                block,
                site,
                offset: size(u)?,
                extent: size(u)?,
            },
            _ => Event::Dropped { count: size(u)? },
        },
        _ => Event::Exit,
    })
}
