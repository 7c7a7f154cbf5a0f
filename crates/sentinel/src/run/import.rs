//! The imports of a policy.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use super::Machine;
use super::machine::Continuation;
use crate::imports;
use crate::policy::Policy;
use crate::value::{Done, Map, MemberName, RunErrorKind, Value, fault, fault_of, no_import, of_document};

/// Data and functions of the host.
pub trait Import: Send + Sync + fmt::Debug {
    /// The member with this name. Called once for each name in a run.
    fn member(&self, name: &str) -> Option<Value>;
}

/// The content of an import.
#[derive(Clone, Debug)]
pub enum Source {
    /// A text of the language: a module, or a mock in a test. Its names are the members.
    Module(Arc<Policy>),
    /// An object. Its keys are the members.
    Data(Arc<serde_json::Value>),
    /// An implementation of the host.
    Host(Arc<dyn Import>),
}

/// An import as it is in a run.
#[derive(Clone)]
pub(super) enum Imported {
    /// A module that has been run.
    File(u32),
    Data(Map),
    Standard(imports::Members, MadeMembers),
    Host(Arc<dyn Import>, MadeMembers),
}

/// The members that were requested, made once.
type MadeMembers = Rc<RefCell<HashMap<Arc<str>, Option<Value>>>>;

impl Machine<'_> {
    /// Loads an import of the file; a module is run first.
    pub(super) fn import(&mut self, index: u32) -> Done<()> {
        let file = self.frame.file;
        let name = self.files[file as usize].policy.compiled.imports[index as usize].clone();
        match self.imported.get(&name) {
            Some(Some(imported)) => {
                let imported = imported.clone();
                self.files[file as usize].imports[index as usize] = Some(imported);
                Ok(())
            }
            Some(None) => fault_of(RunErrorKind::Circle, format!("the module {name} imports itself")),
            None => {
                let begun = self.begin_import(&name)?;
                // The instruction is executed again when the import is there.
                self.frame.next -= 1;
                match begun {
                    Some(module) => self.enter_file(module, Continuation::Module(name)),
                    None => Ok(()),
                }
            }
        }
    }

    /// Finds an import; if it is a module, says which file must be run for it.
    pub(super) fn begin_import(&mut self, name: &str) -> Done<Option<u32>> {
        let imported = match self.setup.imports.get(name) {
            Some(Source::Module(policy)) => {
                let file = self.add_file(policy);
                // Until the module has been run, nothing is there: a module that imports itself finds this.
                self.imported.insert(name.to_owned(), None);
                return Ok(Some(file));
            }
            Some(Source::Data(json)) => match of_document(json) {
                Value::Map(map) => Imported::Data(map),
                other => {
                    return fault_of(
                        RunErrorKind::Import,
                        format!("the data of the import {name} is no object: {}", other.type_name()),
                    );
                }
            },
            Some(Source::Host(host)) => Imported::Host(Arc::clone(host), MadeMembers::default()),
            // Configured imports come first, so that a test can mock a standard one.
            None => match imports::standard(name) {
                Some(members) => Imported::Standard(members, MadeMembers::default()),
                None => return no_import(name),
            },
        };
        self.imported.insert(name.to_owned(), Some(imported));
        Ok(None)
    }

    pub(super) fn import_member(&mut self, import: u32, name: u32) -> Done<()> {
        let frame = &mut self.frame;
        let (file, unit) = (frame.file as usize, Arc::clone(&frame.unit));
        let name = &unit.names[name as usize];
        let Some(imported) = self.files[file].imports[import as usize].clone() else {
            return fault("this import is not yet there");
        };
        let value = match imported {
            Imported::File(file) => {
                let module = &self.files[file as usize];
                let slot = module.policy.compiled.names.get(&name.text);
                slot.and_then(|slot| module.env.get(*slot))
            }
            Imported::Data(map) => map.member(name),
            Imported::Standard(members, made) => member(&made, name, |name| members(self.setup, name)),
            Imported::Host(host, made) => member(&made, name, |name| host.member(name)),
        };
        let value = value.unwrap_or_else(|| Value::Undefined(self.here()));
        self.stack.push(value);
        // A rule of a module is evaluated where it is read.
        self.force_at(self.stack.len() - 1)?;
        Ok(())
    }
}

fn member(made: &MadeMembers, name: &MemberName, make: impl FnOnce(&str) -> Option<Value>) -> Option<Value> {
    if let Some(value) = made.borrow().get(&name.text) {
        return value.clone();
    }
    let value = make(&name.text);
    made.borrow_mut().insert(Arc::clone(&name.text), value.clone());
    value
}
