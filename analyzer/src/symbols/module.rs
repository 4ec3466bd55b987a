//! A file that was mapped into the recorded process. Which one an address belongs to, the log tells.

/// One mapping of an ELF file into the recorded process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// The path that the dynamic linker reported, on the recorded machine.
    pub path: String,
    /// First runtime address.
    pub start: u64,
    /// First runtime address past the module.
    pub end: u64,
    /// Runtime address minus ELF virtual address; 0 for a fixed-address executable.
    pub bias: u64,
    /// The build-id note's bytes; empty when the module has none or the log does
    /// not say. A file on disk is then taken at its word.
    pub build_id: Vec<u8>,
}
