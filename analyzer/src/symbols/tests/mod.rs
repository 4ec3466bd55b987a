//! Programs built here, addresses they print themselves, lines known from their source.

mod debug_info;
mod fixture;
mod hostile;
mod languages;
mod separate;
mod split;
