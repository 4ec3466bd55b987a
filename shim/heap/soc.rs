//! Which chip and which versions the process runs on: asked once, after its first allocation.

use super::final_check;
use crate::record::Recorder;
use crate::runtime::installation;
use crate::runtime::queries;
use crate::state::devices::Soc;
use crate::state::{start, thread};
use aclsan_log::Definition;
use aclsan_os::stderr;
use aclsan_rules::api::profile::Profile;

/// Asks the runtime for the SoC and the run mode, once, and records them with the versions of CANN and the driver. Only on a thread
/// that has a device, since a failed query sets the runtime's last error: see [`Recorder::detect_device`].
#[cold]
pub(super) fn detect_soc(recorder: &mut Recorder) {
    if !recorder.process.heap.devices.is_soc_known() {
        thread::run_on_big_stack(|| ask_for_soc(recorder));
    }
}

fn ask_for_soc(recorder: &mut Recorder) {
    let requested = recorder.process.options.soc.as_str();
    let name = match requested {
        "auto" => queries::soc_name().unwrap_or_else(|| "unknown".into()),
        requested => requested.into(),
    };
    let profile = Profile {
        shared_memory: queries::is_on_device() == Some(true),
        ..Profile::of_soc(&name)
    };
    let Some(soc) = recorder.process.heap.devices.set_soc(Soc { name, profile }) else {
        return; // Another thread was first.
    };
    if requested != "auto" {
        warn_about_unknown_soc(requested);
    }
    if recorder.process.options.touches_memory() {
        final_check::watch_exit();
    }
    let mode = if soc.profile.shared_memory {
        "device"
    } else {
        "host"
    };
    let properties = [
        ("soc", Some(soc.name.to_string())),
        ("run_mode", Some(mode.to_owned())),
        ("cann_version", installation::cann_version()),
        ("driver_version", installation::driver_version()),
    ];
    let known = properties
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)));
    for (key, value) in known {
        let key = key.into();
        recorder
            .process
            .log
            .sink
            .define(&Definition::Property { key, value });
    }
    // After an attach, the first call of a thread with a device has asked.
    if !start::is_partial() {
        recorder.ask_memory();
    }
}

fn warn_about_unknown_soc(requested: &str) {
    if !Profile::is_known(requested) {
        let known: Vec<_> = Profile::known().collect();
        stderr::warning(&format!(
            "option `soc`: unknown SoC `{requested}`, using the default rules; known prefixes: {}",
            known.join(", ")
        ));
    }
}
