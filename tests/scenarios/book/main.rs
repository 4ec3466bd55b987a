//! The book and both README files: their programs are compiled and their commands run as printed, in order; what the pages quote is what
//! the commands print; and the Chinese pages are in step with the English ones.
//!
//! | in a page | means |
//! |---|---|
//! | a block `c first.c` | becomes that file |
//! | a block `sh` | runs; `aclsan` may exit with 1, which says that there are findings |
//! | a block `sh skip` | needs an NPU, a network or another machine: it does not run |
//! | `<!-- output: FROM ... TO ; LINE -->` before a block `text` | the block is this part of what the `sh` block before it printed |
//! | `ONE / OTHER` | either of them: what is printed differs in Chinese |
//! | `<!-- output -->` | the block is all of it |
//!
//! `SNAPSHOTS=overwrite cargo test -p aclsan-tests --test book` writes the quotations again.

mod blocks; // fences and directives of a page
mod normalize; // what varies from run to run
mod quote; // compares quotations, or rewrites them
mod run; // runs the commands of a page
mod step; // English and Chinese in step

use run::Tongue;

macro_rules! pages {
    ($($test:ident: $page:literal,)*) => {
        /// Pages whose commands run.
        const RUN: &[&str] = &[$($page),*];

        $(
            #[test]
            fn $test() {
                run::page(concat!("docs/en/", $page, ".md"), Tongue::English);
                run::page(concat!("docs/zh/", $page, ".md"), Tongue::Chinese);
            }
        )*
    };
}

pages! {
    account: "account",
    carving: "carving",
    ci_without_an_npu: "ci-without-an-npu",
    commands: "commands",
    cpp: "cpp",
    finding: "finding",
    formats: "formats",
    fragmentation: "fragmentation",
    guards: "guards",
    leaks: "leaks",
    options: "options",
    order: "order",
    plan: "plan",
    python: "python",
    pytorch: "pytorch",
    machines: "machines",
    ranks: "ranks",
    start: "start",
    watching: "watching",
}

#[test]
fn readme() {
    run::page("README.md", Tongue::English);
    run::page("README.zh.md", Tongue::Chinese);
}

#[test]
fn no_page_with_commands_is_left_out() {
    for name in step::pages("docs/en") {
        let has_commands = blocks::of(&run::read(&format!("docs/en/{name}.md")))
            .iter()
            .any(blocks::Block::runs);
        assert_eq!(
            has_commands,
            RUN.contains(&name.as_str()),
            "{name}: a page with commands is in the list of this file, and no other is"
        );
    }
}
