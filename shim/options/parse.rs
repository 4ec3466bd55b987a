//! Parses the whole variable.

use crate::values::Value;
use crate::{Options, Profile, Sample};

/// Block, stack and guard sampling of [`Profile::Production`]. The first is what tcmalloc and jemalloc sample by.
const PRODUCTION: (u32, Sample, Sample) = (512 << 10, Sample(64), Sample(1024));

impl Options {
    /// Parses `text`. Also returns a sentence for each mistake in it.
    pub fn parse(text: &str) -> (Self, Vec<String>) {
        let mut options = Self::default();
        let mut wrong = Vec::new();
        let items: Vec<_> = pairs(text).collect();
        let profiles = items.iter().flatten().filter(|(key, _)| *key == "profile");
        let mut profiles = profiles.filter_map(|(_, value)| Profile::parse(value));
        let last = profiles.next_back();
        if last == Some(Profile::Production) {
            (
                options.block_sample,
                options.stack_sample,
                options.guard_sample,
            ) = PRODUCTION;
        }
        for item in items {
            match item {
                Ok((key, value)) => wrong.extend(options.set(key, value).err()),
                Err("") => {}
                Err(item) => {
                    wrong.push(format!("option `{item}` has no value: write {item}=VALUE"))
                }
            }
        }
        (options, wrong)
    }
}

/// The items of `text`, in order: each a key and its value without quotes, or the whole item if it has no `=`; that may be empty. For code
/// that passes options on without interpreting them.
pub fn pairs(text: &str) -> impl Iterator<Item = Result<(&str, &str), &str>> {
    split(text).into_iter().map(pair)
}

/// Splits at colons outside quotes.
fn split(text: &str) -> Vec<&str> {
    let mut quote = None;
    text.split(|c: char| {
        match quote {
            Some(open) if open == c => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            _ => {}
        }
        c == ':' && quote.is_none()
    })
    .map(str::trim)
    .collect()
}

/// Key and value; the whole item if it has no `=`.
fn pair(item: &str) -> Result<(&str, &str), &str> {
    let (key, value) = item.split_once('=').ok_or(item)?;
    Ok((key.trim(), unquote(value)))
}

fn unquote(value: &str) -> &str {
    let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    inner('\'').or_else(|| inner('"')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Depth, Guard, Mode};

    #[test]
    fn values_are_read_and_the_rest_keep_their_defaults() {
        let (options, wrong) = Options::parse(
            "log_path='/tmp/a:b.log':mode=record:stack_depth=20:quiet=1:guard_sample=1/8",
        );
        assert_eq!(wrong, [""; 0]);
        assert_eq!(
            (options.log_path.as_str(), options.mode, options.stack_depth),
            ("/tmp/a:b.log", Mode::Record, Depth(20))
        );
        assert_eq!(
            (options.guard(), options.guard_sample),
            (Guard::Off, Sample(8))
        );
        assert_eq!(
            Options {
                quiet: false,
                ..options
            },
            Options {
                quiet: false,
                ..Options::parse(
                    "log_path=\"/tmp/a:b.log\":mode=record:stack_depth=20:guard_sample=8"
                )
                .0
            }
        );
    }

    #[test]
    fn a_bad_value_is_named_and_the_default_kept() {
        let (options, wrong) = Options::parse("mode=fast:guard_bytes=many:colour=red:quiet");
        assert_eq!(options, Options::default());
        assert_eq!(
            wrong,
            [
                "option `mode` takes record or check, not `fast`; it stays at check",
                "option `guard_bytes` takes a number from 0 to 4096, not `many`; it stays at 64",
                "unknown option `colour`; ACLSAN_OPTIONS=help=1 lists them",
                "option `quiet` has no value: write quiet=VALUE",
            ]
        );
    }

    #[test]
    fn a_value_out_of_range_is_named_with_what_counts_instead() {
        let text = "profile=production:guard_bytes=4097:stack_depth=257:stack_sample=0:mode=record:mode=x:fill=2";
        let (options, wrong) = Options::parse(text);
        assert_eq!(options.stack_sample, PRODUCTION.1);
        assert_eq!(
            wrong,
            [
                "option `guard_bytes` takes a number from 0 to 4096, not `4097`; it stays at 64",
                "option `stack_depth` takes a number from 0 to 256, not `257`; it stays at 64",
                "option `stack_sample` takes 1/N, not `0`; it stays at 1/64",
                "option `mode` takes record or check, not `x`; it stays at record",
                "option `fill` takes 0 or 1, not `2`; it stays at off",
            ]
        );
        let most = Options::parse("guard_bytes=4096:stack_depth=256");
        assert_eq!(most.1, [""; 0]);
    }

    #[test]
    fn a_profile_is_where_other_options_start_from() {
        let samples = |text| {
            let (options, wrong) = Options::parse(text);
            assert_eq!(wrong, [""; 0]);
            (
                options.block_sample,
                options.stack_sample,
                options.guard_sample,
            )
        };
        let full = (0, Sample(1), Sample(1));
        assert_eq!(samples("mode=check"), full);
        assert_eq!(samples("profile=production"), PRODUCTION);
        assert_eq!(
            samples("stack_sample=1/8:profile=production:block_sample=0"),
            (0, Sample(8), Sample(1024))
        );
        assert_eq!(samples("profile='production'"), PRODUCTION);
        assert_eq!(samples("profile=full: profile =production"), PRODUCTION);
        assert_eq!(samples("profile=production:profile=full"), full);
    }

    #[test]
    fn order_is_not_judged_where_blocks_are_missing() {
        assert!(Options::parse("").0.judges_order());
        assert!(!Options::parse("block_sample=1").0.judges_order());
        let traps = |text| Options::parse(text).0.traps_host_access();
        assert!(traps("host_access=trap") && !traps("host_access=trap:block_sample=4096"));
    }

    #[test]
    fn check_mode_guards_by_default() {
        assert_eq!(Options::parse("").0.guard(), Guard::Rear);
        assert_eq!(Options::parse("guard=off").0.guard(), Guard::Off);
        assert_eq!(Options::parse("mode=record").0.guard(), Guard::Off);
    }
}
