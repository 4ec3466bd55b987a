//! Titles and sentences of manual pages that nothing else has.

use crate::commands::cli::Locale;

/// One language's.
pub struct Titles {
    pub name: &'static str,
    pub synopsis: &'static str,
    pub own_synopsis: &'static str,
    pub description: &'static str,
    pub own_description: &'static str,
    pub commands: &'static str,
    pub options: &'static str,
    pub exit_status: &'static str,
    /// What 0 to 3 mean.
    pub codes: [&'static str; 4],
    pub code_of_run: &'static str,
    pub severity: &'static str,
    pub see_also: &'static str,
    pub about_options: &'static str,
    pub about_rules: &'static str,
    /// Pages of the book that are manual pages, too.
    pub options_page: &'static str,
    pub rules_page: &'static str,
}

impl Titles {
    pub fn of(locale: Locale) -> &'static Self {
        match locale {
            Locale::English => &ENGLISH,
            Locale::Chinese => &CHINESE,
        }
    }
}

static ENGLISH: Titles = Titles {
    name: "NAME",
    synopsis: "SYNOPSIS",
    own_synopsis: "`aclsan` *command* [*options*] …",
    description: "DESCRIPTION",
    own_description: "Finds memory mistakes, leaks and fragmentation in programs that use Ascend NPU memory through AscendCL. `aclsan run` starts \
         a program with a library preloaded that watches its calls, prints findings as they happen, and writes an event log. \
         The other commands read such logs, on any machine.",
    commands: "COMMANDS",
    options: "OPTIONS",
    exit_status: "EXIT STATUS",
    codes: [
        "clean",
        "findings at or above `--fail-on`, or a budget exceeded",
        "usage, or an unreadable log",
        "nothing observed: no AscendCL call",
    ],
    code_of_run: "`aclsan run` exits with the program's own code; see aclsan-run(1).",
    severity: "Severity: ",
    see_also: "SEE ALSO",
    about_options: "options of aclsan, and what a team agrees on for its checks",
    about_rules: "what aclsan reports",
    options_page: include_str!("../../../../docs/en/options.md"),
    rules_page: include_str!("../../../../docs/en/rules.md"),
};

static CHINESE: Titles = Titles {
    name: "名称",
    synopsis: "概要",
    own_synopsis: "`aclsan` *命令* [*选项*] …",
    description: "描述",
    own_description: "在通过 AscendCL 使用昇腾 NPU 内存的程序中查找内存错误、泄漏和碎片。`aclsan run` 启动程序并预加载一个库：\
         它观察程序的调用，随时打印发现的问题，并写下事件日志。其他命令在任何机器上读取这些日志。",
    commands: "命令",
    options: "选项",
    exit_status: "退出状态",
    codes: [
        "没有问题",
        "有达到 `--fail-on` 级别的问题，或超出限额",
        "用法错误，或日志无法读取",
        "什么都没有观察到：没有 AscendCL 调用",
    ],
    code_of_run: "`aclsan run` 以程序自己的退出码结束；见 aclsan-run(1)。",
    severity: "级别：",
    see_also: "参见",
    about_options: "aclsan 的选项，以及团队为检查约定的内容",
    about_rules: "aclsan 报告什么",
    options_page: include_str!("../../../../docs/zh/options.md"),
    rules_page: include_str!("../../../../docs/zh/rules.md"),
};
