//! What the schema and the objects at hand tell of a message: where exactly a rule is broken, and by which values.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path as FilePath;

use objchange::Value;
use objchange::change::{assert_object_compatible, assert_plan_valid};
use objchange::schema::{Attribute, Block, ProviderSchemas, SchemaKind};
use objchange::value::Path;
use objchange_conform::explain::Explained;
use objchange_plan::{DocumentKind, Form, Plan, Shape, View, read_object, read_prior};

use super::Args;
use crate::input::{InputError, Size, Source};
use crate::schema_cache::Wanted;
use crate::schemas::{HOW_TO_GET_SCHEMAS, SchemaError};

/// Why what is at hand cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum EvidenceError {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    GivenSchemas(#[from] SchemaError),
    #[error(
        "--prior, --config, --planned and --actual are read by schemas, and there are none: {HOW_TO_GET_SCHEMAS}"
    )]
    NoSchemas,
    #[error("standard input (-) can be read only once; the text is read from there unless a file is named")]
    OneStdin,
    #[error("{input}: {message}")]
    Object { input: Source, message: String },
    #[error("the text is about several resource instances: say with --address which of them the object is ({})", .0.join(", "))]
    WhichAddress(Vec<String>),
}

/// What is at hand.
pub(super) struct Evidence {
    schemas: ProviderSchemas,
    prior: Option<Text>,
    config: Option<Text>,
    planned: Option<Text>,
    actual: Option<Text>,
}

struct Text {
    input: Source,
    text: String,
}

/// What is at hand tells this of a message.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// Nothing of what stands there may be shown.
    pub(super) is_secret: bool,
    /// What the schema says of the place: `optional, computed; string`.
    pub(super) schema: Option<String>,
    /// What stands there: in which object, and the value.
    pub(super) values: Vec<(&'static str, String)>,
    /// What is wrong by the rules: the path, the stable name of what is wrong, and a sentence.
    pub(super) violations: Vec<(String, &'static str, String)>,
}

impl Text {
    fn read(path: Option<&FilePath>) -> Result<Option<Self>, InputError> {
        let read = |path| {
            let input = Source::new(path);
            let text = input.read()?;
            Ok(Self { input, text })
        };
        path.map(read).transpose()
    }

    /// Whether it is a document that has many objects.
    fn is_document(&self) -> bool {
        let kind = DocumentKind::of(&self.text);
        matches!(kind, Ok(DocumentKind::Plan | DocumentKind::State | DocumentKind::StateFile))
    }
}

impl Evidence {
    /// Reads what the arguments name; `None` where there is no schema.
    pub(super) fn read(args: &Args, all: &[Explained]) -> Result<Option<Self>, EvidenceError> {
        let mut schemas = args.schemas.load(Size::MAX)?.schemas;
        if !args.schemas.is_given() {
            let wanted = all.iter().filter_map(|explained| {
                let named = explained.provider.as_deref().and_then(Wanted::named);
                named.or_else(|| Some(Wanted::OfType(explained.resource_type()?.to_owned())))
            });
            schemas = args.schemas.cache.choose(wanted, &BTreeMap::new()).schemas;
            if schemas.providers().next().is_none() {
                let objects = [&args.prior, &args.config, &args.planned, &args.actual];
                let has_objects = objects.into_iter().any(Option::is_some);
                return if has_objects { Err(EvidenceError::NoSchemas) } else { Ok(None) };
            }
        }
        let evidence = Self {
            schemas,
            prior: Text::read(args.prior.as_deref())?,
            config: Text::read(args.config.as_deref())?,
            planned: Text::read(args.planned.as_deref())?,
            actual: Text::read(args.actual.as_deref())?,
        };
        let texts = [&evidence.prior, &evidence.config, &evidence.planned, &evidence.actual];
        let has_object = texts.into_iter().flatten().any(|text| !text.is_document());
        let addresses: BTreeSet<&str> = all.iter().filter_map(|one| one.address.as_deref()).collect();
        if has_object && addresses.len() > 1 {
            return Err(EvidenceError::WhichAddress(addresses.into_iter().map(str::to_owned).collect()));
        }
        Ok(Some(evidence))
    }

    /// What is at hand about the object of a message; `None` where the message names none, or one of another provider.
    pub(super) fn shown(&self, explained: &Explained) -> Result<Option<Shown>, EvidenceError> {
        let (Some(address), Some(resource_type)) = (&explained.address, explained.resource_type()) else {
            return Ok(None);
        };
        let Some(block) = self.block(explained.provider.as_deref(), resource_type) else { return Ok(None) };
        let object = |text: &Option<Text>| match text {
            Some(text) => object(text, &block, resource_type, address).map(Some),
            None => Ok(None),
        };
        let (prior, config) = (object(&self.prior)?, object(&self.config)?);
        let (planned, actual) = (object(&self.planned)?, object(&self.actual)?);
        let mut shown = Shown::default();
        let path =
            explained.path.as_deref().and_then(|path| path.trim_start_matches('.').parse::<Path>().ok());
        if let Some(path) = &path {
            let attribute = block.attribute_by_path(path);
            shown.is_secret = is_secret(&block, path);
            shown.schema = attribute.map(flags);
            let objects =
                [("prior", &prior), ("config", &config), ("planned", &planned), ("actual", &actual)];
            for (name, object) in objects {
                let object = object.as_ref().map(|object| block.mark_hidden(object));
                if let Some(value) = object.as_ref().and_then(|object| object.at(path)) {
                    shown.values.push((name, value.to_string()));
                }
            }
        }
        if let (Some(config), Some(planned)) = (&config, &planned) {
            let nothing = Value::null(block.implied_type().clone());
            for invalid in assert_plan_valid(&block, prior.as_ref().unwrap_or(&nothing), config, planned) {
                shown.violations.push((invalid.path.to_string(), invalid.kind.kind(), invalid.to_string()));
            }
        }
        if let (Some(planned), Some(actual)) = (&planned, &actual) {
            for wrong in assert_object_compatible(&block, planned, actual) {
                shown.violations.push((wrong.path.to_string(), wrong.kind.kind(), wrong.to_string()));
            }
        }
        Ok(Some(shown))
    }

    fn block(&self, provider: Option<&str>, resource_type: &str) -> Option<Block> {
        let has_it =
            |of: &&str| self.schemas.names(of, SchemaKind::Resource).any(|name| name == resource_type);
        let mut providers = self.schemas.providers().filter(has_it);
        let first = providers.next()?;
        let of = provider.filter(|provider| providers.any(|other| other == *provider)).unwrap_or(first);
        Some(self.schemas.get(of, SchemaKind::Resource, resource_type).ok()??.block.clone())
    }
}

fn object(text: &Text, block: &Block, resource_type: &str, address: &str) -> Result<Value, EvidenceError> {
    let wrong = |message: String| EvidenceError::Object { input: text.input.clone(), message };
    if DocumentKind::of(&text.text) == Ok(DocumentKind::Plan) {
        return planned(&text.text, block, address).map_err(wrong);
    }
    let address = text.is_document().then_some(address);
    let read = read_prior(&text.text, block, resource_type, address);
    read.map(|prior| prior.value).map_err(|error| wrong(error.to_string()))
}

/// What a plan says that an object will be.
fn planned(text: &str, block: &Block, address: &str) -> Result<Value, String> {
    let plan = Plan::parse(text).map_err(|error| error.to_string())?;
    let is_it = |change: &&objchange_plan::ChangedResource<'_>| {
        *change.address == *address && change.deposed.is_none()
    };
    let changed = plan.changes.resources.iter().find(is_it);
    let change = &changed.ok_or_else(|| format!("the plan has no resource instance {address}"))?.change;
    let read = |raw| objchange_plan::Json::read(raw).map_err(|error| error.to_string());
    let values = change.values.written().ok_or("the plan has no values")?;
    let (after, unknown) = (read(&values.after)?, read(&values.after_unknown)?);
    let sensitive = read(&values.after_sensitive)?;
    let mut markers = String::new();
    write_markers(Some(after.view()), Some(unknown.view()), Some(sensitive.view()), &mut markers);
    read_object(&markers, block, Form::Markers).map_err(|error| error.message)
}

/// The value with what the other two say of it, in the form of case files. Documents nest no deeper than their reader allows.
fn write_markers(
    value: Option<View<'_, '_>>,
    unknown: Option<View<'_, '_>>,
    sensitive: Option<View<'_, '_>>,
    out: &mut String,
) {
    if sensitive.is_some_and(View::is_true) {
        out.push_str(r#"{"$sensitive":"#);
        write_markers(value, unknown, None, out);
        return out.push('}');
    }
    if unknown.is_some_and(View::is_true) {
        return out.push_str(r#"{"$unknown":{}}"#);
    }
    let quote = |text: &str, out: &mut String| out.push_str(&serde_json::Value::from(text).to_string());
    match value.map(View::shape) {
        None | Some(Shape::Null) if !unknown.is_some_and(View::has_true) => out.push_str("null"),
        Some(Shape::Bool(truth)) => out.push_str(if truth { "true" } else { "false" }),
        Some(Shape::Number(number)) => out.push_str(number),
        Some(Shape::String(text)) => quote(text, out),
        Some(Shape::Array(elements)) => {
            out.push('[');
            for (i, element) in elements.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { "," });
                write_markers(Some(element), element_of(unknown, i), element_of(sensitive, i), out);
            }
            out.push(']');
        }
        _ => {
            // What is unknown is left out of the value.
            let mut names: BTreeSet<&str> = BTreeSet::new();
            for side in [value, unknown] {
                if let Some(Shape::Object(members)) = side.map(View::shape) {
                    names.extend(members.iter().map(|(name, _)| name));
                }
            }
            let is_like_marker = names.len() == 1 && names.iter().any(|name| name.starts_with('$'));
            out.push_str(if is_like_marker { r#"{"$literal":{"# } else { "{" });
            for (i, name) in names.into_iter().enumerate() {
                out.push_str(if i == 0 { "" } else { "," });
                quote(name, out);
                out.push(':');
                write_markers(
                    member_of(value, name),
                    member_of(unknown, name),
                    member_of(sensitive, name),
                    out,
                );
            }
            out.push_str(if is_like_marker { "}}" } else { "}" });
        }
    }
}

fn element_of<'v, 't>(side: Option<View<'v, 't>>, position: usize) -> Option<View<'v, 't>> {
    match side.map(View::shape) {
        Some(Shape::Array(elements)) => elements.get(position),
        _ => None,
    }
}

fn member_of<'v, 't>(side: Option<View<'v, 't>>, name: &str) -> Option<View<'v, 't>> {
    side.and_then(|side| side.get(name))
}

/// Whether the place, or one around it, is sensitive or write-only.
fn is_secret(block: &Block, path: &Path) -> bool {
    let until = |length: usize| path.steps()[..length].iter().cloned().collect::<Path>();
    (1..=path.steps().len())
        .filter_map(|length| block.attribute_by_path(&until(length)))
        .any(|attribute| attribute.sensitive || attribute.write_only)
}

/// What the schema says of an attribute, without what it does not say.
fn flags(attribute: &Attribute) -> String {
    let flags = [
        (attribute.required, "required"),
        (attribute.optional, "optional"),
        (attribute.computed, "computed"),
        (attribute.sensitive, "sensitive"),
        (attribute.write_only, "write-only"),
    ];
    let flags: Vec<&str> = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name).collect();
    let ty = attribute.implied_type();
    format!("{}; type {ty}", flags.join(", "))
}
