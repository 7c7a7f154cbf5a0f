//! What names mean in a module, and which rules a rule may lead to.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use regorus::unstable::{Expr, Module, Ref, Rule};

use super::syntax::{Reference, for_each, name, package, rules};

/// A rule by its package and name.
pub(super) type RuleKey = (Vec<String>, String);

/// All rules by package and name.
pub(super) struct Names {
    rules: BTreeMap<RuleKey, Vec<Ref<Rule>>>,
    /// Names with rules such as `a.b`: looking up `a` is not looking up one rule.
    nested: BTreeSet<RuleKey>,
}

/// What a reference begins with.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// `input`, or a part of it that was imported, by its keys.
    Input(Vec<String>),
    /// A rule, that so many keys after the first name are needed to tell.
    Rule(RuleKey, usize),
    /// A part of `data` that is no rule.
    Data,
    Local,
}

/// The imports of a module by the name they have there: `input` or `data`, and the keys.
pub(super) type Imports = HashMap<String, Vec<String>>;

pub(super) fn imports(module: &Module) -> Imports {
    let mut imports = Imports::new();
    for import in &module.imports {
        let Some(reference) = Reference::of(&import.refr) else { continue };
        let path: Vec<String> =
            reference.name().into_iter().chain(reference.keys()).map(str::to_owned).collect();
        let alias = match &import.r#as {
            Some(alias) => Some(alias.text().to_owned()),
            None => path.last().cloned(),
        };
        if let (Some(alias), Some("input" | "data")) = (alias, path.first().map(String::as_str)) {
            imports.insert(alias, path);
        }
    }
    imports
}

impl Names {
    pub(super) fn of(modules: &[Ref<Module>]) -> Self {
        let mut names = Self { rules: BTreeMap::new(), nested: BTreeSet::new() };
        for module in modules {
            let package = package(module);
            for (rule, text) in rules(module) {
                let key = (package.clone(), text.to_owned());
                if name(rule).is_some_and(|(_, nested)| nested) {
                    names.nested.insert(key.clone());
                }
                names.rules.entry(key).or_default().push(rule.clone());
            }
        }
        names
    }

    /// The definitions of a rule.
    pub(super) fn definitions(&self, key: &RuleKey) -> &[Ref<Rule>] {
        self.rules.get(key).map_or(&[], Vec::as_slice)
    }

    pub(super) fn is_nested(&self, key: &RuleKey) -> bool {
        self.nested.contains(key)
    }

    /// What a reference in a module begins with.
    pub(super) fn beginning(
        &self,
        reference: &Reference<'_>,
        package: &[String],
        imports: &Imports,
    ) -> Beginning {
        let Some(first) = reference.name() else { return Beginning::Local };
        let keys: Vec<String> = reference.keys().map(str::to_owned).collect();
        let path = match (first, imports.get(first)) {
            ("input" | "data", _) => vec![first.to_owned()],
            (_, Some(path)) => path.clone(),
            _ => {
                let key = (package.to_vec(), first.to_owned());
                return match self.rules.contains_key(&key) {
                    true => Beginning::Rule(key, 0),
                    false => Beginning::Local,
                };
            }
        };
        let known = path.len();
        if path.first().is_some_and(|root| root == "input") {
            return Beginning::Input(path.into_iter().skip(1).collect());
        }
        let whole: Vec<String> = path.into_iter().skip(1).chain(keys).collect();
        // The longest package that has such a rule.
        let mut found = (1..=whole.len()).rev().filter_map(|length| {
            let (package, name) = whole.split_at(length - 1);
            let key = (package.to_vec(), name.first()?.clone());
            self.rules.contains_key(&key).then_some((key, (length + 1).saturating_sub(known)))
        });
        found.next().map_or(Beginning::Data, |(key, keys)| Beginning::Rule(key, keys))
    }

    /// For each rule the rules that it refers to, and where it looks at `data` without saying which, all.
    pub(super) fn references(&self, modules: &[Ref<Module>]) -> BTreeMap<RuleKey, BTreeSet<RuleKey>> {
        let mut references: BTreeMap<RuleKey, BTreeSet<RuleKey>> = BTreeMap::new();
        for module in modules {
            let (package, imports) = (package(module), imports(module));
            for (rule, text) in rules(module) {
                let of = references.entry((package.clone(), text.to_owned())).or_default();
                for_each(rule, &mut |expr| {
                    let Some(reference) = Reference::of(expr) else { return };
                    match self.beginning(&reference, &package, &imports) {
                        Beginning::Rule(key, _) => _ = of.insert(key),
                        Beginning::Data => of.extend(self.below(&reference, &imports)),
                        Beginning::Input(_) | Beginning::Local => {}
                    }
                });
            }
        }
        references
    }

    /// For each function those that it calls.
    pub(super) fn calls(&self, modules: &[Ref<Module>]) -> BTreeMap<RuleKey, BTreeSet<RuleKey>> {
        let mut calls: BTreeMap<RuleKey, BTreeSet<RuleKey>> = BTreeMap::new();
        for module in modules {
            let (package, imports) = (package(module), imports(module));
            for (rule, text) in rules(module) {
                let of = calls.entry((package.clone(), text.to_owned())).or_default();
                for_each(rule, &mut |expr| {
                    let Expr::Call { fcn, .. } = expr.as_ref() else { return };
                    let Some(reference) = Reference::of(fcn) else { return };
                    if let Beginning::Rule(key, _) = self.beginning(&reference, &package, &imports) {
                        of.insert(key);
                    }
                });
            }
        }
        calls
    }

    /// The rules of the packages that a reference to a part of `data` may mean.
    fn below(&self, reference: &Reference<'_>, imports: &Imports) -> impl Iterator<Item = RuleKey> {
        let first = reference.name().unwrap_or_default();
        let start = imports.get(first).map_or(&[][..], |path| path.get(1..).unwrap_or_default());
        let path: Vec<String> = start.iter().cloned().chain(reference.keys().map(str::to_owned)).collect();
        self.rules.keys().filter(move |(package, _)| package.starts_with(&path)).cloned()
    }
}

/// All rules that a rule leads to, itself included.
pub(super) fn closure(references: &BTreeMap<RuleKey, BTreeSet<RuleKey>>, of: &RuleKey) -> BTreeSet<RuleKey> {
    let mut closure = BTreeSet::from([of.clone()]);
    let mut pending = vec![of];
    while let Some(rule) = pending.pop() {
        for next in references.get(rule).into_iter().flatten() {
            if closure.insert(next.clone()) {
                pending.push(next);
            }
        }
    }
    closure
}
