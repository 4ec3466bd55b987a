//! Which process a log is of, in a dataset.

use aclsan_dataset::place::{self, Place};
use aclsan_log::Log;

use crate::logs::packed;
use crate::logs::run_id::KEY as RUN;

/// What the logs do not say.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Labels {
    /// The run, if not the id that `aclsan run` gave.
    pub run: Option<String>,
    pub model: Option<String>,
    pub model_version: Option<String>,
}

/// A process's key, place and run.
pub struct Identity {
    pub key: String,
    pub place: Place,
    pub run: String,
    pub host: String,
}

impl Identity {
    pub fn of(log: &Log, labels: &Labels) -> Self {
        let property = |key: &str| log.properties.get(key).cloned().unwrap_or_default();
        let run = labels.run.clone().unwrap_or_else(|| property(RUN));
        let (host, pid) = (property("host"), log.header.pid);
        let name = packed::unpacked(&log.path);
        let name = name.file_name().unwrap_or_default().to_string_lossy();
        let key = place::key(&[
            &run,
            &host,
            &pid.to_string(),
            &property("parent"),
            &log.header.started.realtime_ns.to_string(),
            &name,
        ]);
        Self {
            place: Place::new(&run, &host, pid, &key),
            key,
            run,
            host,
        }
    }
}
