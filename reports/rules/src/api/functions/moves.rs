//! Copies that come in batches or do not name their ends, and operations that change device memory in place.

use super::function::{Function, now, queued};
use super::role::Role::*;

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    queued("aclrtMemcpyAsyncWithCondition", Copy),
    now("aclrtMemcpyBatch", Copy).with(&["count"]),
    now("aclrtMemcpyBatchV2", Copy).with(&["count"]),
    queued("aclrtMemcpyBatchAsync", Copy).with(&["count", "stream"]),
    queued("aclrtMemcpyBatchAsyncV2", Copy).with(&["count", "stream"]),
    now("aclrtSetMemcpyDesc", Order).with(&["descriptor", "to", "from", "size"]),
    queued("aclrtMemcpyAsyncWithDesc", Copy).with(&["descriptor", "stream"]),
    queued("aclrtMemcpyAsyncWithOffset", Launch).with(&["to", "to_offset", "from", "from_offset", "size", "stream"]),
    now("aclrtGetSymbolAddress", Order).with(&["symbol", "address"]),
    now("aclrtMemcpyFromSymbol", Launch).with(&["symbol", "offset", "size"]),
    queued("aclrtMemcpyFromSymbolAsync", Launch).with(&["symbol", "offset", "size", "stream"]),
    now("aclrtMemcpyToSymbol", Launch).with(&["symbol", "offset", "size"]),
    queued("aclrtMemcpyToSymbolAsync", Launch).with(&["symbol", "offset", "size", "stream"]),
    now("aclrtMemsetD32", Set),
    queued("aclrtMemsetD32Async", Set),
    queued("aclrtReduceAsync", Launch).with(&["to", "from", "size", "kind", "type", "stream"]),
    queued("aclrtValueWrite", Launch).with(&["address", "value", "stream"]),
    queued("aclrtValueWait", Launch).with(&["address", "value", "condition", "stream"]),
    queued("aclrtCmoAsync", Order).with(&["address", "size", "kind", "stream"]),
    queued("aclrtCmoAsyncWithBarrier", Order).with(&["address", "size", "kind", "barrier", "stream"]),
    queued("aclrtCmoWaitBarrier", Order).with(&["count", "stream"]),
    now("aclrtCmoSetDesc", Order).with(&["descriptor", "address", "size"]),
    queued("aclrtCmoAsyncWithDesc", Order).with(&["descriptor", "kind", "stream"]),
    queued("aclrtRandomNumAsync", Launch).with(&["to", "size", "counter", "parameters", "kind", "stream"]),
    queued("aclrtGetOverflowStatus", Launch).with(&["to", "size", "stream"]),
    queued("aclrtGetFloatOverflowStatus", Launch).with(&["to", "size", "stream"]),
    queued("aclrtNpuGetFloatOverFlowStatus", Launch).with(&["to", "size", "stream"]),
    queued("aclrtTaskUpdateAsync", Launch).with(&["from", "size", "task", "tasks_stream", "stream"]),
    now("aclrtMemFlush", Order).with(&["address", "size"]),
    now("aclrtMemInvalidate", Order).with(&["address", "size"]),
];
