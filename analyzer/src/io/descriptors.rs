//! How many file descriptors each part of a server may hold: together fewer than the system gives.

use rustix::process::{Resource, getrlimit};

/// Parts of all descriptors for logs that are followed, and most that are left for connections, and for what is read now and then.
const SHARE: u64 = 4;
const MAX_CONNECTIONS: u64 = 68;
const MAX_OTHER: u64 = 64;

/// For connections: a quarter.
pub fn for_connections() -> usize {
    usize::try_from(connections(limit())).unwrap_or(usize::MAX)
}

/// For logs that are followed: what others leave, which is half at least.
pub fn for_logs() -> usize {
    usize::try_from(logs(limit())).unwrap_or(usize::MAX)
}

/// `ulimit -n`.
fn limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

fn connections(limit: u64) -> u64 {
    (limit / SHARE).clamp(1, MAX_CONNECTIONS)
}

fn logs(limit: u64) -> u64 {
    let other = (limit / SHARE).min(MAX_OTHER);
    limit.saturating_sub(connections(limit) + other).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_together_are_within_the_limit() {
        for (limit, parts) in [
            (64, (16, 32)),
            (1024, (68, 892)),
            (u64::MAX, (68, u64::MAX - 132)),
        ] {
            assert_eq!((connections(limit), logs(limit)), parts);
        }
        assert_eq!((connections(2), logs(2)), (1, 1));
    }
}
