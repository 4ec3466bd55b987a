//! Raw C declarations. Used by `calls` and `runtime` only.

#![allow(
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    dead_code,
    clippy::all
)]
#![allow(clippy::undocumented_unsafe_blocks)]

#[cfg(not(feature = "buildtime_bindgen"))]
include!("bindings.rs");
#[cfg(feature = "buildtime_bindgen")]
include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
