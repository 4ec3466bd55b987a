//! Rows by hand, in the shapes of the tool's old and new versions.
