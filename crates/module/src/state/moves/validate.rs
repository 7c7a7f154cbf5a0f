//! Validates `moved` blocks, once the instances of modules and resources are known.

use std::collections::BTreeMap;
use std::fmt;

use objchange::address::{InstanceAddress, ModuleAddress, ResourceAddress};
use objchange_hcl::Span;
use smol_str::SmolStr;

use super::Moves;
use super::endpoint::{Endpoint, Keys};
use super::statement::{Declared, Statement};
use crate::config::Config;
use crate::{Diagnostics, Severity};

/// The instances that there are by configuration.
pub struct Instances<'a> {
    /// The instances of the module at the end of these calls.
    pub modules: &'a dyn Fn(&[SmolStr]) -> Vec<ModuleAddress>,
    /// Whether the instances of a resource are known: those of resources that no target includes are not.
    pub expands: &'a dyn Fn(&ResourceAddress) -> bool,
    /// Whether there is this instance of a resource.
    pub has: &'a dyn Fn(&InstanceAddress) -> bool,
}

impl fmt::Debug for Instances<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instances").finish_non_exhaustive()
    }
}

impl Moves {
    /// Finds the errors of `moved` blocks.
    pub fn validate(&self, config: &Config, instances: &Instances<'_>, diagnostics: &mut Diagnostics) {
        let places = config.sources.places();
        let place = |span: Span| {
            let place = places.find(Span::at(span.start)).map(|place| place.to_string());
            place
                .map(|place| place.rsplit_once('-').map_or(place.clone(), |(start, _)| start.to_owned()))
                .unwrap_or_default()
        };
        let declared = Declared::new(config);
        let mut checking = Checking {
            declared: &declared,
            instances,
            place: &place,
            from: BTreeMap::new(),
            to: BTreeMap::new(),
        };
        let errors = diagnostics.error_count();
        for statement in &self.statements {
            for module in (instances.modules)(&statement.module) {
                checking.statement(statement, &module, diagnostics);
            }
        }
        // Terraform 1.15.5 looks for cycles only where each statement is right.
        let cycles = if diagnostics.error_count() == errors { self.cycles.as_slice() } else { &[] };
        for cycle in cycles {
            let mut lines: Vec<String> = cycle
                .iter()
                .filter_map(|&i| self.statements.get(i))
                .map(|statement| {
                    format!("\n  - {}: {} → {}", place(statement.span), statement.from, statement.to)
                })
                .collect();
            lines.sort();
            let detail = format!(
                "The following chained move statements form a cycle, and so there is no final location to move objects \
                 to:{}\n\nA chain of move statements must end with an address that doesn't appear in any other \
                 statements, and which typically also refers to an object still declared in the configuration.",
                lines.concat()
            );
            diagnostics.without_place(Severity::Error, "Cyclic dependency in move statements", detail);
        }
    }
}

struct Checking<'c> {
    declared: &'c Declared<'c>,
    instances: &'c Instances<'c>,
    place: &'c dyn Fn(Span) -> String,
    /// The statement that has moved something from here, and where to. A resource is another thing than its instance without a key.
    from: BTreeMap<(&'static str, String), (String, Span)>,
    /// The statement that has moved something to here, and where from.
    to: BTreeMap<(&'static str, String), (String, Span)>,
}

impl Checking<'_> {
    fn statement(&mut self, statement: &Statement, module: &ModuleAddress, diagnostics: &mut Diagnostics) {
        let (from, to) = (statement.from.in_instance(module), statement.to.in_instance(module));
        let (noun, short) = statement.from.noun();
        if from == to {
            let detail = format!(
                "This statement declares a move from {from} to the same address, which is the same as not declaring this \
                 move at all."
            );
            diagnostics.error("Redundant move statement", statement.span, detail);
            return;
        }
        if let Some(header) = self.still_declared(&statement.from, module) {
            let detail = format!(
                "This statement declares a move from {from}, but that {noun} is still declared at {}.\n\nChange your \
                 configuration so that this {short} will be declared as {to} instead.",
                (self.place)(header)
            );
            diagnostics.error("Moved object still exists", statement.span, detail);
        }
        let mut ambiguous = |detail: String| {
            diagnostics.error("Ambiguous move statements", statement.span, detail);
        };
        let (moved, end) = ((noun, from.clone()), (noun, to.clone()));
        match self.from.get(&moved) {
            Some((other, span)) if *other != to => ambiguous(format!(
                "A statement at {} declared that {from} moved to {other}, but this statement instead declares that it moved \
                 to {to}.\n\nEach {noun} can move to only one destination {short}.",
                (self.place)(*span)
            )),
            Some(_) => {}
            None => {
                self.from.insert(moved, (to.clone(), statement.span));
            }
        }
        match self.to.get(&end) {
            Some((other, span)) if *other != from => ambiguous(format!(
                "A statement at {} declared that {other} moved to {to}, but this statement instead declares that {from} moved \
                 there.\n\nEach {noun} can have moved from only one source {short}.",
                (self.place)(*span)
            )),
            Some(_) => {}
            None => {
                self.to.insert(end, (from, statement.span));
            }
        }
    }

    /// Where the old address is declared, if it still is.
    fn still_declared(&self, from: &Endpoint, module: &ModuleAddress) -> Option<Span> {
        let mut around = module.clone();
        let steps = from.steps.iter().skip(module.0.len());
        around.0.extend(steps.map(|(name, keys)| {
            let key = if let Keys::One(key) = keys { key.clone() } else { None };
            objchange::address::ModuleStep { name: name.clone(), key }
        }));
        let names = |module: &ModuleAddress| -> Vec<SmolStr> {
            module.0.iter().map(|step| step.name.as_str().into()).collect()
        };
        let exists = |module: &ModuleAddress| (self.instances.modules)(&names(module)).contains(module);
        let Some((_, _, _, keys)) = &from.resource else {
            let last = around.0.pop()?;
            let parent = self.declared.module(around.0.iter().map(|step| step.name.as_str()))?;
            let call = parent.config.calls.get(last.name.as_str())?;
            let is_one = matches!(from.steps.last(), Some((_, Keys::One(_))));
            let found = exists(&around) && {
                around.0.push(last);
                !is_one || exists(&around)
            };
            let repetition = call.count.as_ref().or(call.for_each.as_ref()).filter(|_| is_one);
            return found.then(|| repetition.map_or(call.header, |expr| expr.span));
        };
        if !exists(&around) {
            return None;
        }
        let resource = from.resource_in(around)?;
        let config = self.declared.resource(&resource)?;
        if !(self.instances.expands)(&resource) {
            return None;
        }
        let Keys::One(key) = keys else { return Some(config.header) };
        let address = InstanceAddress { resource, key: key.clone() };
        let repetition = config.count.as_ref().or(config.for_each.as_ref());
        (self.instances.has)(&address).then(|| repetition.map_or(config.header, |expr| expr.span))
    }
}
