//! Fenced blocks of a page, and the directives before them.

/// A fenced block.
pub struct Block {
    /// The first word after the fence.
    pub language: String,
    /// The second: a file's name, or `skip`.
    pub word: Option<String>,
    /// The comment in the line before the fence, if it is about output.
    pub output: Option<Output>,
    pub text: String,
    /// Lines of the page that the text takes, counted from 0.
    pub lines: std::ops::Range<usize>,
}

impl Block {
    /// Whether it is a block of commands that runs.
    pub fn runs(&self) -> bool {
        self.language == "sh" && self.word.is_none()
    }

    /// The file that it becomes.
    pub fn file(&self) -> Option<&str> {
        self.word.as_deref().filter(|word| *word != "skip")
    }
}

/// What a quotation takes from the output before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output(String);

impl Output {
    fn parse(line: &str) -> Option<Self> {
        let inside = line.strip_prefix("<!-- output")?.strip_suffix("-->")?;
        Some(Self(inside.trim_start_matches(':').trim().to_owned()))
    }

    /// The part of `printed` that it names.
    ///
    /// # Panics
    /// If a line that it names was not printed.
    pub fn select(&self, printed: &str) -> String {
        if self.0.is_empty() {
            return printed.to_owned();
        }
        let lines: Vec<&str> = printed.lines().collect();
        let mut selected = String::new();
        let mut at = 0;
        for part in self.0.split(" ; ") {
            let (from, to) = part.split_once(" ... ").unwrap_or((part, part));
            let find = |from: usize, what: &str| {
                let names = |line: &&str| what.split(" / ").any(|one| line.contains(one));
                let found = lines[from..].iter().position(names);
                from + found.unwrap_or_else(|| panic!("`{what}` is not printed:\n{printed}"))
            };
            let start = find(at, from.trim());
            let end = find(start, to.trim());
            for line in &lines[start..=end] {
                selected.push_str(line);
                selected.push('\n');
            }
            at = end + 1;
        }
        selected
    }
}

/// The blocks of a page, in order.
pub fn of(page: &str) -> Vec<Block> {
    let lines: Vec<&str> = page.lines().collect();
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some(words) = lines[at].strip_prefix("```") else {
            at += 1;
            continue;
        };
        let mut words = words.split_whitespace().map(str::to_owned);
        let language = words.next().expect("a language after the fence");
        let start = at + 1;
        let length = lines[start..].iter().position(|line| *line == "```");
        let end = start + length.expect("the end of a block");
        blocks.push(Block {
            language,
            word: words.next(),
            output: at
                .checked_sub(1)
                .and_then(|above| Output::parse(lines[above])),
            text: lines[start..end]
                .iter()
                .map(|line| format!("{line}\n"))
                .collect(),
            lines: start..end,
        });
        at = end + 1;
    }
    blocks
}

#[test]
fn blocks_have_files_and_directives() {
    let page =
        "a\n```c a.c\nint x;\n```\n```sh\ntrue\n```\n<!-- output: b ... c ; e -->\n```text\n```\n";
    let blocks = of(page);
    assert_eq!(blocks[0].file(), Some("a.c"));
    assert_eq!(blocks[0].text, "int x;\n");
    assert!(blocks[1].runs() && !blocks[2].runs());
    let output = blocks[2].output.as_ref().expect("a directive");
    assert_eq!(output.select("a\nb\nx\nc\nd\ne\n"), "b\nx\nc\ne\n");
    assert_eq!(blocks[2].lines, 9..9);
}
