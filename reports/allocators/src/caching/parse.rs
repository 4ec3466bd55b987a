//! Settings as users write them: `PYTORCH_NPU_ALLOC_CONF`, `PYTORCH_CUDA_ALLOC_CONF`.

use std::fmt;
use std::str::FromStr;

use super::settings::{DIVISIONS, Rules, Settings};
use crate::{KIB, MIB};

/// Settings that change nothing about what is reserved on the device.
const WITHOUT_EFFECT: [&str; 8] = [
    "multi_stream_lazy_reclaim",
    "pin_memory_expandable_segments",
    "pinned_mem_register",
    "pinned_num_register_threads",
    "pinned_reserve_segment_size_mb",
    "pinned_use_background_threads",
    "pinned_use_cuda_host_register",
    "release_lock_on_npumalloc",
];

const KNOWN: &str = "expandable_segments, max_split_size_mb, max_non_split_rounding_mb, garbage_collection_threshold, \
     per_process_memory_fraction, roundup_power2_divisions, page_size, segment_size_mb, large_segment_size_mb, base_addr_aligned_kb";

/// Why settings cannot be used, as a sentence that names them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unusable(String);

impl fmt::Display for Unusable {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Unusable {}

fn unusable(sentence: String) -> Unusable {
    Unusable(sentence)
}

impl Settings {
    /// Reads `key:value,key:value`, as the allocator with these rules does.
    ///
    /// # Errors
    /// If a key is unknown, a value is out of its range, or the allocator refuses the combination.
    pub fn parse(rules: Rules, text: &str) -> Result<Self, Unusable> {
        let mut settings = Self::new(rules);
        for setting in entries(text) {
            let Some((key, value)) = setting.split_once(':') else {
                return Err(unusable(format!(
                    "`{setting}` has no value: write `KEY:VALUE`"
                )));
            };
            settings.set(key.trim(), value.trim())?;
        }
        let has_limit = settings.max_split != u64::MAX || settings.garbage_collection > 0.0;
        if settings.expandable && has_limit && !rules.expandable_can_split_limit {
            return Err(unusable(format!(
                "`{text}`: {} refuses `expandable_segments` together with `max_split_size_mb` or `garbage_collection_threshold`",
                rules.name
            )));
        }
        if settings.garbage_collection > 0.0 && settings.fraction == 0.0 {
            return Err(unusable(format!(
                "`{text}`: nothing is collected without a limit: add `per_process_memory_fraction:F`, as the program sets it"
            )));
        }
        Ok(settings)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), Unusable> {
        match key {
            "expandable_segments" => self.expandable = boolean(key, value)?,
            "max_split_size_mb" => self.max_split = megabytes(key, value, 21)?,
            "max_non_split_rounding_mb" => {
                self.max_non_split_rounding = megabytes(key, value, 20)?;
            }
            "garbage_collection_threshold" => self.garbage_collection = share(key, value)?,
            "per_process_memory_fraction" => self.fraction = share(key, value)?,
            "roundup_power2_divisions" => self.divisions = divisions(key, value)?,
            "page_size" if value == "1g" => self.is_1g = true,
            "page_size" => {
                return Err(unusable(format!(
                    "`page_size:{value}`: only `1g` can be set"
                )));
            }
            "segment_size_mb" => self.expandable_segment = megabytes(key, value, 20)?,
            "large_segment_size_mb" => {
                self.large_segment = megabytes(key, value, 20)?;
                self.expandable_segment = self.large_segment;
            }
            "base_addr_aligned_kb" => {
                let kib: u64 = number(key, value)?;
                if kib > 16 {
                    return Err(unusable(format!("`{key}:{value}`: 16 is the most")));
                }
                self.base_alignment = kib * KIB;
            }
            "backend" if value == "native" => {}
            "backend" => {
                return Err(unusable(format!(
                    "`backend:{value}` is no caching allocator: ask for `--allocator stream-ordered`"
                )));
            }
            key if WITHOUT_EFFECT.contains(&key) => {}
            _ => {
                return Err(unusable(format!(
                    "`{key}` is no setting that is modelled; these are: {KNOWN}"
                )));
            }
        }
        Ok(())
    }
}

/// The settings of a list; a comma within brackets separates nothing.
fn entries(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = text.split(move |letter: char| {
        depth += i32::from(letter == '[') - i32::from(letter == ']');
        letter == ',' && depth <= 0
    });
    parts
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

fn number<T: FromStr>(key: &str, value: &str) -> Result<T, Unusable> {
    let refused = || {
        unusable(format!(
            "`{key}:{value}`: `{value}` is no number that can be set"
        ))
    };
    value.parse().map_err(|_| refused())
}

fn megabytes(key: &str, value: &str, least: u64) -> Result<u64, Unusable> {
    let mib: u64 = number(key, value)?;
    if mib < least {
        return Err(unusable(format!("`{key}:{value}`: {least} is the least")));
    }
    Ok(mib.saturating_mul(MIB))
}

fn share(key: &str, value: &str) -> Result<f64, Unusable> {
    let share: f64 = number(key, value)?;
    match share > 0.0 && share <= 1.0 {
        true => Ok(share),
        false => Err(unusable(format!(
            "`{key}:{value}`: it lies between 0 and 1"
        ))),
    }
}

fn boolean(key: &str, value: &str) -> Result<bool, Unusable> {
    match value {
        "True" => Ok(true),
        "False" => Ok(false),
        _ => Err(unusable(format!(
            "`{key}:{value}`: write `True` or `False`"
        ))),
    }
}

/// `4`, or `[256:1,512:2,>:8]`: a number of divisions each for sizes up to 256 MiB, 512 MiB and above.
fn divisions(key: &str, value: &str) -> Result<[u64; DIVISIONS], Unusable> {
    let refused = || {
        unusable(format!(
            "`{key}:{value}`: write a power of two, or `[MIB:N,…,>:N]` with powers of two"
        ))
    };
    let power = |text: &str| {
        let number = text.trim().parse::<u64>().ok();
        number.filter(|&number| number == 0 || number.is_power_of_two())
    };
    let Some(list) = value.strip_prefix('[') else {
        return power(value).map(|all| [all; DIVISIONS]).ok_or_else(refused);
    };
    let list = list.strip_suffix(']').ok_or_else(refused)?;
    let mut divisions = [0; DIVISIONS];
    let mut last = None;
    for entry in list.split(',') {
        let (up_to, number) = entry.split_once(':').ok_or_else(refused)?;
        let number = power(number).ok_or_else(refused)?;
        if up_to.trim() == ">" {
            let after = last.map_or(0, |last: usize| last + 1);
            divisions[after..].fill(number);
            continue;
        }
        let up_to = power(up_to)
            .filter(|&up_to| up_to > 0)
            .ok_or_else(refused)?;
        let index = (up_to.ilog2() as usize).min(DIVISIONS - 1);
        if last.is_none() {
            divisions[..index].fill(number);
        }
        divisions[index] = number;
        last = Some(index);
    }
    Ok(divisions)
}

#[cfg(test)]
mod tests {
    use super::super::{TORCH_CUDA, TORCH_NPU};
    use super::*;

    fn npu(text: &str) -> Result<Settings, String> {
        Settings::parse(TORCH_NPU, text).map_err(|error| error.to_string())
    }

    #[test]
    fn settings_are_read_as_the_allocators_read_them() {
        assert_eq!(npu(""), Ok(Settings::new(TORCH_NPU)));
        let read =
            npu("max_split_size_mb:32, max_non_split_rounding_mb:64,pinned_mem_register:True");
        let read = read.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(read.max_split, 32 * MIB);
        assert_eq!(read.max_non_split_rounding, 64 * MIB);
        let both = "expandable_segments:True,max_split_size_mb:32";
        assert!(Settings::parse(TORCH_CUDA, both).is_ok());
        assert!(npu(both).is_err_and(|error| error.contains("refuses `expandable_segments`")));
    }

    #[test]
    fn divisions_fill_what_is_below_and_above() {
        let list = divisions("k", "[2:4,8:1,>:2]");
        let mut expected = [2; DIVISIONS];
        expected[..4].copy_from_slice(&[4, 4, 0, 1]);
        assert_eq!(list, Ok(expected));
        assert_eq!(divisions("k", "8"), Ok([8; DIVISIONS]));
        for bad in ["3", "[", "[4]", "[3:1]", "[4:3]", "[0:1]", "x", "[>:1"] {
            assert!(divisions("k", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_cannot_be_set_is_named() {
        for (text, part) in [
            (
                "max_split_size_mb:20",
                "`max_split_size_mb:20`: 21 is the least",
            ),
            ("max_split_size_mb:-1", "`-1` is no number"),
            ("garbage_collection_threshold:2", "between 0 and 1"),
            (
                "garbage_collection_threshold:0.8",
                "per_process_memory_fraction",
            ),
            (
                "garbage_collection_threshold:NaN,per_process_memory_fraction:1",
                "between 0 and 1",
            ),
            ("expandable_segments:1", "`True` or `False`"),
            ("expandable_segments", "has no value"),
            ("page_size:2m", "only `1g`"),
            ("base_addr_aligned_kb:17", "16 is the most"),
            ("backend:cudaMallocAsync", "--allocator stream-ordered"),
            ("max_split_size_gb:1", "`max_split_size_gb` is no setting"),
        ] {
            let error = npu(text).err().unwrap_or_default();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
