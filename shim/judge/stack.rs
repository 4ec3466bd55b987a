//! The lines of a stack in a finding that is printed at once.

use crate::state::modules;
use crate::state::process::Process;
use aclsan_frames::{
    Hidden, Line, Pattern, demangle, display, is_cpp_library, is_lambda, lambda_in, layout, mark,
};
use aclsan_log::{CallSiteId, PythonFrame};
use aclsan_unwind::{symbol_table, symbolize};

/// A frame, named as far as possible from inside the process.
struct Frame {
    /// The return address; `None` for a Python function.
    address: Option<u64>,
    function: Option<String>,
    /// File and line, or module and offset in parentheses.
    place: String,
    /// Path of the module.
    module: String,
}

/// The frames of a call site, one per line, without those that [`mark`] leaves out.
pub fn lines(process: &Process, site: CallSiteId) -> Vec<String> {
    let recorded = process.log.call_sites.get(site);
    let recorded = recorded.map_or_else(Box::default, |known| known.frames);
    let mut frames = Vec::new();
    for &frame in &recorded {
        match PythonFrame::of(frame) {
            Some(python) => frames.push(of_python(process, python)),
            None => add_native(process, frame, &mut frames),
        }
    }
    let marks = marks(process, &frames);
    let mut lines: Vec<String> = Vec::new();
    for line in layout(&marks) {
        match (&line, lines.last_mut()) {
            (Line::Frame(at), _) => lines.push(format!("#{at} {}", text(&frames[*at]))),
            (Line::Gap(gap), Some(last)) if gap.is_start_up() => last.push_str(&format!(" {gap}")),
            (Line::Gap(gap), _) => lines.push(gap.to_string()),
        }
    }
    lines
}

fn marks(process: &Process, frames: &[Frame]) -> Vec<Option<Hidden>> {
    if !process.options.stack_trim {
        return vec![None; frames.len()];
    }
    let wrappers = Pattern::list(&process.options.skip_frames);
    let frames: Vec<_> = frames
        .iter()
        .map(|frame| aclsan_frames::Frame {
            function: frame.function.as_deref(),
            file: Some(&frame.place),
            module: &frame.module,
            is_python: frame.address.is_none(),
        })
        .collect();
    mark(&frames, &wrappers)
}

fn of_python(process: &Process, python: PythonFrame) -> Frame {
    let (function, file) = process.code.python.get(python.code).unwrap_or_default();
    Frame {
        address: None,
        function: Some(function),
        place: format!("{file}:{}", python.line),
        module: file,
    }
}

/// Adds the functions at a return address, inlined ones first.
fn add_native(process: &Process, address: u64, to: &mut Vec<Frame>) {
    let module = modules::at(address);
    let path = module.as_ref().map_or("", |module| &module.path);
    let frame = |function, place| Frame {
        address: Some(address),
        function,
        place,
        module: path.to_owned(),
    };
    let nowhere = || format!("({})", modules::describe(address));
    let named = match process.options.symbols {
        true => symbolize::names(address),
        false => Vec::new(),
    };
    if named.is_empty() {
        to.push(frame(None, nowhere()));
    }
    let outermost = named.len().saturating_sub(1);
    let is_call = |(name, line): &(Option<String>, Option<String>)| {
        name.as_deref().is_some_and(is_lambda) && !line.as_deref().is_some_and(is_cpp_library)
    };
    // Debug information has no better name for a lambda, the symbol table has.
    let symbol = module
        .as_ref()
        .filter(|_| named.iter().any(is_call))
        .and_then(|module| {
            let offset = (address - 1).wrapping_sub(module.bias);
            symbol_table::name_at(&module.path, offset)
        });
    let symbol = symbol.map(|name| demangle(&name));
    for (at, (name, line)) in named.into_iter().enumerate() {
        let is_lambda = is_call(&(name.clone(), line.clone()));
        let name = name.map(|name| match (&symbol, is_lambda) {
            (Some(symbol), true) if at == outermost => symbol.clone(),
            (Some(symbol), true) => lambda_in(symbol).unwrap_or(&name).to_owned(),
            _ => demangle(&name),
        });
        to.push(frame(name, line.unwrap_or_else(nowhere)));
    }
}

fn text(frame: &Frame) -> String {
    let address = frame.address.map(|address| format!("{address:#x}"));
    let function = match (&frame.function, address.is_some()) {
        (Some(function), _) => Some(format!("in {}", display(function))),
        (None, _) => None,
    };
    let parts = [address, function, Some(frame.place.clone())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}
