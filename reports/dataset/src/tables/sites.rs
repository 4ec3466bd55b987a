//! Sites: calls with their stacks.

crate::table! {
    /// A call of a function from one stack.
    Site in "sites" {
        /// The process.
        process: String [Key],
        /// Number of the call site in this process.
        stack: u32 [Key],
        /// 16 hex digits from the function and the names on the stack: the same on every rank, in every run and build where these names are.
        site: String [Key],
        /// The AscendCL function.
        function: String [None],
        /// Function, file and line to look at first.
        place: String [None],
        /// Names of the frames, innermost first, in lines.
        names: String [None],
        /// Number of the frame that the source lines are around; null if there are none.
        source_frame: Option<u32> [None],
        /// Number of the first source line.
        source_first: Option<u32> [None],
        /// The source lines.
        source: Option<String> [None],
    }
}
