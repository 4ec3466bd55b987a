//! speedscope: a profile of bytes by stack, for <https://www.speedscope.app>, which works offline too.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::model::{Frame, Name, Trace};

/// The document: `stacks` with their bytes; `title` says which bytes these are.
pub fn document(stacks: &[(Trace, u64)], title: &str) -> Value {
    let mut frames = Frames::default();
    let mut samples = Vec::new();
    let mut weights = Vec::new();
    let mut total = 0_u64;
    for (trace, bytes) in stacks.iter().filter(|(_, bytes)| *bytes > 0) {
        let callers = trace.callers().rev().map(|frame| frames.number(frame));
        let mut sample: Vec<usize> = callers.collect();
        sample.push(frames.number(&Frame {
            function: Some(trace.function.as_str().into()),
            ..Frame::default()
        }));
        samples.push(sample);
        weights.push(bytes);
        total = total.saturating_add(*bytes);
    }
    json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "name": title,
        "exporter": concat!("aclsan ", env!("CARGO_PKG_VERSION")),
        "shared": { "frames": frames.list },
        "profiles": [{
            "type": "sampled", "name": title, "unit": "bytes",
            "startValue": 0, "endValue": total, "samples": samples, "weights": weights,
        }],
    })
}

#[derive(Default)]
struct Frames {
    list: Vec<Value>,
    known: HashMap<(String, Option<Name>, Option<u32>), usize>,
}

impl Frames {
    fn number(&mut self, frame: &Frame) -> usize {
        let key = (frame.identity(), frame.file.clone(), frame.line);
        let next = self.list.len();
        let list = &mut self.list;
        *self
            .known
            .entry(key)
            .or_insert_with_key(|(name, file, line)| {
                let mut value = json!({ "name": name });
                if let Some(file) = file {
                    value["file"] = file.as_ref().into();
                }
                if let Some(line) = line {
                    value["line"] = (*line).into();
                }
                list.push(value);
                next
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::history;

    #[test]
    fn stacks_begin_outermost_and_share_their_frames() {
        let traces = history().traces;
        let document = document(
            &[(traces[0].clone(), 4096), (traces[1].clone(), 1000)],
            "live",
        );
        let profile = &document["profiles"][0];
        assert_eq!(profile["samples"], json!([[0, 1, 2], [0, 3, 4]]));
        assert_eq!(profile["weights"], json!([4096, 1000]));
        assert_eq!(profile["endValue"], 5096);
        assert_eq!(
            document["shared"]["frames"][0],
            json!({ "name": "main", "file": "/src/app/train.cpp", "line": 11 })
        );
    }
}
