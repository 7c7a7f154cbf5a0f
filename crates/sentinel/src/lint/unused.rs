//! Finds unused names, and names that hide others.

use super::names::{Binding, BindingKind, Names};
use super::{LintContext, LintItems, LintKind};
use crate::builtins;
use crate::syntax::ast::Program;

pub(super) fn check(program: &Program, names: &Names, context: &LintContext<'_>, found: &mut LintItems) {
    let main = names.bindings.iter().position(|binding| binding.is_top && &*binding.name == "main");
    if context.is_policy && main.is_none() {
        let span = objchange_text::Span::default();
        let help = Some("write main = rule { … }: its value is the result of the policy".to_owned());
        found.add_with_help(LintKind::NoMain, span, "this policy has no main", help);
    }
    let is_policy = context.is_policy || main.is_some();
    let is_needed = needed(names, main);
    for (binding, is_needed) in names.bindings.iter().zip(is_needed) {
        if is_exempt(&binding.name) {
            continue;
        }
        if binding.read == 0 {
            unread(binding, is_policy, found);
        }
        if binding.is_top && main.is_some() && binding.kind == BindingKind::Rule && !is_needed {
            let message = format!("the rule {} has no part in what main is", binding.name);
            found.add(LintKind::UnusedRule, binding.span, message);
        }
        if binding.assigned > 0 && program.hidden.contains(&binding.name) && builtins::is_name(&binding.name)
        {
            let message =
                format!("this hides the function {} of the language in the whole file", binding.name);
            let help = Some("give the variable another name".to_owned());
            found.add_with_help(LintKind::HiddenBuiltin, binding.span, message, help);
        }
    }
}

fn is_exempt(name: &str) -> bool {
    // The underscore says that nobody needs the name, as in Rust and other languages.
    name.starts_with('_') || name == "main"
}

fn unread(binding: &Binding, is_policy: bool, found: &mut LintItems) {
    let name = &binding.name;
    let (kind, message) = match binding.kind {
        BindingKind::Import(_) => (LintKind::UnusedImport, format!("the import {name} is not used")),
        BindingKind::Param => (LintKind::UnusedParam, format!("the parameter {name} is not used")),
        BindingKind::Parameter => {
            (LintKind::UnusedParameter, format!("the parameter {name} of this function is not used"))
        }
        // A module's names at the top are there for importers, and tests look at rules.
        BindingKind::Variable | BindingKind::Function if is_policy || !binding.is_top => {
            let what = if binding.kind == BindingKind::Function { "function" } else { "variable" };
            (LintKind::UnusedVariable, format!("the {what} {name} is not used"))
        }
        BindingKind::Rule if !binding.is_top => {
            (LintKind::UnusedVariable, format!("the rule {name} is not used"))
        }
        _ => return,
    };
    let help = match kind {
        LintKind::UnusedParameter => Some(format!("call it _{name} if it must be there")),
        LintKind::UnusedVariable => None,
        _ => Some("remove it".to_owned()),
    };
    found.add_with_help(kind, binding.span, message, help);
}

/// For each name, whether `main` or a statement at the top of the file needs it.
fn needed(names: &Names, main: Option<usize>) -> Vec<bool> {
    let mut is_needed = vec![false; names.bindings.len()];
    let mut next: Vec<usize> = names.needed.iter().copied().chain(main).collect();
    while let Some(id) = next.pop() {
        if !std::mem::replace(&mut is_needed[id], true) {
            next.extend(&names.bindings[id].needs);
        }
    }
    is_needed
}
