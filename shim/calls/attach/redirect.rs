//! Redirects the calls of modules to the hooks, and back.
//!
//! In three passes, since under the loader's lock nothing can be looked up: what is referenced; which definition each caller has, and its
//! hook; then each word is exchanged, if it still holds that definition. The loader binds some words at their first call and may do so
//! while a pass runs, so passes are repeated until nothing is left to do.

use crate::calls::loader::{self, Entry};
use crate::runtime::next;
use crate::state::modules;
use crate::state::process::Process;
use aclsan_os::loader::dlerror::DlerrorGuard;
use aclsan_os::loader::elf;
use aclsan_os::loader::references::{self, Module, Reference};
use aclsan_os::status::{NEW_MODULES, STATE};
use aclsan_rules::api::functions::{self, Role};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::atomic::Ordering::Relaxed;

/// Passes after which something is wrong.
const MAX_PASSES: usize = 8;
/// Attempts to be the only thread that redirects.
const MAX_TRIES: usize = 1 << 20;
/// A module that was looked through this often is not looked through again: at the first time, another thread may have been loading it.
const OFTEN: u8 = 3;

/// How a caller is bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    /// To the definition at this address.
    To(u64),
    /// Not yet. The caller's code has this address.
    Unbound(u64),
    /// A variable of the module with code at the second address. It holds the first, which may be anything: the program has assigned it.
    Variable(u64, u64),
}

/// The hook of each name and binding.
type Plan = BTreeMap<(&'static str, Binding), u64>;

/// Redirects the calls of all modules. Another thread that does the same after it has loaded a library is waited for, but not forever.
pub fn all(process: &'static Process) {
    let (mut passes, mut tries) = (0, 0);
    while passes < MAX_PASSES && tries < MAX_TRIES {
        match pass(process) {
            Some(0) => break,
            Some(_) => passes += 1,
            None => {
                tries += 1;
                std::thread::yield_now();
            }
        }
    }
    // The loader may have been binding a word on another thread, and overwrite it: the next call looks again.
    STATE.fetch_or(NEW_MODULES, Relaxed);
}

/// Redirects the calls of modules that were loaded since.
pub fn new(process: &'static Process) {
    if pass(process).is_none() {
        STATE.fetch_or(NEW_MODULES, Relaxed);
    }
}

/// One pass over the modules that are new. Returns how many words were exchanged; `None` if another thread is at it.
fn pass(process: &'static Process) -> Option<usize> {
    let unloads = modules::refresh(process).1;
    // Never waited for: the other thread may wait for the loader, whose lock this thread may hold, in a constructor.
    let mut seen = process.code.redirected.try_lock()?;
    if seen.1 != unloads {
        *seen = (BTreeMap::new(), unloads);
    }
    let is_new = |module: &Module| {
        let count = seen.0.get(&module.bias).copied().unwrap_or(0);
        count < OFTEN && !is_own(process, module)
    };
    let mut bindings = Plan::new();
    let mut code: Vec<(u64, u64)> = Vec::new();
    references::for_each_module(|module| {
        code.extend(&module.code);
        if is_new(module) {
            for_each_binding(process, module, |_, entry, binding| {
                bindings.entry((entry.name(), binding)).or_insert(0);
            });
        }
    });
    let is_code = |address: u64| {
        code.iter()
            .any(|range| (range.0..range.1).contains(&address))
    };
    let plan: Plan = bindings
        .into_keys()
        .filter_map(|(name, binding)| {
            let entry = loader::entry(name.as_bytes())?;
            let definition = match binding {
                Binding::To(definition) => definition,
                Binding::Unbound(caller) => definition_for(process, entry, caller)?,
                Binding::Variable(value, caller) => {
                    definition_for(process, entry, caller).filter(|known| *known == value)?
                }
            };
            // Words of a module that is just being loaded hold anything.
            let hook = is_code(definition).then(|| entry.hook_for(definition))??;
            Some(((name, binding), hook as u64))
        })
        .collect();
    let (mut exchanged, mut looked_through) = (0, Vec::new());
    // Allocations come last: a block must not be recorded while its release is not.
    for allocates in [false, true] {
        looked_through.clear();
        references::for_each_module(|module| {
            if is_new(module) {
                for_each_binding(process, module, |reference, entry, binding| {
                    let hook = plan.get(&(entry.name(), binding));
                    let hook = hook.filter(|_| is_allocation(entry.name()) == allocates);
                    exchanged += usize::from(hook.is_some_and(|&hook| {
                        module.redirect(reference.place, reference.value, hook)
                    }));
                });
                looked_through.push(module.bias);
            }
        });
    }
    for bias in looked_through {
        let count = seen.0.entry(bias).or_insert(0);
        *count = count.saturating_add(1);
    }
    Some(exchanged)
}

fn is_allocation(name: &str) -> bool {
    functions::function(name).is_some_and(|function| matches!(function.role, Role::Allocate(_)))
}

/// Points words that hold hooks at the definitions behind them again.
pub fn back() {
    for _ in 0..MAX_PASSES {
        let mut exchanged = 0;
        references::for_each_module(|module| {
            module.for_each_reference(|reference| {
                let entry = loader::entry(reference.symbol);
                let definition = entry.and_then(|entry| entry.definition_of(reference.value));
                exchanged += usize::from(definition.is_some_and(|definition| {
                    module.redirect(reference.place, reference.value, definition as u64)
                }));
            });
        });
        if exchanged == 0 {
            return;
        }
    }
}

fn is_own(process: &Process, module: &Module) -> bool {
    let own = process.code.own_range.0;
    (module.range.0..module.range.1).contains(&own)
}

/// Calls `each` with the references of `module` to functions that have hooks and that it does not reach yet.
fn for_each_binding(
    process: &Process,
    module: &Module,
    mut each: impl FnMut(&Reference, Entry, Binding),
) {
    let own = process.code.own_range;
    module.for_each_reference(|reference| {
        // A weak symbol that nobody defines is 0: programs ask.
        if reference.value == 0 || (own.0..own.1).contains(&reference.value) {
            return;
        }
        let Some(entry) = loader::entry(reference.symbol) else {
            return;
        };
        let caller = module.code.first().map_or(module.range.0, |code| code.0);
        let binding = match reference.value {
            _ if reference.is_unbound(module) => Binding::Unbound(caller),
            value if reference.is_variable => Binding::Variable(value, caller),
            value => Binding::To(value),
        };
        each(&reference, entry, binding);
    });
}

/// The definition that the loader would bind a caller to: that of the whole program, else that of the caller's own scope.
fn definition_for(process: &Process, entry: Entry, caller: u64) -> Option<u64> {
    let own = process.code.own_range;
    let is_other = |found: &u64| *found != 0 && !(own.0..own.1).contains(found);
    if let Entry::Loader(name) = entry {
        return elf::libc_symbol(name.as_bytes()).map(|found| found as u64);
    }
    let name = CString::new(entry.name()).ok()?;
    let _dlerror = DlerrorGuard::new();
    let in_program = next::dlsym(libc::RTLD_DEFAULT, &name) as u64;
    let in_scope = || next::seen_from(caller as *const (), &name) as u64;
    Some(in_program)
        .filter(is_other)
        .or_else(|| Some(in_scope()).filter(is_other))
}
