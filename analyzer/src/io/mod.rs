//! Standard output and error, hand-written text files, the language of reports, and parallel work with ordered results.
//!
//! Knows nothing of logs.

pub mod descriptors;
pub mod fold;
pub mod hints;
pub mod language;
pub mod markdown;
pub mod nonblocking;
pub mod notice;
pub mod ordered_pool;
pub mod output;
pub mod progress;
pub mod project_file;
pub mod stack_display;
pub mod suggest;
pub mod text_file;
