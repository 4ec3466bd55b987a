//! Names of allocation sites.

use aclsan_render::model::{Frame, Trace};

/// Callers that a label names after the first.
const CALLERS: usize = 2;

/// The caller with its line, and the functions that called it.
pub fn label(trace: &Trace) -> String {
    let first = trace.caller();
    let rest = trace.callers().skip_while(|frame| Some(*frame) != first);
    let names = rest.skip(1).filter(|frame| frame.is_own());
    let names = names.filter_map(Frame::shown_function).take(CALLERS);
    let mut label = trace.caller_label();
    for name in names {
        label += " < ";
        label += &name;
    }
    label
}

/// Function, file and module of a stack's caller.
pub fn place(trace: &Trace) -> (String, String, String) {
    let site = trace.site();
    let text = |name: Option<aclsan_render::model::Name>| {
        name.map_or_else(String::new, |name| name.to_string())
    };
    (text(site.function), text(site.file), text(site.module))
}
