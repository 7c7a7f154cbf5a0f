//! JSON Schema, drafts 4 to 7: most keywords. Others are refused.

use std::collections::BTreeSet;

use super::arguments::some;
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::value::{Number, Object, Value};

const ANY: Types = Types::ANY;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("json.match_schema", &[ANY, ANY], match_schema),
    Builtin::new("json.verify_schema", &[ANY], |context, o| match schema(context, &o[0]) {
        Ok(_) => some(Value::array([Value::Bool(true), Value::Null])),
        Err(error) if error.kind != super::BuiltinErrorKind::Failed => Err(error),
        Err(error) => some(Value::array([Value::Bool(false), Value::from(format!("jsonschema: {error}"))])),
    }),
];

/// How many schemas may lead to each other.
const MAX_DEPTH: usize = 200;

const TYPES: [&str; 7] = ["array", "boolean", "integer", "number", "null", "object", "string"];

/// Keywords that decide whether a document matches but are not checked here, at least not in all forms.
const UNSUPPORTED: [&str; 10] = [
    "$ref",
    "additionalItems",
    "contains",
    "dependentRequired",
    "else",
    "format",
    "if",
    "items",
    "propertyNames",
    "then",
];

fn fail(message: impl Into<String>) -> BuiltinError {
    BuiltinError::failed(message)
}

/// A document or a schema, which may be JSON in a string.
fn document(context: &mut Context<'_>, value: &Value) -> Result<Value, BuiltinError> {
    match value {
        Value::String(text) => {
            context.charge(2 * text.len())?;
            Value::from_json(text).map_err(|_| fail("invalid JSON string"))
        }
        Value::Object(_) | Value::Array(_) => Ok(value.clone()),
        _ => Err(fail("wrong type, expected string or object")),
    }
}

/// A schema that is well-formed and has no keywords that are not checked here.
fn schema(context: &mut Context<'_>, value: &Value) -> Result<Value, BuiltinError> {
    let schema = document(context, value)?;
    if !Types::OBJECT.or(Types::BOOLEAN).contains(&schema) {
        return Err(fail("schema is invalid"));
    }
    let says = schema.as_object().and_then(|schema| schema.get_str("$schema")).and_then(Value::as_str);
    let is_older = says.is_some_and(|says| says.contains("draft-04") || says.contains("draft-06"));
    check(context, &schema, !is_older)?;
    Ok(schema)
}

fn check(context: &mut Context<'_>, schema: &Value, has_conditions: bool) -> Result<(), BuiltinError> {
    let object = match schema {
        Value::Bool(_) => return Ok(()),
        Value::Object(object) => object,
        _ => return Err(fail("a schema must be of type object or boolean")),
    };
    for (key, value) in object.iter() {
        context.charge(64)?;
        let key = key.as_str().unwrap_or_default();
        let wrong = |want: &str| {
            let mut name = key.to_owned();
            if let Some(first) = name.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            fail(format!("{name} must be of type {want}"))
        };
        match key {
            "$schema" | "$id" | "id" | "$comment" | "title" | "description" | "default" | "examples"
            | "const" | "readOnly" | "writeOnly" => {}
            "type" => check_type(value)?,
            "enum" | "required" => {
                let items = value.as_array().ok_or_else(|| wrong("array"))?;
                if key == "required" && !items.iter().all(|item| item.as_str().is_some()) {
                    return Err(wrong("array of strings"));
                }
            }
            "properties" | "definitions" | "$defs" => {
                for schema in value.as_object().ok_or_else(|| wrong("object"))?.values() {
                    check(context, schema, has_conditions)?;
                }
            }
            "allOf" | "anyOf" | "oneOf" => {
                for schema in value.as_array().ok_or_else(|| wrong("array"))? {
                    check(context, schema, has_conditions)?;
                }
            }
            "not" | "additionalProperties" => check(context, value, has_conditions)?,
            // JSON Schema has these since draft 7; OPA 1.20 ignores them in schemas of earlier drafts.
            "if" | "then" | "else" if has_conditions => check(context, value, true)?,
            "patternProperties" => {
                for (pattern, schema) in value.as_object().ok_or_else(|| wrong("object"))?.iter() {
                    drop(context.pattern(&pattern.to_json_key())?);
                    check(context, schema, has_conditions)?;
                }
            }
            "dependencies" => {
                for needed in value.as_object().ok_or_else(|| wrong("object"))?.values() {
                    match needed {
                        Value::Array(names) if names.iter().all(|name| name.as_str().is_some()) => {}
                        Value::Array(_) => return Err(wrong("array of strings")),
                        schema => check(context, schema, has_conditions)?,
                    }
                }
            }
            "items" if !matches!(value, Value::Array(_)) => check(context, value, has_conditions)?,
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                value.as_number().ok_or_else(|| wrong("number"))?;
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                let number = value.as_number().and_then(Number::as_i64);
                number.filter(|number| *number >= 0).ok_or_else(|| wrong("integer"))?;
            }
            "uniqueItems" if matches!(value, Value::Bool(_)) => {}
            "uniqueItems" => return Err(wrong("boolean")),

            "pattern" => drop(context.pattern(value.as_str().ok_or_else(|| wrong("string"))?)?),
            "$ref" if value.as_str().is_some_and(|text| text.starts_with('#')) => {}
            _ if !UNSUPPORTED.contains(&key) => {}
            // The schema is valid, but the keyword is not supported: neither a match nor a mismatch would
            // be right.
            other => {
                let message = format!("the keyword {other} is not supported in this form");
                return Err(BuiltinError::wrong_type(message));
            }
        }
    }
    for what in ["Length", "Items", "Properties"] {
        let (least, most) = (format!("min{what}"), format!("max{what}"));
        if let (Some(low), Some(high)) = (object.get_str(&least), object.get_str(&most))
            && low > high
        {
            return Err(fail(format!("{least} cannot be greater than {most}")));
        }
    }
    Ok(())
}

fn check_type(value: &Value) -> Result<(), BuiltinError> {
    let names = match value {
        Value::Array(names) => names.items(),
        name => std::slice::from_ref(name),
    };
    for name in names {
        let text = name.as_str().ok_or_else(|| fail("type must be of type string/array of strings"))?;
        if !TYPES.contains(&text) {
            let valid = TYPES.join(" ");
            return Err(fail(format!(
                "has a primitive type that is NOT VALID -- given: /{text}/ Expected valid values are:[{valid}]"
            )));
        }
    }
    Ok(())
}

fn match_schema(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let document = document(context, &operands[0])?;
    let schema = schema(context, &operands[1])?;
    let mut matcher = Matcher { context, root: &schema };
    let problems = matcher.validate(&schema, &document, "(Root)", MAX_DEPTH)?;
    let is_valid = Value::Bool(problems.is_empty());
    let listed: Vec<_> = problems.into_iter().map(Problem::into_value).collect();
    some(Value::array([is_valid, Value::array(listed)]))
}

/// A mismatch and its place.
struct Problem {
    kind: &'static str,
    field: String,
    description: String,
}

impl Problem {
    fn into_value(self) -> Value {
        let error = format!("{}: {}", self.field, self.description);
        Value::object([
            (Value::from("desc"), Value::from(self.description)),
            (Value::from("error"), Value::from(error)),
            (Value::from("field"), Value::from(self.field)),
            (Value::from("type"), Value::from(self.kind)),
        ])
    }
}

struct Matcher<'s, 'c, 'h> {
    context: &'c mut Context<'h>,
    root: &'s Value,
}

type Problems = Result<Vec<Problem>, BuiltinError>;

fn inner(field: &str, step: &str) -> String {
    if field == "(Root)" { step.to_owned() } else { format!("{field}.{step}") }
}

/// The name of a value's type in a schema.
fn type_of(value: &Value) -> &'static str {
    match value {
        // OPA 1.20 calls 1.0 an integer.
        Value::Number(number) if number.is_whole() => "integer",
        other => other.type_name(),
    }
}

impl<'s> Matcher<'s, '_, '_> {
    /// The schema that a reference within the document leads to.
    fn resolve(&self, reference: &str) -> Result<&'s Value, BuiltinError> {
        let broken = || fail(format!("the reference {reference} leads nowhere"));
        let pointer = reference.strip_prefix('#').ok_or_else(broken)?;
        let mut at = self.root;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            at = at.as_object().and_then(|object| object.get_str(&step)).ok_or_else(broken)?;
        }
        Ok(at)
    }

    fn validate(&mut self, schema: &'s Value, value: &Value, field: &str, depth: usize) -> Problems {
        self.context.charge(256)?;
        let problem = |kind, description: String| Problem { kind, field: field.to_owned(), description };
        let Some(depth) = depth.checked_sub(1) else {
            return Err(fail("schemas lead to each other too often"));
        };
        let object = match schema {
            Value::Bool(false) => {
                return Ok(vec![problem("false", "False always fails validation".to_owned())]);
            }
            Value::Object(object) => object,
            _ => return Ok(Vec::new()),
        };
        // Drafts up to 7 ignore all keywords beside `$ref`, and so does OPA 1.20.
        if let Some(reference) = object.get_str("$ref").and_then(Value::as_str) {
            return self.validate(self.resolve(reference)?, value, field, depth);
        }
        if let Some(types) = object.get_str("type") {
            let names: Vec<_> = match types {
                Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
                name => name.as_str().into_iter().collect(),
            };
            let given = type_of(value);
            if !names.iter().any(|name| *name == given || (*name == "number" && given == "integer")) {
                let expected =
                    if names.len() == 1 { names.concat() } else { format!("[{}]", names.join(",")) };
                let description = format!("Invalid type. Expected: {expected}, given: {given}");
                return Ok(vec![problem("invalid_type", description)]);
            }
        }
        let mut problems = self.combinations(object, value, field, depth)?;
        if let Some(constant) = object.get_str("const")
            && constant != value
        {
            let description = format!("{field} does not match: {}", constant.to_json());
            problems.push(problem("const", description));
        }
        if let Some(Value::Array(options)) = object.get_str("enum")
            && !options.items().contains(value)
        {
            let options: Vec<_> = options.iter().map(Value::to_json).collect();
            let description = format!("{field} must be one of the following: {}", options.join(", "));
            problems.push(problem("enum", description));
        }
        problems.extend(match value {
            Value::Array(array) => self.array(object, array.items(), field, depth)?,
            Value::Object(members) => self.members(object, members, field, depth)?,
            Value::String(text) => self.text(object, text, field)?,
            Value::Number(number) => number_problems(object, number, field)?,
            _ => Vec::new(),
        });
        Ok(problems)
    }

    fn combinations(&mut self, schema: &'s Object, value: &Value, field: &str, depth: usize) -> Problems {
        let problem = |kind, description: &str| Problem {
            kind,
            field: field.to_owned(),
            description: description.to_owned(),
        };
        let mut problems = Vec::new();
        let outcomes = |matcher: &mut Self, name| match schema.get_str(name) {
            Some(Value::Array(schemas)) => {
                let each = schemas.iter().map(|schema| matcher.validate(schema, value, field, depth));
                each.collect::<Result<Vec<_>, _>>().map(Some)
            }
            _ => Ok(None),
        };
        if let Some(any) = outcomes(self, "anyOf")?
            && !any.iter().any(Vec::is_empty)
        {
            problems.push(problem("number_any_of", "Must validate at least one schema (anyOf)"));
            // OPA 1.20 adds the problems of the first schema alone.
            problems.extend(any.into_iter().next().unwrap_or_default());
        }
        if let Some(one) = outcomes(self, "oneOf")? {
            let valid = one.iter().filter(|problems| problems.is_empty()).count();
            if valid != 1 {
                problems.push(problem("number_one_of", "Must validate one and only one schema (oneOf)"));
            }
            if valid == 0 {
                problems.extend(one.into_iter().next().unwrap_or_default());
            }
        }
        if let Some(all) = outcomes(self, "allOf")? {
            let is_valid = all.iter().all(Vec::is_empty);
            problems.extend(all.into_iter().flatten());
            if !is_valid {
                problems.push(problem("number_all_of", "Must validate all the schemas (allOf)"));
            }
        }
        if let Some(not) = schema.get_str("not")
            && self.validate(not, value, field, depth)?.is_empty()
        {
            problems.push(problem("number_not", "Must not validate the schema (not)"));
        }
        problems.extend(self.dependencies(schema, value, field, depth)?);
        if let Some(condition) = schema.get_str("if") {
            let (name, kind, description) = match self.validate(condition, value, field, depth)?.is_empty() {
                true => ("then", "condition_then", "Must validate \"then\" as \"if\" was valid"),
                false => ("else", "condition_else", "Must validate \"else\" as \"if\" was not valid"),
            };
            if let Some(schema) = schema.get_str(name) {
                let found = self.validate(schema, value, field, depth)?;
                problems.extend((!found.is_empty()).then(|| problem(kind, description)));
                problems.extend(found);
            }
        }
        Ok(problems)
    }

    /// Checks the members that others require.
    fn dependencies(&mut self, schema: &'s Object, value: &Value, field: &str, depth: usize) -> Problems {
        let mut problems = Vec::new();
        let (Some(Value::Object(all)), Value::Object(members)) = (schema.get_str("dependencies"), value)
        else {
            return Ok(problems);
        };
        for (_, needed) in all.iter().filter(|(name, _)| members.get(name).is_some()) {
            let Value::Array(names) = needed else {
                problems.extend(self.validate(needed, value, field, depth)?);
                continue;
            };
            for name in names.iter().filter_map(Value::as_str).filter(|name| members.get_str(name).is_none())
            {
                let description = format!("Has a dependency on {name}");
                problems.push(Problem { kind: "missing_dependency", field: field.to_owned(), description });
            }
        }
        Ok(problems)
    }

    /// The schemas of the patterns that a key matches.
    fn patterns(&mut self, schema: &'s Object, key: &str) -> Result<Vec<&'s Value>, BuiltinError> {
        let mut matching = Vec::new();
        let patterns = schema.get_str("patternProperties").and_then(Value::as_object);
        for (pattern, schema) in patterns.into_iter().flat_map(Object::iter) {
            self.context.charge(key.len())?;
            if self.context.pattern(&pattern.to_json_key())?.is_match(key.as_bytes()) {
                matching.push(schema);
            }
        }
        Ok(matching)
    }

    fn array(&mut self, schema: &'s Object, items: &[Value], field: &str, depth: usize) -> Problems {
        let mut problems = Vec::new();
        if let Some(of_items) = schema.get_str("items") {
            for (i, item) in items.iter().enumerate() {
                problems.extend(self.validate(of_items, item, &inner(field, &i.to_string()), depth)?);
            }
        }
        let len = Number::from(items.len());
        let bounds = [
            ("minItems", "array_min_items", "Array must have at least {} items"),
            ("maxItems", "array_max_items", "Array must have at most {} items"),
        ];
        problems.extend(bound_problems(schema, bounds, &len, field));
        if schema.get_str("uniqueItems") == Some(&Value::Bool(true)) {
            let mut seen: Vec<(&Value, usize)> =
                items.iter().enumerate().map(|(i, item)| (item, i)).collect();
            // In order, equal items are neighbours: comparing each with all others takes time that grows with
            // the square.
            seen.sort();
            let pairs = seen.windows(2).filter(|pair| pair[0].0 == pair[1].0);
            let mut repeated: Vec<(usize, usize)> = pairs.map(|pair| (pair[1].1, pair[0].1)).collect();
            // OPA 1.20 finds each item that is there before when it comes to it.
            repeated.sort_unstable();
            for (again, before) in repeated {
                let description = format!("array items[{before},{again}] must be unique");
                problems.push(Problem { kind: "unique", field: field.to_owned(), description });
            }
        }
        Ok(problems)
    }

    fn members(&mut self, schema: &'s Object, members: &Object, field: &str, depth: usize) -> Problems {
        let len = Number::from(members.len());
        let bounds = [
            ("minProperties", "array_min_properties", "Must have at least {} properties"),
            ("maxProperties", "array_max_properties", "Must have at most {} properties"),
        ];
        let mut problems = bound_problems(schema, bounds, &len, field);
        if let Some(Value::Array(required)) = schema.get_str("required") {
            for name in
                required.iter().filter_map(Value::as_str).filter(|name| members.get_str(name).is_none())
            {
                let description = format!("{name} is required");
                problems.push(Problem { kind: "required", field: field.to_owned(), description });
            }
        }
        let properties = schema.get_str("properties").and_then(Value::as_object);
        let named: BTreeSet<&str> =
            properties.into_iter().flat_map(Object::keys).filter_map(Value::as_str).collect();
        let additional = schema.get_str("additionalProperties");
        for (key, value) in members.iter() {
            let key = key.to_json_key();
            let matching = self.patterns(schema, &key)?;
            let is_described = named.contains(key.as_str()) || !matching.is_empty();
            for schema in matching {
                problems.extend(self.validate(schema, value, &inner(field, &key), depth)?);
            }
            if is_described {
                continue;
            }
            match additional {
                Some(Value::Bool(false)) => {
                    let description = format!("Additional property {key} is not allowed");
                    let kind = "additional_property_not_allowed";
                    problems.push(Problem { kind, field: field.to_owned(), description });
                }
                Some(schema) => problems.extend(self.validate(schema, value, &inner(field, &key), depth)?),
                None => {}
            }
        }
        for (key, schema) in properties.into_iter().flat_map(Object::iter) {
            if let (Some(name), Some(value)) = (key.as_str(), members.get(key)) {
                problems.extend(self.validate(schema, value, &inner(field, name), depth)?);
            }
        }
        Ok(problems)
    }

    fn text(&mut self, schema: &Object, text: &str, field: &str) -> Problems {
        self.context.charge(text.len())?;
        let len = Number::from(text.chars().count());
        let bounds = [
            ("minLength", "string_gte", "String length must be greater than or equal to {}"),
            ("maxLength", "string_lte", "String length must be less than or equal to {}"),
        ];
        let mut problems = bound_problems(schema, bounds, &len, field);
        if let Some(pattern) = schema.get_str("pattern").and_then(Value::as_str)
            && !self.context.pattern(pattern)?.is_match(text.as_bytes())
        {
            let description = format!("Does not match pattern '{pattern}'");
            problems.push(Problem { kind: "pattern", field: field.to_owned(), description });
        }
        Ok(problems)
    }
}

/// Problems with a length: the first bound is the least, the second the greatest one.
fn bound_problems(
    schema: &Object,
    bounds: [(&str, &'static str, &str); 2],
    len: &Number,
    field: &str,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (i, (name, kind, sentence)) in bounds.into_iter().enumerate() {
        if let Some(bound) = schema.get_str(name).and_then(Value::as_number)
            && (if i == 0 { len < bound } else { len > bound })
        {
            let description = sentence.replace("{}", &bound.to_string());
            problems.push(Problem { kind, field: field.to_owned(), description });
        }
    }
    problems
}

fn number_problems(schema: &Object, number: &Number, field: &str) -> Problems {
    let bound = |name| schema.get_str(name).and_then(Value::as_number);
    let mut problems = Vec::new();
    let mut problem =
        |kind, description| problems.push(Problem { kind, field: field.to_owned(), description });
    if let Some(step) = bound("multipleOf") {
        // Decimals, as in OPA 1.20: 0.3 is a multiple of 0.1.
        let quotient = number.divide(step).ok();
        if !quotient.is_some_and(|quotient| quotient.is_whole()) {
            problem("multiple_of", format!("Must be a multiple of {step}"));
        }
    }
    if let Some(bound) = bound("maximum").filter(|bound| number > *bound) {
        problem("number_lte", format!("Must be less than or equal to {bound}"));
    }
    if let Some(bound) = bound("exclusiveMaximum").filter(|bound| number >= *bound) {
        problem("number_lt", format!("Must be less than {bound}"));
    }
    if let Some(bound) = bound("minimum").filter(|bound| number < *bound) {
        problem("number_gte", format!("Must be greater than or equal to {bound}"));
    }
    if let Some(bound) = bound("exclusiveMinimum").filter(|bound| number <= *bound) {
        problem("number_gt", format!("Must be greater than {bound}"));
    }
    Ok(problems)
}
