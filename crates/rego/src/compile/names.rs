//! Finds the names that a body declares and mentions.

use hashbrown::{HashMap, HashSet};

use crate::syntax::ast::{Literal, LiteralKind, Span, TemplatePart, Term, TermKind};

/// Calls `visit` with each name that a term mentions itself; `inner` gets the terms that have variables of their own.
pub(super) fn names<'a>(
    term: &'a Term,
    visit: &mut dyn FnMut(&'a str, &'a Term),
    inner: &mut dyn FnMut(&'a Term),
) {
    match &term.kind {
        TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_) => {}
        TermKind::Var(name) => visit(name, term),
        TermKind::Ref(head, keys) => {
            names(head, visit, inner);
            keys.iter().for_each(|key| names(key, visit, inner));
        }
        TermKind::Call(function, arguments) => {
            // The name of a function is not a variable, but keys within it may be.
            if let TermKind::Ref(_, keys) = &function.kind {
                keys.iter().for_each(|key| names(key, visit, inner));
            }
            arguments.iter().for_each(|argument| names(argument, visit, inner));
        }
        TermKind::Array(items) | TermKind::Set(items) => {
            items.iter().for_each(|item| names(item, visit, inner));
        }
        TermKind::Object(members) => {
            for (key, value) in members {
                names(key, visit, inner);
                names(value, visit, inner);
            }
        }
        TermKind::ArrayComprehension(..)
        | TermKind::SetComprehension(..)
        | TermKind::ObjectComprehension(..) => {
            inner(term);
        }
        TermKind::Binary(_, operands) => {
            names(&operands.0, visit, inner);
            names(&operands.1, visit, inner);
        }
        TermKind::In { key, member } => {
            if let Some(key) = key {
                names(key, visit, inner);
            }
            names(&member.0, visit, inner);
            names(&member.1, visit, inner);
        }
        TermKind::Template(parts) => {
            for part in parts {
                if let TemplatePart::Term(term) = part {
                    names(term, visit, inner);
                }
            }
        }
    }
}

/// The terms of a literal that belong to its body, without the body of `every`.
pub(super) fn terms(literal: &Literal) -> Vec<&Term> {
    let mut terms: Vec<&Term> = match &literal.kind {
        LiteralKind::Expr(term) => vec![term],
        LiteralKind::Assign(left, right) | LiteralKind::Unify(left, right) => vec![left, right],
        LiteralKind::Some(_) => Vec::new(),
        LiteralKind::SomeIn { key, value, domain } => key.iter().chain([value, domain]).collect(),
        // The body has a scope of its own.
        LiteralKind::Every { domain, .. } => vec![domain],
    };
    terms.extend(literal.with.iter().map(|with| &with.value));
    terms
}

/// The names that a body declares with `:=` and `some`.
pub(super) fn declared(body: &[Literal]) -> HashSet<&str> {
    let mut declared = HashSet::new();
    let mut add = |term| pattern_names(term, &mut |name| _ = declared.insert(name));
    for literal in body {
        match &literal.kind {
            LiteralKind::Assign(left, _) => add(left),
            LiteralKind::SomeIn { key, value, .. } => key.iter().chain([value]).for_each(&mut add),
            _ => {}
        }
    }
    for literal in body {
        if let LiteralKind::Some(names) = &literal.kind {
            declared.extend(names.iter().map(|(name, _)| name.as_str()));
        }
    }
    declared
}

/// How a body has met a name before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Earlier {
    /// As a parameter of the function.
    Parameter,
    /// By `:=`.
    Assigned,
    /// By `some` or `every`.
    Declared,
    /// Something reads it, so it has another meaning before its declaration than after it.
    Read,
}

/// The names that a body declares although it has met them before, each with the place of the declaration.
/// `earlier` are the names that are met before the body; `is_outer` says whether a name is one of a scope around it.
pub(super) fn redeclared<'a>(
    body: &'a [Literal],
    mut earlier: HashMap<&'a str, Earlier>,
    is_outer: &dyn Fn(&str) -> bool,
) -> Vec<(&'a str, Span, Earlier)> {
    let mut found = Vec::new();
    for literal in body {
        let mut declares: Vec<(&str, Span)> = Vec::new();
        let mut declare = |term| pattern_names(term, &mut |name| declares.push((name, literal.span)));
        let mut reads: Vec<&Term> = literal.with.iter().map(|with| &with.value).collect();
        let mut by = Earlier::Declared;
        let mut may_repeat = false;
        match &literal.kind {
            LiteralKind::Expr(term) => reads.push(term),
            LiteralKind::Unify(left, right) => reads.extend([left, right]),
            LiteralKind::Every { domain, .. } => reads.push(domain),
            LiteralKind::Assign(left, right) => {
                reads.push(right);
                declare(left);
                by = Earlier::Assigned;
            }
            LiteralKind::Some(names) => {
                declares.extend(names.iter().map(|(name, span)| (name.as_str(), *span)));
            }
            LiteralKind::SomeIn { key, value, .. } => {
                key.iter().chain([value]).for_each(declare);
                // `some x, x in xs` asks for an element that equals its key.
                may_repeat = true;
            }
        }
        for term in reads {
            names(
                term,
                &mut |name, _| {
                    if name != "_" && !is_outer(name) {
                        earlier.entry(name).or_insert(Earlier::Read);
                    }
                },
                &mut |_| {},
            );
        }
        let mut of_literal = HashSet::new();
        for (name, span) in declares {
            if may_repeat && !of_literal.insert(name) {
                continue;
            }
            match earlier.insert(name, by) {
                None => {}
                Some(before) => found.push((name, span, before)),
            }
        }
        // The collection may mention the new names: `some x in xs[x]`.
        if let LiteralKind::SomeIn { domain, .. } = &literal.kind {
            names(
                domain,
                &mut |name, _| {
                    if name != "_" && !is_outer(name) {
                        earlier.entry(name).or_insert(Earlier::Read);
                    }
                },
                &mut |_| {},
            );
        }
    }
    found
}

/// The names that a pattern binds.
pub(super) fn pattern_names<'a>(term: &'a Term, visit: &mut dyn FnMut(&'a str)) {
    match &term.kind {
        TermKind::Var(name) if name != "_" => visit(name),
        TermKind::Array(items) => items.iter().for_each(|item| pattern_names(item, visit)),
        // Keys of an object in a pattern are looked up, so they bind no names.
        TermKind::Object(members) => members.iter().for_each(|(_, value)| pattern_names(value, visit)),
        _ => {}
    }
}

/// The names that a term with a scope of its own mentions and does not declare.
pub(super) fn free_names<'a>(term: &'a Term, found: &mut HashSet<&'a str>) {
    match &term.kind {
        TermKind::ArrayComprehension(head, body) | TermKind::SetComprehension(head, body) => {
            free_in_body(&[head], body, found);
        }
        TermKind::ObjectComprehension(head, body) => free_in_body(&[&head.0, &head.1], body, found),
        _ => {
            let mut inner = Vec::new();
            names(term, &mut |name, _| _ = found.insert(name), &mut |term| inner.push(term));
            inner.into_iter().for_each(|term| free_names(term, found));
        }
    }
}

/// The names that a body mentions, also those that it declares.
pub(super) fn mentioned_in_body<'a>(
    heads: &[&'a Term],
    body: &'a [Literal],
    mentioned: &mut HashSet<&'a str>,
) {
    for term in heads.iter().copied().chain(body.iter().flat_map(terms)) {
        free_names(term, mentioned);
    }
    for literal in body {
        // `every` declares its key and value for its own body alone.
        if let LiteralKind::Every { key, value, body, .. } = &literal.kind {
            let mut inner = HashSet::new();
            free_in_body(&[], body, &mut inner);
            inner.remove(value.as_str());
            if let Some(key) = key {
                inner.remove(key.as_str());
            }
            mentioned.extend(inner);
        }
    }
}

pub(super) fn free_in_body<'a>(heads: &[&'a Term], body: &'a [Literal], found: &mut HashSet<&'a str>) {
    let mut mentioned = HashSet::new();
    mentioned_in_body(heads, body, &mut mentioned);
    let declared = declared(body);
    found.extend(mentioned.into_iter().filter(|name| !declared.contains(name)));
}
