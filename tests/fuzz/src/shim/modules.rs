//! In place of the shim's own modules, which are loaded code: `.eh_frame_hdr` and `.eh_frame` out of one piece of memory.

/// What [`stack::table`](crate::stack::table) asks of a module.
pub struct Module<'a> {
    /// All of its memory.
    pub bytes: &'a [u8],
    /// The part that is said to be the header.
    pub eh_frame_hdr: Option<&'a [u8]>,
}

impl<'a> Module<'a> {
    /// As the shim's: from there to the end of the mapped memory.
    pub fn readable_from(&self, address: u64) -> Option<&'a [u8]> {
        let at = address.checked_sub(self.bytes.as_ptr() as u64)?;
        let rest = self.bytes.get(usize::try_from(at).ok()?..)?;
        (!rest.is_empty()).then_some(rest)
    }
}
