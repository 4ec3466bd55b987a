//! What must stay in step, and what must not come in. Needs nothing but the checkout.
//!
//! Tables of README.md lie between `<!-- name -->` and `<!-- /name -->`; `SNAPSHOTS=overwrite` updates them.

mod checkout; // every file of the project
mod exports; // what only the root package may export
mod forbidden; // words, sizes and names that do not come in
mod hazards; // what may happen, and the tests of it
mod imports; // the modules, and what each imports
mod links; // documents that lead elsewhere
mod locks; // every lock, and what it does at a fork
mod rooms; // layers
mod rules; // catalogue, files, programs
mod tables; // README.md against the code
mod words; // the words of comments and documents
