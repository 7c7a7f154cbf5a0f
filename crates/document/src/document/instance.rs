//! The objects in a state, as values of the engine and as documents have them.

use std::fmt;

use objchange::Value;
use objchange::schema::Block;
use objchange::value::{Kind, Marks, Number, Path, PathStep, WriteError};
use objchange_text::json::place;

use super::error::{DocumentError, Problem};
use super::flat;
use super::object::{Form, ObjectError, ObjectErrorKind, guessed, object_of, upgraded_of, written};
use super::state::{Sensitive, State, StateOutput, StateResource};
use super::zeros::with_negative_zeros;
use crate::json::{Json, Raw, Shape, View};

/// Why a state does not have a resource instance that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoInstance {
    /// The state has no instance at the address.
    Absent,
    /// There is one, of another type.
    OtherType(String),
}

impl NoInstance {
    /// The stable name of the reason.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::OtherType(_) => "other_type",
        }
    }
}

impl<'t> State<'t> {
    /// The managed resource instances, without deposed objects.
    pub fn instances(&self) -> impl Iterator<Item = &StateResource<'t>> {
        self.resources.iter().filter(|resource| &*resource.mode == "managed" && resource.deposed.is_none())
    }

    /// The managed resource instance of a type at an address.
    ///
    /// # Errors
    ///
    /// The state has no such instance, or it is of another type.
    pub fn instance(&self, address: &str, resource_type: &str) -> Result<&StateResource<'t>, NoInstance> {
        let mut instances = self.instances();
        let instance = instances.find(|instance| &*instance.address == address).ok_or(NoInstance::Absent)?;
        match &*instance.resource_type {
            found if found == resource_type => Ok(instance),
            found => Err(NoInstance::OtherType(found.to_owned())),
        }
    }

    /// The object of a resource of this state, with marks on what the state calls sensitive.
    ///
    /// # Errors
    ///
    /// The value is not an object of the schema. Line and column count in the text of the state.
    pub fn object(&self, resource: &StateResource<'_>, schema: &Block) -> Result<Value, ObjectError> {
        let read = match resource.is_flat {
            true => flat::of_schema(resource.values, schema),
            false => object_of(resource.values, schema, Form::Plain),
        };
        self.with_marks(&read.map_err(|fault| fault.in_text(self.text()))?, resource)
    }

    /// Like [`State::object`], for a schema that may have changed since: attributes that it lacks are left out, and
    /// those that the state lacks are null. An instance without values becomes an empty object.
    ///
    /// # Errors
    ///
    /// A value does not have the type that the schema says. The line and column are those in the text of the state.
    pub fn upgraded_object(
        &self,
        resource: &StateResource<'_>,
        schema: &Block,
    ) -> Result<Value, ObjectError> {
        let read = match resource.is_flat {
            true => flat::of_schema(resource.values, schema),
            false => upgraded_of(resource.values, schema),
        };
        self.with_marks(&read.map_err(|fault| fault.in_text(self.text()))?, resource)
    }

    /// Like [`State::object`], without a schema: of the types that its JSON looks like.
    ///
    /// # Errors
    ///
    /// The value is not an object.
    pub fn untyped_object(&self, resource: &StateResource<'_>) -> Result<Value, DocumentError> {
        let value = match resource.values.text() {
            "null" => Value::object::<&str, Value>([]),
            _ => resource.file_value(self.text(), &[], None)?,
        };
        self.with_marks(&value, resource).map_err(|error| {
            DocumentError::at(
                self.text(),
                resource.values.offset(),
                &resource.address,
                Problem::Value(error.message),
            )
        })
    }

    /// Adds the sensitive marks of the state to an object of this instance that the caller has read.
    ///
    /// # Errors
    ///
    /// The sensitive marks of the state cannot be read.
    pub fn with_marks(&self, value: &Value, resource: &StateResource<'_>) -> Result<Value, ObjectError> {
        match &resource.sensitive {
            Sensitive::Paths(paths) => Ok(marked(value, paths)),
            Sensitive::Values(raw) => {
                let shape = Json::read(raw).map_err(|error| {
                    let (line, column) = place(self.text(), error.offset());
                    ObjectError {
                        line,
                        column,
                        kind: ObjectErrorKind::Json,
                        message: error.message().to_owned(),
                    }
                })?;
                let mut paths = Vec::new();
                collect(shape.view(), value, &Path::root(), &mut paths);
                Ok(value.mark_where_present(&paths))
            }
        }
    }
}

/// A value and what of it is sensitive, as the document of `terraform show -json` has them: without the types that a
/// state file states.
pub enum DocumentValue<'t> {
    /// As the document has them.
    Read([Raw<'t>; 2]),
    /// Made from a state file, as a document would have them.
    Written([String; 2]),
}

/// Without the value, which may be a secret.
impl fmt::Debug for DocumentValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DocumentValue").finish_non_exhaustive()
    }
}

impl DocumentValue<'_> {
    /// The value, and what of it is sensitive.
    pub fn parts(&self) -> [Raw<'_>; 2] {
        match self {
            Self::Read(parts) => *parts,
            Self::Written(parts) => parts.each_ref().map(|part| Raw::new(part)),
        }
    }
}

impl<'t> StateResource<'t> {
    /// The value and what of it is sensitive, as a document has them.
    ///
    /// Where there is no schema, or the value is not one of the schema's, what looks like a value with its
    /// type is one.
    pub fn shown(
        &self,
        state: &State<'_>,
        schema: Option<&Block>,
    ) -> Result<DocumentValue<'t>, DocumentError> {
        let paths = match &self.sensitive {
            Sensitive::Values(marks) => return Ok(DocumentValue::Read([self.values, *marks])),
            Sensitive::Paths(paths) => paths,
        };
        let error = |problem| DocumentError::at(state.text(), self.values.offset(), &self.address, problem);
        let value = self.file_value(state.text(), paths, schema)?;
        let mut sensitive_values = String::new();
        write_marks(&value, &mut sensitive_values);
        let values =
            plain(&value).map_err(|_| error(Problem::Malformed("this cannot be written as JSON".into())))?;
        // `terraform show` prints the -0 of a state file, which a number of the engine does not keep.
        let values = with_negative_zeros(self.values.text(), values);
        Ok(DocumentValue::Written([values, sensitive_values]))
    }

    /// The value as a state file has it, with marks at these paths.
    ///
    /// # Errors
    ///
    /// It is not an object.
    pub fn file_value(
        &self,
        text: &str,
        paths: &[Path],
        schema: Option<&Block>,
    ) -> Result<Value, DocumentError> {
        let by_schema = schema.and_then(|schema| match self.is_flat {
            true => flat::of_schema(self.values, schema).ok(),
            false => written(self.values, schema, Form::Plain).ok(),
        });
        let by_shape = || match self.is_flat {
            true => flat::of_shape(self.values),
            false => guessed(self.values),
        };
        let value = match by_schema {
            Some(value) => value,
            None => by_shape().map_err(|fault| fault.in_document(text, &self.address))?,
        };
        Ok(marked(&value, paths))
    }
}

impl StateOutput<'_> {
    /// The value as a document has it; `None` if it is of one, or no value of its type.
    pub fn shown(&self, state: &State<'_>) -> Option<String> {
        let ty = self.ty().filter(|_| state.is_file)?;
        let written = plain(&Value::from_json(self.value.text(), ty).ok()?).ok()?;
        Some(with_negative_zeros(self.value.text(), written))
    }
}

/// The value without its marks and types.
fn plain(value: &Value) -> Result<String, WriteError> {
    value.unmark_deep().0.to_json(value.ty())
}

/// The value with what these paths lead to marked as sensitive.
fn marked(value: &Value, paths: &[Path]) -> Value {
    let marks: Vec<(Path, Marks)> =
        paths.iter().filter_map(|path| Some((reached(value, path)?, Marks::SENSITIVE))).collect();
    value.mark_where_present(&marks)
}

/// The part of the value that a path leads to, or the innermost one around it: a path that leads on to nothing must
/// not open what it was to hide. `None` if not even its first step leads anywhere.
fn reached(value: &Value, path: &Path) -> Option<Path> {
    let mut at = value;
    let mut steps = Vec::new();
    for step in path.steps() {
        // Blocks by label, and what is dynamic, may be held in an object where the state thinks of a map.
        let name = match step {
            PathStep::Attribute(name) => Some(name.as_str()),
            PathStep::Index(key) => key.as_str(),
        };
        let position = match step {
            PathStep::Index(key) => key.as_number().and_then(Number::as_u64),
            PathStep::Attribute(_) => None,
        };
        let (step, next) = match (at.kind(), name, position) {
            (Kind::Object(object), Some(name), _) => (PathStep::Attribute(name.into()), object.get(name)),
            (Kind::Map(map), Some(name), _) => (PathStep::Index(Value::from(name)), map.get(name)),
            (Kind::List(elements) | Kind::Tuple(elements), _, Some(position)) => {
                (step.clone(), usize::try_from(position).ok().and_then(|position| elements.get(position)))
            }
            _ => break,
        };
        let Some(next) = next else { break };
        steps.push(step);
        at = next;
    }
    (path.is_root() || !steps.is_empty()).then(|| steps.into_iter().collect())
}

/// The paths at which a shape says `true`; inside of a set it counts for the set.
fn collect(shape: View<'_, '_>, value: &Value, path: &Path, paths: &mut Vec<(Path, Marks)>) {
    let mark = |path: &Path| (path.clone(), Marks::SENSITIVE);
    match (shape.shape(), value.kind()) {
        // A mark that is no bool is not Terraform's; it hides the value.
        (Shape::Bool(true) | Shape::String(_) | Shape::Number(_), _) => paths.push(mark(path)),
        (Shape::Array(shapes), Kind::List(elements) | Kind::Tuple(elements)) => {
            for (i, (shape, element)) in shapes.iter().zip(elements).enumerate() {
                collect(shape, element, &path.clone().index(i), paths);
            }
        }
        // The elements may be in another order here: one that is sensitive makes the set so.
        (Shape::Array(_), Kind::Set(_)) if hides(shape) => paths.push(mark(path)),
        (Shape::Object(_), Kind::Map(map)) => {
            for (key, element) in map.iter() {
                if let Some(shape) = shape.get(key) {
                    collect(shape, element, &path.clone().index(key.as_str()), paths);
                }
            }
        }
        (Shape::Object(_), Kind::Object(object)) => {
            for (name, attribute) in object.iter() {
                if let Some(shape) = shape.get(name) {
                    collect(shape, attribute, &path.clone().attribute(name.clone()), paths);
                }
            }
        }
        _ if !value.is_null() && hides(shape) => paths.push(mark(path)),
        _ => {}
    }
}

/// Whether anything inside says that something is sensitive.
fn hides(shape: View<'_, '_>) -> bool {
    matches!(shape.shape(), Shape::Bool(true) | Shape::String(_) | Shape::Number(_))
        || shape.elements().iter().any(hides)
        || shape.members().iter().any(|(_, inside)| hides(inside))
}

/// Writes the marks in the shape of the value.
fn write_marks(value: &Value, out: &mut String) {
    let mut separator = "";
    let mut next = |out: &mut String| out.push_str(std::mem::replace(&mut separator, ","));
    match value.kind() {
        _ if value.is_marked() => out.push_str("true"),
        _ if !value.contains_marked() => out.push_str("false"),
        Kind::List(elements) | Kind::Tuple(elements) => {
            out.push('[');
            for element in elements {
                next(out);
                write_marks(element, out);
            }
            out.push(']');
        }
        Kind::Map(map) => {
            out.push('{');
            for (key, element) in map.iter().filter(|(_, element)| element.contains_marked()) {
                next(out);
                out.push_str(&format!("{}:", serde_json::Value::from(key.as_str())));
                write_marks(element, out);
            }
            out.push('}');
        }
        Kind::Object(object) => {
            out.push('{');
            for (name, attribute) in object.iter().filter(|(_, attribute)| attribute.contains_marked()) {
                next(out);
                out.push_str(&format!("{}:", serde_json::Value::from(name.as_str())));
                write_marks(attribute, out);
            }
            out.push('}');
        }
        // The marks of elements are the set's.
        _ => out.push_str("true"),
    }
}

#[cfg(test)]
mod tests {
    use objchange::Type;
    use objchange::schema::Attribute;
    use proptest::prelude::*;

    use super::*;
    use crate::document::Document;

    const FILE: &str = r#"{"version":4,"lineage":"x","resources":[{"module":"module.m","mode":"managed",
        "type":"t","name":"a","instances":[{"index_key":"k","status":"tainted","attributes":{"name":"hunter",
        "tags":{"a":"hunter"}},"sensitive_attributes":[[{"type":"get_attr","value":"tags"},
        {"type":"index","value":{"value":"a","type":"string"}}],[{"type":"get_attr","value":"name"}]]}]}]}"#;
    const SHOWN: &str = r#"{"format_version":"1.0","terraform_version":"1.9.0","values":{"root_module":{
        "child_modules":[{"resources":[{"address":"module.m.t.a[\"k\"]","mode":"managed","type":"t","name":"a",
        "values":{"name":"hunter","tags":{"a":"hunter"}},"sensitive_values":{"name":true,"tags":{"a":true}}}]}]}}}"#;

    fn schema() -> Block {
        let tags = Attribute::optional(Type::map(Type::String));
        Block::new([("name", Attribute::optional(Type::String)), ("tags", tags)], [])
    }

    /// The object, and whether it is tainted; or the whole error text.
    fn read(text: &str) -> Result<(Value, bool), String> {
        let Document::State(state) = Document::parse(text).map_err(|error| format!("{error} {error:?}"))?
        else {
            return Err("a plan".to_owned());
        };
        let instance =
            state.instance(r#"module.m.t.a["k"]"#, "t").map_err(|error| format!("{error:?} {state:?}"))?;
        let object = state.object(instance, &schema()).map_err(|error| format!("{error} {error:?}"))?;
        Ok((object, instance.tainted))
    }

    #[test]
    fn both_forms_of_a_state_give_one_object() {
        let [(file, is_tainted), (shown, _)] = [FILE, SHOWN].map(|text| read(text).unwrap());
        assert_eq!(file, shown);
        assert!(is_tainted);
        assert_eq!(file.to_string(), r#"{name = (sensitive value), tags = {"a" = (sensitive value)}}"#);
    }

    #[test]
    fn a_path_to_all_hides_all_and_one_to_nothing_what_is_around_it() {
        let value = Value::object([("a", Value::tuple(["x", "y"])), ("b", Value::from("z"))]);
        let marked = |path: &str| marked(&value, &[path.parse().unwrap()]).to_string();
        assert_eq!(marked(""), "(sensitive value)");
        assert_eq!(marked("a[1]"), r#"{a = ["x", (sensitive value)], b = "z"}"#);
        assert_eq!(marked("a[7].c"), r#"{a = (sensitive value), b = "z"}"#);
        assert_eq!(marked("gone.c"), r#"{a = ["x", "y"], b = "z"}"#);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_spoiled_state_tells_nothing(
            shown in any::<bool>(),
            at in any::<prop::sample::Index>(),
            len in 0..12_usize,
            instead in r#"[\[\]{}",:0-9a-z]{0,6}"#,
        ) {
            let mut text = if shown { SHOWN } else { FILE }.to_owned();
            let from = at.index(text.len());
            text.replace_range(from..(from + len).min(text.len()), &instead);
            if let Err(error) = read(&text) {
                prop_assert!(!error.contains("hunter"), "{error}");
            }
        }
    }
}
