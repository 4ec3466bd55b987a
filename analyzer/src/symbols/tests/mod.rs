//! Programs built here, addresses they print themselves, lines known from their source.

mod batch;
mod debug_info;
#[cfg(target_arch = "x86_64")] // builds an assembly file
mod deep;
mod fixture;
mod hostile;
mod languages;
mod separate;
mod split;
