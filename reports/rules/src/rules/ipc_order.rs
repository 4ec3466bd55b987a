//! `ipc-order`: a shared block was given back in the wrong order or by the wrong call.
//!
//! ## What it reports
//! The release of a block while a key to it is open. And an imported block passed to
//! `aclrtFree`, open or closed before.
//!
//! ## Why it matters
//! The importers' pages are the exporter's. An importer that still uses them when the
//! block is released reads and writes what the next allocation put there, or faults.
//! The documentation requires the importers to close first, then the exporter, and the
//! block to be released last. An import is no allocation: `aclrtIpcMemClose` releases
//! it, by its key.
//!
//! ## Example
//! ```c
//! aclrtIpcMemGetExportKey(rows, 2097152, key, 65, 0);
//! aclrtFree(rows);                // ipc-order: the key is open
//! aclrtIpcMemClose(key);
//! ```
//!
//! ## How to fix it
//! Importers close the key with `aclrtIpcMemClose` first, then the exporter, and the
//! exporter releases the block last.
//!
//! ## What it cannot see
//! The other process: that the exporter closed its key or released the block before an
//! importer was done is not judged, even with both logs at hand. A key that is never
//! closed is a `leak-registration`, on either side; one that is closed twice a
//! `double-free`. An import of a closed key is refused by the runtime. Releases other
//! than `aclrtFree` that are given an import are a `mismatched-free`.
//!
//! Source: AscendCL API reference, `aclrtIpcMemGetExportKey`, `aclrtIpcMemClose`, CANN
//! 8.5 and 9.0; the refusals: source of runtime 681ef761 and driver ef377e95.

use crate::api::block::{AddressInfo, Block, End};
use crate::api::functions::{Call, Family, Role};
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};
use aclsan_log::CallSiteId;

/// `ipc-order`.
pub static RULE: Rule = Rule {
    name: "ipc-order",
    severity: Severity::Error,
    summary: "a shared block was given back in the wrong order or by the wrong call",
    is_live: true,
    source: include_str!("ipc_order.rs"),
};

/// Checks the release of `block`, to which the key created at `exported` is open.
pub fn check_open_key(call: &Call, block: &Block, exported: CallSiteId) -> Finding {
    let message = format!(
        "`{}` released a block of {} while a key to it was open",
        call.function.name,
        bytes(block.size)
    );
    Finding::new(&RULE, call.site, message)
        .on(block.address, block, 0)
        .after(Earlier::Exported, exported)
        .advise(
            "releases the block under whoever imported it",
            format!(
                "close the key with `{}` first, after every importer has",
                close(block)
            ),
        )
}

/// The function that closes a key.
fn close(block: &Block) -> &'static str {
    (block.function.vendor().release)(Family::Exported)
}

/// Checks an address given to `aclrtFree` or `aclrtFreeWithDevSync`.
pub fn check_free(call: &Call, address: u64, info: &AddressInfo) -> Option<Finding> {
    let (&block, offset) = info.block()?;
    let is_free = call.function.role == Role::Release(Family::Device);
    if !is_free || block.family() != Family::Imported || offset != 0 {
        return None;
    }
    let name = call.function.name;
    let finding = match info {
        AddressInfo::Live(..) => {
            let message =
                format!("`{name}` was given a block that was imported from another process");
            Finding::new(&RULE, call.site, message)
                .on(address, &block, 0)
                .advise(
                    "does not support it: the block stays imported, or goes without its key",
                    format!("give an import back with `{}`, by its key", close(&block)),
                )
        }
        AddressInfo::Ended(_, _, End::Released(closed)) => {
            let message = format!("`{name}` was given an import that was closed before");
            Finding::new(&RULE, call.site, message)
                .on(address, &block, 0)
                .after(Earlier::Released, *closed)
                .advise(
                    format!("{}, unless the address has been allocated again: then that block is released", call.refusal(None)),
                    "leave the call out: closing the key has given the import back",
                )
        }
        _ => return None,
    };
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    fn import() -> Block {
        block("aclrtIpcMemImportByKey", 0x1000, 4096)
    }

    #[test]
    fn an_import_given_to_free_is_reported_open_or_closed() {
        for release in ["aclrtFree", "aclrtFreeWithDevSync"] {
            let open = check_free(&call(release), 0x1000, &AddressInfo::Live(import(), 0)).unwrap();
            assert!(open.instead.contains("aclrtIpcMemClose"));
            let closed = check_free(&call(release), 0x1000, &ended(import(), 0)).unwrap();
            assert_eq!(closed.earlier[0], (Earlier::Released, RELEASE_SITE));
        }
    }

    #[test]
    fn blocks_of_ones_own_other_releases_and_other_addresses_are_silent() {
        let (free, own) = (call("aclrtFree"), device_block(0x1000, 64));
        assert_eq!(check_free(&free, 0x1000, &AddressInfo::Live(own, 0)), None);
        assert_eq!(check_free(&free, 0x1000, &ended(own, 0)), None);
        assert_eq!(
            check_free(&free, 0x1010, &AddressInfo::Live(import(), 16)),
            None
        );
        assert_eq!(check_free(&free, 0x1000, &AddressInfo::Unknown), None);
        let host = call("aclrtFreeHost");
        assert_eq!(
            check_free(&host, 0x1000, &AddressInfo::Live(import(), 0)),
            None
        );
    }

    #[test]
    fn a_release_under_an_open_key_shows_where_the_key_was_made() {
        let found = check_open_key(&call("aclrtFree"), &device_block(0x1000, 64), RESET_SITE);
        assert_eq!(found.earlier[0], (Earlier::Exported, RESET_SITE));
        assert_eq!(
            found.message,
            "`aclrtFree` released a block of 64 bytes while a key to it was open"
        );
    }
}
