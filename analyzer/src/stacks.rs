//! Names for the sites of a log.

use std::collections::{BTreeMap, BTreeSet};
use std::ptr;

use aclsan_log::reader;
use aclsan_log::{Log, PythonFrame, SiteId};
use aclsan_render::model::{Frame, Frames, Language, Name, Trace};
use aclsan_rules::numbers::ByNumber;

use crate::symbols::{Module, Symbols, UNKNOWN_MODULE};

/// Resolves a log's sites; every address once.
pub struct Stacks<'a> {
    log: &'a Log,
    symbols: &'a mut Symbols,
    /// By address and epoch: a library can be unloaded and another loaded in its place.
    frames: ByNumber<(u64, u32), Vec<Frame>>,
    /// The module of the last address, which most have.
    module: Option<(&'a reader::Module, Module)>,
    /// By site: one is asked for again and again, for each thing that is told about it.
    known: ByNumber<SiteId, Frames>,
}

impl<'a> Stacks<'a> {
    /// For the sites of `log`.
    pub fn new(log: &'a Log, symbols: &'a mut Symbols) -> Self {
        Self {
            log,
            symbols,
            frames: ByNumber::default(),
            module: None,
            known: ByNumber::default(),
        }
    }

    /// Looks up what [`Stacks::trace`] will be asked for of all these sites.
    pub fn prepare(&mut self, sites: &BTreeSet<SiteId>) {
        let mut by_module: BTreeMap<_, (Module, Vec<u64>)> = BTreeMap::new();
        for &site in sites {
            let site = self.log.site(site);
            for &address in &site.frames {
                if PythonFrame::of(address).is_none()
                    && let Some(module) = self.log.module_at(address, site.epoch)
                {
                    let key = (&module.path, &module.build_id, module.bias);
                    let known = by_module.entry(key);
                    let (_, addresses) = known.or_insert_with(|| (of_log(module), Vec::new()));
                    addresses.push(address);
                }
            }
        }
        for (module, addresses) in by_module.values() {
            self.symbols.prepare(module, addresses);
        }
    }

    /// The call at `site` and its stack; `what` is what the call did.
    pub fn trace(&mut self, what: &'static str, site: SiteId) -> Trace {
        if site == SiteId(0) {
            return Trace {
                what,
                ..Trace::default()
            };
        }
        let frames = match self.known.get(&site) {
            Some(frames) => frames.clone(),
            None => {
                let recorded = self.log.site(site);
                let mut frames = Vec::with_capacity(recorded.frames.len());
                for &address in &recorded.frames {
                    frames.extend_from_slice(self.frames(address, recorded.epoch));
                }
                let frames = Frames::from(frames);
                self.known.insert(site, frames.clone());
                frames
            }
        };
        Trace {
            what,
            function: self.log.function(site).to_owned(),
            frames,
        }
    }

    fn frames(&mut self, address: u64, epoch: u32) -> &[Frame] {
        let (log, symbols, met) = (self.log, &mut *self.symbols, &mut self.module);
        self.frames.entry((address, epoch)).or_insert_with(|| {
            if let Some(frame) = PythonFrame::of(address) {
                return vec![python(log, frame)];
            }
            let module = log.module_at(address, epoch).map(|module| {
                met.take_if(|(known, _)| !ptr::eq(*known, module));
                &met.get_or_insert_with(|| (module, of_log(module))).1
            });
            let frames = symbols.resolve(module, address, true);
            let frames = frames.into_iter().map(|frame| Frame {
                language: Language::Native,
                address,
                function: frame.function,
                file: frame.file,
                line: frame.line,
                module: frame.module,
                offset: frame.offset,
                inlined: frame.inlined,
            });
            frames.collect()
        })
    }
}

fn of_log(module: &reader::Module) -> Module {
    Module {
        path: module.path.clone(),
        start: module.start,
        end: module.end,
        bias: module.bias,
        build_id: module.build_id.clone(),
    }
}

/// A Python frame: the log has its names. A damaged log may lack them.
fn python(log: &Log, frame: PythonFrame) -> Frame {
    let (function, file) = log.python(frame).unzip();
    if let Some(file) = file.and_then(|file| file.strip_prefix(PythonFrame::NATIVE)) {
        return Frame {
            function: function.map(Name::from),
            file: (frame.line > 0).then(|| file.into()),
            line: Some(frame.line).filter(|&line| line > 0),
            module: file.into(),
            ..Frame::default()
        };
    }
    Frame {
        language: Language::Python,
        function: function.map(Name::from),
        file: file.map(Name::from),
        line: Some(frame.line).filter(|&line| line > 0),
        module: file.unwrap_or(UNKNOWN_MODULE).into(),
        ..Frame::default()
    }
}
