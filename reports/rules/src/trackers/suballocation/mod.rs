//! Segments that no pool reported, inferred from what is written and from an operator's tensors.

mod inferred;
mod operands;

pub use inferred::{InferredSegments, Writer};
pub use operands::Operands;
