//! The modules of the workspace and what each imports, read from the sources.
//!
//! Paths that begin with `crate`, `super`, `self` or the name of one of our crates count, in `use` and in code, inside macros too.
//! Re-exports are followed to the module that defines the name. Test modules are left out: a test may build what it needs.

use crate::checkout::File;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;

/// A module by its full path, crate first: `analyzer::replay::player`.
pub type Module = Vec<String>;

/// A crate: the name that code imports it by, and the folder of its root file.
pub struct Package {
    pub ident: &'static str,
    pub folder: &'static str,
}

/// The import graph.
pub struct Imports {
    pub modules: BTreeSet<Module>,
    /// Importer and imported, both modules; never a module and itself.
    pub edges: BTreeSet<(Module, Module)>,
}

/// A full path, and the module that contains it.
struct Mention {
    at: Module,
    path: Vec<String>,
    /// The name of the re-export.
    exported: Option<String>,
}

pub fn read(files: &[File], packages: &[Package]) -> Imports {
    let mut modules = BTreeSet::new();
    let mut mentions = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let Some(module) = module_of(&file.name, packages) else {
            continue;
        };
        let tokens: TokenStream = file
            .text
            .parse()
            .unwrap_or_else(|error| panic!("{}: {error}", file.name));
        modules.insert(module.clone());
        let mut reader = Reader {
            packages,
            modules: &mut modules,
            mentions: &mut mentions,
        };
        reader.walk(tokens, &module);
    }
    let mut exports = BTreeMap::new();
    for mention in &mentions {
        if let Some(name) = &mention.exported {
            exports.insert((mention.at.clone(), name.clone()), mention.path.clone());
        }
    }
    let resolve = |path: &[String]| resolve(path, &modules, &exports, 8);
    let edges = mentions
        .iter()
        .filter_map(|mention| Some((mention.at.clone(), resolve(&mention.path)?)));
    let edges = edges.filter(|(from, to)| from != to).collect();
    Imports { modules, edges }
}

/// The module of a file, unless it is a test, a build script or outside all packages.
fn module_of(name: &str, packages: &[Package]) -> Option<Module> {
    let inside = packages.iter().filter(|package| {
        name.strip_prefix(package.folder)
            .is_some_and(|rest| rest.starts_with('/'))
    });
    let package = inside.max_by_key(|package| package.folder.len())?;
    let path = name[package.folder.len() + 1..].strip_suffix(".rs")?;
    let mut parts: Vec<&str> = path.split('/').collect();
    let is_test = |part: &&str| *part == "tests" || part.ends_with("_tests");
    if parts.iter().any(is_test) || ["build", "main", "benches"].contains(&parts[0]) {
        return None;
    }
    parts.pop_if(|last| ["mod", "lib"].contains(last));
    let parts = [package.ident].into_iter().chain(parts);
    Some(parts.map(str::to_owned).collect())
}

/// The module that `path` leads to: the longest part of it that is one, through at most `depth` re-exports.
fn resolve(
    path: &[String],
    modules: &BTreeSet<Module>,
    exports: &BTreeMap<(Module, String), Vec<String>>,
    depth: usize,
) -> Option<Module> {
    let mut module = path.get(..1)?.to_vec();
    for (at, part) in path.iter().enumerate().skip(1) {
        let next = [&module[..], std::slice::from_ref(part)].concat();
        if modules.contains(&next) {
            module = next;
            continue;
        }
        let Some(target) = exports.get(&(module.clone(), part.clone())) else {
            break;
        };
        let whole = [&target[..], &path[at + 1..]].concat();
        if depth > 0 && whole != path {
            return resolve(&whole, modules, exports, depth - 1);
        }
        break;
    }
    modules.contains(&module).then_some(module)
}

struct Reader<'a> {
    packages: &'a [Package],
    modules: &'a mut BTreeSet<Module>,
    mentions: &'a mut Vec<Mention>,
}

type Tokens = Peekable<proc_macro2::token_stream::IntoIter>;

impl Reader<'_> {
    fn walk(&mut self, tokens: TokenStream, module: &Module) {
        let mut tokens = tokens.into_iter().peekable();
        let mut is_public = false;
        let mut is_use = false;
        while let Some(token) = tokens.next() {
            match token {
                // The guard takes the attribute, whatever it is.
                TokenTree::Punct(mark)
                    if mark.as_char() == '#' && is_test_attribute(&mut tokens) =>
                {
                    skip_item(&mut tokens);
                }
                TokenTree::Group(group) => {
                    // After `pub`: `pub(crate)`, or the body of a public item.
                    is_public &= is_use || group.delimiter() == Delimiter::Parenthesis;
                    self.walk(group.stream(), module);
                }
                TokenTree::Ident(word) => match word.to_string().as_str() {
                    "pub" => is_public = true,
                    "use" => is_use = true,
                    "mod" => {
                        self.inline_module(&mut tokens, module);
                        is_public = false;
                    }
                    first => {
                        if let Some(start) = self.start(first, module, is_use) {
                            let is_public = is_public && is_use;
                            self.paths(&mut tokens, start, module, is_public);
                        }
                        if !is_use {
                            is_public = false;
                        }
                    }
                },
                TokenTree::Punct(mark) if mark.as_char() == ';' => {
                    is_public = false;
                    is_use = false;
                }
                _ => {}
            }
        }
    }

    /// `mod name { … }` is read as a module of its own; `mod name;` is another file.
    fn inline_module(&mut self, tokens: &mut Tokens, module: &Module) {
        let Some(TokenTree::Ident(name)) = tokens.next() else {
            return;
        };
        if let Some(TokenTree::Group(_)) = tokens.peek() {
            let Some(TokenTree::Group(body)) = tokens.next() else {
                return;
            };
            let inner = [&module[..], &[name.to_string()]].concat();
            self.modules.insert(inner.clone());
            self.walk(body.stream(), &inner);
        }
    }

    /// Where a path that begins with `first` begins, if it is one of ours. In a `use`, a child's name begins a path, too.
    fn start(&self, first: &str, module: &Module, is_use: bool) -> Option<Vec<String>> {
        match first {
            "crate" => Some(module[..1].to_vec()),
            "self" => Some(module.clone()),
            "super" => Some(module[..module.len().saturating_sub(1)].to_vec()),
            _ if self.packages.iter().any(|package| package.ident == first) => {
                Some(vec![first.to_owned()])
            }
            _ => is_use.then(|| [&module[..], &[first.to_owned()]].concat()),
        }
    }

    /// Reads `::name`, `::{…}` and `::*` from here on.
    fn paths(&mut self, tokens: &mut Tokens, mut path: Vec<String>, at: &Module, is_public: bool) {
        loop {
            let mut ahead = tokens.clone();
            let is_colon = |token: Option<TokenTree>| matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == ':');
            if !is_colon(ahead.next()) || !is_colon(ahead.next()) {
                break;
            }
            match ahead.next() {
                Some(TokenTree::Ident(name)) if name == "super" => {
                    path.pop();
                }
                Some(TokenTree::Ident(name)) => path.push(name.to_string()),
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    let mut inner = group.stream().into_iter().peekable();
                    while let Some(token) = inner.next() {
                        if let TokenTree::Ident(name) = token {
                            let mut branch = path.clone();
                            if name != "self" {
                                branch.push(name.to_string());
                            }
                            self.paths(&mut inner, branch, at, is_public);
                        }
                    }
                    *tokens = ahead;
                    return;
                }
                _ => break,
            }
            *tokens = ahead;
        }
        let mut ahead = tokens.clone();
        let alias = match (ahead.next(), ahead.next()) {
            (Some(TokenTree::Ident(word)), Some(TokenTree::Ident(alias))) if word == "as" => {
                Some(alias.to_string())
            }
            _ => path.last().cloned(),
        };
        self.mentions.push(Mention {
            at: at.clone(),
            path,
            exported: alias.filter(|_| is_public),
        });
    }
}

/// Consumes an attribute; returns whether its item is for tests only.
fn is_test_attribute(tokens: &mut Tokens) -> bool {
    if !matches!(tokens.peek(), Some(TokenTree::Group(_))) {
        return false; // `#![…]` is about the file
    }
    let Some(TokenTree::Group(group)) = tokens.next() else {
        return false;
    };
    let text = group.stream().to_string().replace(' ', "");
    text == "cfg(test)" || text.starts_with("cfg(all(test,") || text == "test"
}

/// Consumes the next item: up to its body or its `;`.
fn skip_item(tokens: &mut Tokens) {
    for token in tokens.by_ref() {
        let is_end = match token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(mark) => mark.as_char() == ';',
            _ => false,
        };
        if is_end {
            break;
        }
    }
}
