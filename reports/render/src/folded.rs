//! Folded stacks, `outermost;…;innermost NUMBER`, as flame graph tools and speedscope read them.

use std::collections::BTreeMap;

use crate::model::Trace;
use crate::units::printable;

/// One line per distinct stack with the sum of its values, in alphabetical order. The call itself is the innermost name. Stacks with a sum
/// of 0 are omitted.
pub fn lines(stacks: &[(Trace, u64)]) -> Vec<String> {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for (trace, value) in stacks {
        let sum = sums.entry(path(trace)).or_default();
        *sum = sum.saturating_add(*value);
    }
    let sums = sums.into_iter().filter(|(_, sum)| *sum > 0);
    sums.map(|(path, sum)| format!("{path} {sum}")).collect()
}

fn path(trace: &Trace) -> String {
    let call = match trace.function.as_str() {
        "" => "[unknown call]",
        function => function,
    };
    let frames = trace.callers().rev().map(|frame| frame.identity());
    let names = frames.chain([call.to_owned()]);
    // A semicolon would split the name.
    let names: Vec<String> = names
        .map(|name| printable(&name).replace(';', ":"))
        .collect();
    names.join(";")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Frame;

    fn trace(functions: &[&str]) -> Trace {
        let frames = functions.iter().map(|function| Frame {
            function: Some((*function).into()),
            ..Frame::default()
        });
        Trace {
            what: "allocated",
            function: "aclrtMalloc".to_owned(),
            frames: frames.collect(),
            source: None,
        }
    }

    #[test]
    fn equal_stacks_are_summed_outermost_first() {
        let stacks = [
            (trace(&["inner", "main"]), 100),
            (trace(&["other;one", "main"]), 1),
            (trace(&["inner", "main"]), 20),
            (trace(&["nothing"]), 0),
        ];
        assert_eq!(
            lines(&stacks),
            ["main;inner;aclrtMalloc 120", "main;other:one;aclrtMalloc 1"]
        );
    }
}
