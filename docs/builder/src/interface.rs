//! mdBook's own words, in Chinese: it has one language. They are replaced in what it wrote.

use std::fs;
use std::path::Path;

use crate::Outcome;

/// In each page; what mdBook no longer writes fails the build.
const PAGES: [(&str, &str); 29] = [
    (">Keyboard shortcuts<", ">快捷键<"),
    (
        "<p>Press <kbd>←</kbd> or <kbd>→</kbd> to navigate between chapters</p>",
        "<p><kbd>←</kbd> 或 <kbd>→</kbd>：上一章、下一章</p>",
    ),
    (
        "<p>Press <kbd>S</kbd> or <kbd>/</kbd> to search in the book</p>",
        "<p><kbd>S</kbd> 或 <kbd>/</kbd>：在书中搜索</p>",
    ),
    (
        "<p>Press <kbd>?</kbd> to show this help</p>",
        "<p><kbd>?</kbd>：显示本帮助</p>",
    ),
    (
        "<p>Press <kbd>Esc</kbd> to hide this help</p>",
        "<p><kbd>Esc</kbd>：关闭本帮助</p>",
    ),
    ("\"Table of contents\"", "\"目录\""),
    (
        "title=\"Toggle Table of Contents\"",
        "title=\"显示或隐藏目录\"",
    ),
    (
        "aria-label=\"Toggle Table of Contents\"",
        "aria-label=\"显示或隐藏目录\"",
    ),
    ("title=\"Change theme\"", "title=\"更换主题\""),
    ("aria-label=\"Change theme\"", "aria-label=\"更换主题\""),
    ("aria-label=\"Themes\"", "aria-label=\"主题\""),
    (">Auto</button>", ">自动</button>"),
    (">Light</button>", ">浅色</button>"),
    (">Rust</button>", ">锈色</button>"),
    (">Coal</button>", ">炭黑</button>"),
    (">Navy</button>", ">藏青</button>"),
    (">Ayu</button>", ">深蓝</button>"),
    ("title=\"Search (`/`)\"", "title=\"搜索（`/`）\""),
    (
        "aria-label=\"Toggle Searchbar\"",
        "aria-label=\"显示或隐藏搜索栏\"",
    ),
    (
        "placeholder=\"Search this book ...\"",
        "placeholder=\"搜索本书…\"",
    ),
    ("title=\"Print this book\"", "title=\"打印本书\""),
    ("aria-label=\"Print this book\"", "aria-label=\"打印本书\""),
    ("aria-label=\"Page navigation\"", "aria-label=\"翻页\""),
    ("title=\"Previous chapter\"", "title=\"上一章\""),
    ("aria-label=\"Previous chapter\"", "aria-label=\"上一章\""),
    ("title=\"Next chapter\"", "title=\"下一章\""),
    ("aria-label=\"Next chapter\"", "aria-label=\"下一章\""),
    ("<title>Page not found", "<title>没有此页"),
    (">Document not found (404)<", ">没有此页（404）<"),
];

/// In scripts: the start of the file's name, and what it says.
const SCRIPTS: [(&str, &str, &str); 5] = [
    ("searcher", "' search result for \\''", "' 条结果：\\''"),
    ("searcher", "' search results for \\''", "' 条结果：\\''"),
    ("searcher", "'No search results for \\''", "'没有结果：\\''"),
    ("book", "'Copy to clipboard'", "'复制'"),
    ("book", "'Copied!'", "'已复制'"),
];

/// Replaces them in the book below `folder`.
pub fn translate(folder: &Path) -> Outcome<()> {
    let mut seen = [false; PAGES.len()];
    pages(folder, &mut seen)?;
    let missing = PAGES.iter().zip(seen).find(|(_, seen)| !seen);
    if let Some(((english, _), _)) = missing {
        return Err(format!("mdBook no longer writes {english:?}: look at its templates").into());
    }
    for (name, english, chinese) in SCRIPTS {
        let mut is_there = false;
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            if !(file.starts_with(name) && file.ends_with(".js")) {
                continue;
            }
            let text = fs::read_to_string(&path)?;
            is_there |= text.contains(english);
            fs::write(&path, text.replace(english, chinese))?;
        }
        if !is_there {
            return Err(format!("mdBook's {name}.js no longer says {english}").into());
        }
    }
    Ok(())
}

fn pages(folder: &Path, seen: &mut [bool]) -> Outcome<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            pages(&path, seen)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            let mut text = fs::read_to_string(&path)?;
            for ((english, chinese), seen) in PAGES.iter().zip(seen.iter_mut()) {
                if text.contains(english) {
                    *seen = true;
                    text = text.replace(english, chinese);
                }
            }
            fs::write(&path, text)?;
        }
    }
    Ok(())
}
