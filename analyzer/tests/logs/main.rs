//! The commands that read logs, run as a user runs them, on hand-made logs.

mod bad_input;
mod baselines;
mod check;
mod claims;
mod consequences;
mod differences;
mod exports;
mod gate;
mod golden;
mod import;
mod import_database;
mod interrupted;
mod languages;
mod many;
mod namesakes;
mod pack;
mod page;
mod random;
mod reports;
mod seeds;
mod story;
mod suppressions;
mod threadless;
mod trust;
mod usage;
mod viewers;
