//! The frames of a call site, named as far as possible from inside the process.

use crate::state::modules;
use crate::state::process::Process;
use crate::state::settings;
use aclsan_frames::{demangle, inlined_lambda, is_cpp_library, is_lambda, is_runtime};
use aclsan_log::{CallSiteId, PythonFrame};
use aclsan_unwind::modules::Module;
use aclsan_unwind::symbolize::Named;
use aclsan_unwind::{symbol_table, symbolize};
use std::sync::Arc;

/// A frame.
pub struct Frame {
    /// The return address; `None` for a Python function.
    pub address: Option<u64>,
    /// The demangled name.
    pub function: Option<String>,
    /// Source file and line.
    pub line: Option<(String, u32)>,
    /// Column from 1.
    pub column: Option<u32>,
    /// Module and offset.
    pub place: String,
    /// Path of the module; for Python, the source file.
    pub module: String,
}

/// The frames of a call site, innermost first.
pub fn all(process: &Process, site: CallSiteId) -> Vec<Frame> {
    let recorded = process.log.call_sites.get(site);
    named(
        process,
        &recorded.map_or_else(Box::default, |known| known.frames),
    )
}

/// These frames, innermost first.
pub fn named(process: &Process, recorded: &[u64]) -> Vec<Frame> {
    let mut frames = Vec::new();
    for &frame in recorded {
        match PythonFrame::of(frame) {
            Some(python) => frames.push(of_python(process, python)),
            None => add_native(frame, &mut frames),
        }
    }
    frames
}

fn of_python(process: &Process, python: PythonFrame) -> Frame {
    let (function, file) = process.code.python.get(python.code).unwrap_or_default();
    Frame {
        address: None,
        function: Some(function),
        line: Some((file.clone(), python.line)),
        column: None,
        place: String::new(),
        module: file,
    }
}

/// Adds the functions at a return address, inlined ones first.
fn add_native(address: u64, to: &mut Vec<Frame>) {
    let module = modules::at(address);
    let path = module.as_ref().map_or("", |module| &module.path);
    let name_at = |module: &Arc<Module>| {
        let offset = (address - 1).wrapping_sub(module.bias);
        symbol_table::name_at(&module.path, offset)
    };
    let settings = settings::current();
    let mut named = match settings.symbols {
        // The debug information of the C library takes long to read, if it is installed, and its lines say nothing about the program.
        true if settings.stack_trim && is_runtime(path) => vec![Named {
            function: module.as_ref().and_then(name_at),
            ..Named::default()
        }],
        true => symbolize::names(address),
        false => Vec::new(),
    };
    if named.is_empty() {
        named.push(Named::default());
    }
    // Debug information has no better name for a lambda, the symbol table has.
    let symbol = module
        .as_ref()
        .filter(|_| named.iter().any(is_call))
        .and_then(name_at);
    let symbol = symbol.map(|name| demangle(&name));
    let outermost = named.len() - 1;
    for (at, named) in named.into_iter().enumerate() {
        let is_call = is_call(&named);
        let function = named.function.map(|name| match (&symbol, is_call) {
            (Some(symbol), true) if at == outermost => symbol.clone(),
            (Some(symbol), true) => inlined_lambda(symbol).to_owned(),
            _ => demangle(&name),
        });
        to.push(Frame {
            address: Some(address),
            function,
            line: named.line,
            column: named.column,
            place: modules::describe(address),
            module: path.to_owned(),
        });
    }
}

/// Whether debug information calls the function `operator()` and no more, outside of the C++ library.
fn is_call(named: &Named) -> bool {
    let is_library = || {
        let line = named.line.as_ref();
        line.is_some_and(|(file, _)| is_cpp_library(file))
    };
    named.function.as_deref().is_some_and(is_lambda) && !is_library()
}
