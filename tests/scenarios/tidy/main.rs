//! Consistency checks and forbidden content. Needs only the checkout.
//!
//! Tables of the book are between `<!-- name -->` and `<!-- /name -->`; `SNAPSHOTS=overwrite` rewrites them.

mod address; // the address and the version, in one place
mod checkout; // every file of the project
mod companion; // what the two libraries in a process agree on
mod exports; // only the root package exports symbols
mod forbidden; // forbidden words, sizes and names
mod hazards; // hazards and their tests
mod imports; // modules and their imports
mod links; // links in documents
mod locks; // every lock and its behavior at a fork
mod rooms; // layers
mod rules; // catalog, files, programs
mod seam; // vendors are tables
mod tables; // the book's tables against the code
mod words; // wording of comments and documents
