//! Frames of the stacks in `sites`.

crate::table! {
    /// A frame.
    Frame in "frames" {
        /// The process.
        process: String [Key],
        /// The call site.
        stack: u32 [Key],
        /// From 0, innermost first.
        number: u32 [Key],
        /// `native` or `python`.
        language: String [None],
        /// Return address; 0 for Python.
        address: crate::cell::Address [Address],
        /// Source name; null if unknown, as are the following.
        function: Option<String> [None],
        /// Source file.
        file: Option<String> [None],
        /// Source line, from 1.
        line: Option<u32> [None],
        /// Column, from 1.
        column: Option<u32> [None],
        /// A better name for a person.
        label: Option<String> [None],
        /// Program or library; for Python, the source file.
        module: String [None],
        /// Address in the module's file.
        module_offset: crate::cell::Address [Address],
        /// Whether the compiler inlined it into the next.
        inlined: bool [None],
        /// Why a text leaves it out.
        trimmed: Option<String> [None],
    }
}
