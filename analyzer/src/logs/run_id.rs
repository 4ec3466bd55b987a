//! The id that `aclsan run` gives to all processes of one run, so that their logs are reported together.

/// The shim's option, and the property of a log that repeats it.
pub const KEY: &str = "run_id";
