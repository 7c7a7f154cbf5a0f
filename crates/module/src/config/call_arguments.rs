//! Checks that module calls set the variables that are required, and no others.

use std::collections::BTreeSet;

use objchange_hcl::did_you_mean;
use smol_str::SmolStr;

use super::Config;
use crate::Diagnostics;

impl Config {
    /// Finds arguments of calls without a variable in the module, and required variables without an argument.
    ///
    /// Terraform finds them after it has read all modules, before it evaluates anything. It stops at the first call with one; here
    /// all are found, each once however often its module is called.
    pub fn wrong_call_arguments(&self) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        let mut seen = BTreeSet::new();
        for (module, loaded) in self.modules.iter().enumerate() {
            let Some((_, call)) = self.caller(module) else { continue };
            if !seen.insert(call.missing) {
                continue;
            }
            let variables = &loaded.config.variables;
            let is_given = |name: &str| call.arguments.iter().any(|argument| argument.name == name);
            for (name, variable) in variables {
                if variable.default.is_none() && !is_given(name) {
                    let detail = format!("The argument {name:?} is required, but no definition was found.");
                    diagnostics.error("Missing required argument", call.missing, detail);
                }
            }
            for argument in &call.arguments {
                if variables.contains_key(&argument.name) {
                    continue;
                }
                let free = variables.keys().map(SmolStr::as_str).filter(|name| !is_given(name));
                let hint = did_you_mean(&argument.name, free);
                let detail = format!("An argument named {:?} is not expected here.{hint}", argument.name);
                diagnostics.error("Unsupported argument", argument.name_span, detail);
            }
        }
        diagnostics
    }
}
