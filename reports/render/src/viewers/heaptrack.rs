//! heaptrack's text format, version 3, for `heaptrack_gui` and `heaptrack_print`.
//!
//! All numbers are hexadecimal. `v` version, `X` command, `I` page size and pages, `s` string, `i` instruction (module, function, file,
//! line), `t` stack node (instruction, parent), `a` allocation (size, stack), `c` time in ms, `+` and `-` an allocation by its index.

use std::collections::HashMap;
use std::fmt::Write;

use crate::model::{Change, ChangeKind, Frame, History};
use crate::units::printable;

/// The document.
pub fn document(history: &History) -> String {
    let mut file = File::default();
    let _ = writeln!(
        file.text,
        "v 10500 3\nX {}\nI 1000 0",
        printable(&history.arguments)
    );
    let stacks: Vec<usize> = history
        .traces
        .iter()
        .map(|trace| {
            let mut parent = 0;
            for frame in trace.frames.iter().rev() {
                let instruction = file.instruction(frame);
                parent = file.node(instruction, parent);
            }
            let call = Frame {
                function: Some(trace.function.as_str().into()),
                module: "libascendcl.so".into(),
                ..Frame::default()
            };
            let instruction = file.instruction(&call);
            file.node(instruction, parent)
        })
        .collect();
    let mut allocations: HashMap<(u64, usize), usize> = HashMap::new();
    let mut last_ms = None;
    // A leaked block that its device's last reset dropped stays live here: heaptrack reports as leaked what is live at the end.
    let stays = |change: &&Change| {
        change.what == ChangeKind::Dropped && history.left.contains(&change.block)
    };
    let written = history.changes.iter().filter(|change| !stays(change));
    for change in written {
        let ms = change.ns / 1_000_000;
        if last_ms != Some(ms) {
            let _ = writeln!(file.text, "c {ms:x}");
            last_ms = Some(ms);
        }
        let next = allocations.len();
        let index = *allocations
            .entry((change.size, change.trace))
            .or_insert_with(|| {
                let _ = writeln!(file.text, "a {:x} {:x}", change.size, stacks[change.trace]);
                next
            });
        let sign = if change.what == ChangeKind::Allocated {
            '+'
        } else {
            '-'
        };
        let _ = writeln!(file.text, "{sign} {index:x}");
    }
    let _ = writeln!(file.text, "c {:x}", history.duration_ns / 1_000_000);
    file.text
}

/// Records written so far. Strings, instructions and nodes count from 1; 0 means none.
#[derive(Default)]
struct File {
    text: String,
    strings: HashMap<String, usize>,
    instructions: HashMap<Line, usize>,
    nodes: HashMap<(usize, usize), usize>,
}

/// Address, module, function, file and line of an instruction; texts by number.
type Line = (u64, usize, usize, usize, u32);

impl File {
    fn string(&mut self, text: &str) -> usize {
        if text.is_empty() {
            return 0;
        }
        let text = printable(text);
        if let Some(&known) = self.strings.get(&*text) {
            return known;
        }
        let number = self.strings.len() + 1;
        let _ = writeln!(self.text, "s {:x} {text}", text.len());
        self.strings.insert(text.to_string(), number);
        number
    }

    fn instruction(&mut self, frame: &Frame) -> usize {
        let module = self.string(&frame.module);
        let function = self.string(&frame.identity());
        let file = self.string(frame.file.as_deref().unwrap_or(""));
        let key = (
            frame.address,
            module,
            function,
            file,
            frame.line.unwrap_or(0),
        );
        if let Some(&known) = self.instructions.get(&key) {
            return known;
        }
        let number = self.instructions.len() + 1;
        let _ = write!(self.text, "i {:x} {module:x} {function:x}", frame.address);
        if file != 0 {
            let _ = write!(self.text, " {file:x} {:x}", key.4);
        }
        self.text.push('\n');
        self.instructions.insert(key, number);
        number
    }

    fn node(&mut self, instruction: usize, parent: usize) -> usize {
        if let Some(&known) = self.nodes.get(&(instruction, parent)) {
            return known;
        }
        let number = self.nodes.len() + 1;
        let _ = writeln!(self.text, "t {instruction:x} {parent:x}");
        self.nodes.insert((instruction, parent), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::history;

    #[test]
    fn a_history_by_hand() {
        // Strings: 1 module, 2 main, 3 file, 4 step, 5 libascendcl.so, 6 aclrtMalloc, 7 load, 8 aclrtMallocHost; lines 10 = a, 11 = b.
        let expected = "v 10500 3\nX train --steps 3\nI 1000 0\n\
            s e /opt/app/train\ns 4 main\ns 12 /src/app/train.cpp\ni 40100b 1 2 3 b\nt 1 0\n\
            s 4 step\ni 40100a 1 4 3 a\nt 2 1\ns e libascendcl.so\ns b aclrtMalloc\ni 0 5 6\nt 3 2\n\
            s 4 load\ni 40100a 1 7 3 a\nt 4 1\ns f aclrtMallocHost\ni 0 5 8\nt 5 4\n\
            c 1\na 1000 3\n+ 0\nc 2\na 3e8 5\n+ 1\nc 3\n- 0\nc 4\n";
        assert_eq!(document(&history()), expected);
    }

    #[test]
    fn of_what_resets_dropped_only_leaks_stay() {
        let mut history = history();
        let [first, .., gone] = history.changes[..] else {
            panic!("there are three")
        };
        let dropped = Change {
            what: ChangeKind::Dropped,
            ..gone
        };
        // The same twice, at the same address: the last reset dropped the second one.
        let second = [first, dropped].map(|change| Change { block: 1, ..change });
        history.changes = vec![first, dropped, second[0], second[1]];
        history.left = [1].into();
        let text = document(&history);
        let signs = text.lines().filter(|line| line.starts_with(['+', '-']));
        assert_eq!(signs.collect::<Vec<_>>(), ["+ 0", "- 0", "+ 0"], "{text}");
    }
}
