//! A mock of loaded code: `.eh_frame_hdr` and `.eh_frame` in one piece of memory.

/// Bytes that claim to be code with an unwind table.
pub struct Image<'a> {
    /// All of its memory.
    pub bytes: &'a [u8],
    /// The part that claims to be the header.
    pub eh_frame_hdr: Option<&'a [u8]>,
}

impl aclsan_unwind::eh_frame::Image for Image<'_> {
    fn eh_frame_hdr(&self) -> Option<&[u8]> {
        self.eh_frame_hdr
    }

    fn readable_from(&self, address: u64) -> Option<&[u8]> {
        let at = address.checked_sub(self.bytes.as_ptr() as u64)?;
        let rest = self.bytes.get(usize::try_from(at).ok()?..)?;
        (!rest.is_empty()).then_some(rest)
    }
}
