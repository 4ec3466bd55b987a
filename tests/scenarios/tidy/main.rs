//! What must stay in step, and what must not come in. Needs nothing but the checkout.
//!
//! Tables of README.md lie between `<!-- name -->` and `<!-- /name -->`; `BLESS=1` writes them anew.

mod checkout; // every file of the project
mod exports; // what only the root package may export
mod forbidden; // words, sizes and names that do not come in
mod hazards; // what may happen, and the tests of it
mod links; // documents that lead elsewhere
mod locks; // every lock, and what it does at a fork
mod rooms; // which room of the shim may import which
mod rules; // catalogue, files, programs
mod tables; // README.md against the code
