//! `hiai-ownership`: memory of the HiAI Matrix was released or sent by who does not own it.
//!
//! ## What it reports
//! A block of `HIAI_DMalloc` with `AUTO_FREE` that was sent and is then released or
//! sent again: since the first `SendData` it belongs to the Matrix. A block with
//! `MANUAL_FREE` that is sent twice. Blocks with `AUTO_FREE` that were neither sent nor
//! released when the process ended.
//!
//! ## Why it matters
//! The Matrix releases a sent `AUTO_FREE` block when its transfer completes, and reuses
//! the memory; a second release hits the next owner. A `shared_ptr` whose deleter is
//! not empty does the same. `MANUAL_FREE` memory may be sent only once: a second
//! transfer can run while the first one still reads.
//!
//! ## Example
//! ```c
//! HIAIMemory::HIAI_DMalloc(size, buffer, 1000, HIAI_MEMORY_ATTR_AUTO_FREE);
//! engine.SendData(0, "image", std::shared_ptr<void>(buffer, nothing));
//! HIAIMemory::HIAI_DFree(buffer);   // hiai-ownership: the Matrix does that
//! ```
//!
//! ## How to fix it
//! Leave `AUTO_FREE` blocks to the Matrix once they are sent, with an empty deleter if
//! a `shared_ptr` has them. Take a new block for each message.
//!
//! ## What it cannot see
//! Blocks inside a message. `SendData` names the message; what its serializer takes out
//! of it is not seen. After a message that is no block itself, or a send that did not
//! return 0, every `AUTO_FREE` block of that moment may be gone: nothing more is
//! reported for those. Nor are releases by the Matrix itself. `HIAI_C_SendData` takes
//! nothing. Releases of memory that was not seen allocated.
//!
//! Source: Atlas 300 application guide, memory management of the Matrix module;
//! Matrix API reference, `HIAI_DMalloc`, `SendData` (DDK 1.3x, before CANN).

use crate::api::block::{AddressInfo, Block, End};
use crate::api::functions::Call;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::{bytes, plural};
use crate::evidence::rule::{Rule, Severity};
use aclsan_log::CallSiteId;

/// `hiai-ownership`.
pub static RULE: Rule = Rule {
    name: "hiai-ownership",
    severity: Severity::Error,
    summary: "memory of the HiAI Matrix was released or sent by who does not own it",
    is_live: true,
    source: include_str!("hiai_ownership.rs"),
};

/// Checks the release of `address`.
pub fn check_release(call: &Call, address: u64, info: &AddressInfo) -> Option<Finding> {
    let &AddressInfo::Ended(block, 0, End::Sent(sent)) = info else {
        return None;
    };
    let message = format!(
        "`{}` released a block of {} that the Matrix owns since it was sent",
        call.function.name,
        bytes(block.size)
    );
    Some(
        Finding::new(&RULE, call.site, message)
            .on(address, &block, 0)
            .after(Earlier::Sent, sent)
            .advise(
                "releases an `AUTO_FREE` block after its transfer, and may have handed the memory out again",
                "leave it to the Matrix (an empty deleter, if a smart pointer holds it), or allocate with `MANUAL_FREE`",
            ),
    )
}

/// Checks a call that sends the block at `address` although the Matrix owns it already.
pub fn check_send(call: &Call, address: u64, info: &AddressInfo) -> Option<Finding> {
    let &AddressInfo::Ended(block, 0, End::Sent(sent)) = info else {
        return None;
    };
    let message = format!(
        "`{}` sent a block of {} that the Matrix owns since it was sent before",
        call.function.name,
        bytes(block.size)
    );
    Some(
        Finding::new(&RULE, call.site, message)
            .on(address, &block, 0)
            .after(Earlier::Sent, sent)
            .advise(
                "releases an `AUTO_FREE` block after its first transfer; the second reads what is there by then",
                "allocate a block for each message",
            ),
    )
}

/// Checks a call that sends a live `MANUAL_FREE` block which was sent at `sent` before.
pub fn check_second_send(call: &Call, block: &Block, sent: CallSiteId) -> Finding {
    let message = format!(
        "`{}` sent a `MANUAL_FREE` block of {} a second time",
        call.function.name,
        bytes(block.size)
    );
    Finding::new(&RULE, call.site, message)
        .on(block.address, block, 0)
        .after(Earlier::Sent, sent)
        .advise(
            "promises one transfer for each such block; the first may still read it",
            "release the block after its transfer, and allocate another for the next message",
        )
}

/// Checks `count` `AUTO_FREE` blocks of one site, `bytes` in total, that were neither sent nor released; `block` is the
/// first.
pub fn check_end(block: &Block, count: u64, total: u64) -> Option<Finding> {
    let (were, in_all, them) = match count {
        0 => return None,
        1 => ("was", "", "it"),
        _ => ("were", " in all", "each"),
    };
    let message = format!(
        "{}, {}{in_all}, from `{}` with `AUTO_FREE` {were} neither sent nor released",
        plural(count, "block"),
        bytes(total),
        block.function.name
    );
    Some(Finding::new(&RULE, block.site, message).of(block).advise(
        "releases such a block after sending it, and never otherwise",
        format!("send {them}, or release {them} with `{}`", block.release()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    fn matrix_block() -> Block {
        block("HIAI_DMalloc", 0x1000, 64)
    }

    #[test]
    fn a_release_after_the_send_is_reported_with_the_send() {
        let found = check_release(&call("HIAI_DFree"), 0x1000, &sent(matrix_block())).unwrap();
        assert_eq!(
            found.message,
            "`HIAI_DFree` released a block of 64 bytes that the Matrix owns since it was sent"
        );
        assert_eq!(
            found.earlier,
            [
                (Earlier::Sent, RELEASE_SITE),
                (Earlier::Allocated, ALLOCATION_SITE)
            ]
        );
    }

    #[test]
    fn a_second_send_of_what_was_taken_is_reported() {
        let info = sent(matrix_block());
        assert!(check_send(&call("hiai::Engine::SendData"), 0x1000, &info).is_some());
    }

    #[test]
    fn live_released_and_unknown_memory_is_silent() {
        for info in [
            AddressInfo::Live(matrix_block(), 0),
            ended(matrix_block(), 0),
            AddressInfo::Unknown,
        ] {
            assert_eq!(check_release(&call("HIAI_DFree"), 0x1000, &info), None);
            assert_eq!(
                check_send(&call("hiai::Graph::SendData"), 0x1000, &info),
                None
            );
        }
    }

    #[test]
    fn blocks_never_sent_are_reported_with_their_number() {
        let found = check_end(&matrix_block(), 3, 192).unwrap();
        assert_eq!(
            found.message,
            "3 blocks, 192 bytes in all, from `HIAI_DMalloc` with `AUTO_FREE` were neither sent nor released"
        );
        assert_eq!(check_end(&matrix_block(), 0, 0), None);
    }
}
