//! Copies that come in batches or do not name their ends, and operations that change device memory in place.

use crate::api::function::Effect;
use crate::api::function::Role::*;
use crate::api::function::SyncRole;
use crate::api::function::{Function, now, queued};

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    queued("aclrtMemcpyAsyncWithCondition", Copy).does(Effect::CopyAligned),
    now("aclrtMemcpyBatch", Copy).with(&["count"]).does(Effect::CopyBatch),
    now("aclrtMemcpyBatchV2", Copy).with(&["count"]).does(Effect::CopyBatch),
    queued("aclrtMemcpyBatchAsync", Copy).with(&["count", "stream"]).does(Effect::CopyBatch),
    queued("aclrtMemcpyBatchAsyncV2", Copy).with(&["count", "stream"]).does(Effect::CopyBatch),
    now("aclrtSetMemcpyDesc", Order).with(&["descriptor", "to", "from", "size"]),
    queued("aclrtMemcpyAsyncWithDesc", Copy).with(&["descriptor", "stream"]).does(Effect::CopyDescribed),
    queued("aclrtMemcpyAsyncWithOffset", Launch).with(&["to", "to_offset", "from", "from_offset", "size", "stream"]),
    now("aclrtGetSymbolAddress", Order).with(&["symbol", "address"]),
    now("aclrtMemcpyFromSymbol", Launch).with(&["symbol", "offset", "size"]),
    queued("aclrtMemcpyFromSymbolAsync", Launch).with(&["symbol", "offset", "size", "stream"]),
    now("aclrtMemcpyToSymbol", Launch).with(&["symbol", "offset", "size"]),
    queued("aclrtMemcpyToSymbolAsync", Launch).with(&["symbol", "offset", "size", "stream"]),
    now("aclrtMemsetD32", Set).does(Effect::FillWords),
    queued("aclrtMemsetD32Async", Set).does(Effect::FillWords),
    queued("aclrtReduceAsync", Launch).with(&["to", "from", "size", "kind", "type", "stream"]),
    queued("aclrtValueWrite", Launch).with(&["address", "value", "stream"]).sync(SyncRole::WriteValue),
    queued("aclrtValueWait", Launch).with(&["address", "value", "condition", "stream"]).sync(SyncRole::WaitForValue),
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
