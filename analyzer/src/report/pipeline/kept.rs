//! Readings that are not freed.

use super::Reading;

/// A value that is not freed: the process ends soon.
#[cfg(not(fuzzing))]
type Kept<T> = std::mem::ManuallyDrop<T>;
/// A fuzzer runs any number of commands in a process, and looks for leaks.
#[cfg(fuzzing)]
type Kept<T> = Box<T>;

impl Reading {
    /// For commands that end with it: freeing names and models one by one takes as long as finding many of them.
    pub fn kept(self) -> Kept<Self> {
        Kept::new(self)
    }
}
