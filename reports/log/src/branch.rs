//! Which way branches mostly go, so that what runs at each call is in one piece: a program that has run thousands of other functions since
//! the last call of a hook takes jumps there that nothing has predicted.

/// `condition`, which is mostly false.
#[inline(always)]
pub fn unlikely(condition: bool) -> bool {
    if condition {
        cold_path();
    }
    condition
}

/// Marks what is seldom reached, as `std::hint::cold_path` does from Rust 1.95 on.
#[cold]
#[inline(never)]
pub fn cold_path() {
    std::hint::black_box(()); // Otherwise nothing is left of the call.
}
