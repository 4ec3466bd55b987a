//! A file that was mapped into the recorded process. The log knows which module an address belongs to.

/// One mapping of an ELF file into the recorded process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// Its path on the recorded machine, as the dynamic linker reported it.
    pub path: String,
    /// First runtime address.
    pub start: u64,
    /// First runtime address past the module.
    pub end: u64,
    /// Runtime address minus ELF virtual address; 0 for a fixed-address executable.
    pub bias: u64,
    /// The build-id; empty if the module has none or the log does not say. A file on disk is then trusted.
    pub build_id: Vec<u8>,
}
