//! The moments that an account can be asked for.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, bail};

use crate::replay::Replay;

/// A moment of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum At {
    /// The peak of each device.
    Peak,
    /// The end of the log.
    End,
    /// The first allocation that was refused for lack of memory.
    OutOfMemory,
    /// The start of the last epoch, mark, range or snapshot of that name.
    Epoch(String),
}

impl FromStr for At {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "peak" => Self::Peak,
            "end" => Self::End,
            "oom" => Self::OutOfMemory,
            epoch => Self::Epoch(epoch.to_owned()),
        })
    }
}

impl fmt::Display for At {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str(match self {
            Self::Peak => "peak",
            Self::End => "end",
            Self::OutOfMemory => "oom",
            Self::Epoch(name) => name,
        })
    }
}

impl At {
    /// The moment for a device, in nanoseconds since the log began.
    ///
    /// # Errors
    /// If the log has no such moment.
    pub fn on_device(&self, replay: &Replay, device: i32) -> anyhow::Result<u64> {
        match self {
            Self::Peak => Ok(replay.devices.get(&device).map_or(0, |&(_, _, at)| at)),
            Self::OutOfMemory => {
                let mut refused = replay.refused.iter().filter(|it| it.call.device == device);
                let first = refused.next().map(|refused| refused.ns);
                first
                    .or_else(|| Some(replay.refused.first()?.ns))
                    .context("`oom`: no allocation was refused for lack of memory in this log")
            }
            _ => self.in_process(replay),
        }
    }

    /// The moment for the whole process: the peak is the first device's.
    ///
    /// # Errors
    /// As [`At::on_device`].
    pub fn in_process(&self, replay: &Replay) -> anyhow::Result<u64> {
        match self {
            Self::End => Ok(replay.duration_ns),
            Self::Peak | Self::OutOfMemory => {
                let first = replay.devices.keys().find(|&&device| device >= 0);
                self.on_device(replay, first.copied().unwrap_or(0))
            }
            Self::Epoch(name) => {
                let epochs = replay.annotations.epochs.iter();
                let epochs = epochs.map(|epoch| (&*epoch.name, epoch.begin_ns));
                let snapshots = replay.annotations.snapshots.iter();
                let snapshots = snapshots.map(|snapshot| (&*snapshot.name, snapshot.ns));
                let mut known: Vec<(&str, u64)> = epochs.chain(snapshots).collect();
                known.sort_by_key(|&(_, ns)| ns);
                if let Some(&(_, ns)) = known.iter().rfind(|(known, _)| known == name) {
                    return Ok(ns);
                }
                let mut names: Vec<&str> = known.into_iter().map(|(name, _)| name).collect();
                names.dedup();
                names.truncate(10);
                bail!(
                    "`{name}`: the log has no epoch, mark, range or snapshot of this name; {}",
                    match names.is_empty() {
                        true => "it has none at all".to_owned(),
                        false => format!("it has {}", names.join(", ")),
                    }
                );
            }
        }
    }
}
