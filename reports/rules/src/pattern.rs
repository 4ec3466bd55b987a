//! Stub.
/// Stub.
pub fn byte(i: u64) -> u8 {
    (i as u8) ^ 0xa5
}
