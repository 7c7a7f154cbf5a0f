//! A module: what its files declare, put together as Terraform does.
//!
//! `shape` is what may stand in its blocks, `merge` what a file that overrides others changes; `environment` says what
//! names mean in it, with `variable` for what is given, and `resource` what its resource blocks say.

mod body;
mod declarations;
mod environment;
mod merge;
mod resource;
mod shape;
mod variable;

use std::collections::BTreeMap;

use smol_str::SmolStr;

pub use body::ConfigBody;
pub use declarations::{
    CheckConfig, Condition, ImportConfig, LifecycleConfig, ModuleCall, ModuleConfig, MoveEndpoint,
    MoveTarget, MovedConfig, OutputConfig, ProviderConfig, ProviderRef, ProvisionerConfig, RemovedConfig,
    RequiredProvider, ResourceConfig, ResourceName, VariableConfig,
};
pub use environment::Environment;
pub use resource::{Resource, each};
pub(crate) use shape::{Inside, Shape};
pub use variable::{Input, VariableValues};

use crate::sources::{Places, SourceFile, Sources};
use crate::syntax::ast::{Attribute, Block, Body};
use crate::syntax::json::{JsonBody, body_at};
use crate::syntax::parse_body;
use objchange_text::{Diagnostic, Span};
use shape::{FILE, RESOURCE};

/// What the files of a module declare.
///
/// ```
/// use objchange_hcl::{Module, Sources};
///
/// let mut sources = Sources::default();
/// sources.add("a.tf", "resource \"test_disk\" \"data\" {\n  size = 1\n}\n").unwrap();
/// sources.add("b.tf.json", r#"{"resource": {"test_disk": {"data": {"size": 2}}}}"#).unwrap();
/// let errors = Module::read(&sources).unwrap_err();
/// assert_eq!(errors[0].summary, "Duplicate resource \"test_disk\" configuration");
/// assert!(errors[0].detail.contains("at a.tf:1,1-28"));
///
/// let mut sources = Sources::default();
/// sources.add("a.tf", "resource \"test_disk\" \"data\" {\n  size = 1\n}\n").unwrap();
/// sources.add("override.tf.json", r#"{"resource": {"test_disk": {"data": {"size": 2}}}}"#).unwrap();
/// let module = Module::read(&sources).unwrap();
/// assert_eq!(module.resources().collect::<Vec<_>>(), [("test_disk", "data")]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Module<'t> {
    variables: BTreeMap<SmolStr, Variable>,
    locals: BTreeMap<SmolStr, Attribute>,
    /// In source order.
    resources: Vec<Declared<'t>>,
    by_name: BTreeMap<(SmolStr, SmolStr), usize>,
}

/// A `variable` block.
#[derive(Debug, Clone)]
struct Variable {
    /// Type and label.
    header: Span,
    body: Body,
    /// As `main.tf:3,3-13`, each of its validation blocks.
    rules: Vec<String>,
}

/// A `resource` block.
#[derive(Debug, Clone)]
struct Declared<'t> {
    resource_type: SmolStr,
    name: SmolStr,
    header: Span,
    /// What no provider sees.
    meta: Body,
    /// What configures the object; first the block itself, then what overrides it.
    config: Vec<Config<'t>>,
}

#[derive(Debug, Clone)]
enum Config<'t> {
    Native(Body),
    Json(JsonBody<'t>),
}

/// What one file declares.
#[derive(Default)]
struct Declarations<'t> {
    /// Of all types but `resource`.
    body: Body,
    resources: Vec<Declared<'t>>,
}

impl<'t> Module<'t> {
    /// The names of the variables that are declared.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.variables.keys().map(SmolStr::as_str)
    }

    /// Reads files as those of one module. Files whose names say so (`override.tf`, `a_override.tf.json`) override what
    /// others declare; names that end with `.json` are of JSON syntax.
    ///
    /// # Errors
    ///
    /// Everything that is wrong in the files, other than what expressions say, and what they declare twice.
    pub fn read(sources: &'t Sources) -> Result<Self, Vec<Diagnostic>> {
        let (overrides, primary): (Vec<_>, Vec<_>) =
            sources.files().iter().partition(|file| is_override(file));
        // A file by itself overrides nothing.
        let (overrides, primary) = if primary.len() + overrides.len() == 1 {
            (Vec::new(), sources.files().iter().collect())
        } else {
            (overrides, primary)
        };
        let places = sources.places();
        let mut errors = Vec::new();
        let mut module = Self::default();
        for file in primary {
            let declared = Declarations::of(file, &mut errors);
            module.add(declared, &places, &mut errors);
        }
        for file in overrides {
            let declared = Declarations::of(file, &mut errors);
            module.override_with(declared, &mut errors);
        }
        if errors.is_empty() { Ok(module) } else { Err(errors) }
    }

    /// The resources by type and name, in source order.
    pub fn resources(&self) -> impl Iterator<Item = (&str, &str)> {
        self.resources.iter().map(|resource| (&*resource.resource_type, &*resource.name))
    }

    fn add(&mut self, file: Declarations<'t>, places: &Places<'_>, errors: &mut Vec<Diagnostic>) {
        for block in file.body.blocks {
            match (&*block.kind, &block.labels[..]) {
                ("variable", [name]) => {
                    let name = name.text.clone();
                    check_name(&name, &block, errors);
                    if let Some(first) = self.variables.get(&name) {
                        let at = places.told(first.header);
                        let detail = format!(
                            "A variable named {name:?} was already declared at {at}. Variable names must be unique within \
                             a module."
                        );
                        errors.push(Diagnostic::new("Duplicate variable declaration", block.header, detail));
                        continue;
                    }
                    let rules = block.body.blocks.iter().map(|rule| places.told(rule.header)).collect();
                    self.variables.insert(name, Variable { header: block.header, body: block.body, rules });
                }
                ("locals", []) => {
                    for local in block.body.attributes {
                        if let Some(first) = self.locals.get(&local.name) {
                            let at = places.told(first.name_span.to(first.expr.span));
                            let detail = format!(
                                "A local value named {:?} was already defined at {at}. Local value names must be unique \
                                 within a module.",
                                local.name
                            );
                            let place = local.name_span.to(local.expr.span);
                            errors.push(Diagnostic::new("Duplicate local value definition", place, detail));
                            continue;
                        }
                        self.locals.insert(local.name.clone(), local);
                    }
                }
                _ => {}
            }
        }
        for resource in file.resources {
            let Declared { resource_type, name, header, .. } = &resource;
            let key = (resource_type.clone(), name.clone());
            if let Some(first) = self.by_name.get(&key) {
                let at = places.told(self.resources[*first].header);
                let detail = format!(
                    "A {resource_type} resource named {name:?} was already declared at {at}. Resource names must be unique \
                     per type in each module."
                );
                let summary = format!("Duplicate resource {resource_type:?} configuration");
                let summary = ("duplicate_resource", summary);
                errors.push(Diagnostic::new(summary, *header, detail));
                continue;
            }
            self.by_name.insert(key, self.resources.len());
            self.resources.push(resource);
        }
    }
}

/// Whether a file changes what others declare, by its name.
fn is_override(file: &SourceFile) -> bool {
    let name = file.name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".json").unwrap_or(name);
    let stem = name.strip_suffix(".tf").or_else(|| name.strip_suffix(".tofu"));
    stem.is_some_and(|stem| stem == "override" || stem.ends_with("_override"))
}

fn check_name(name: &str, block: &Block, errors: &mut Vec<Diagnostic>) {
    const RESERVED: [&str; 8] =
        ["source", "version", "providers", "count", "for_each", "lifecycle", "depends_on", "locals"];
    let is_first = |c: char| c == '_' || unicode_ident::is_xid_start(c);
    let mut chars = name.chars();
    let detail = if RESERVED.contains(&name) {
        format!("The variable name {name:?} is reserved due to its special meaning inside module blocks.")
    } else if !chars.next().is_some_and(is_first)
        || !chars.all(|c| c == '-' || unicode_ident::is_xid_continue(c))
    {
        "A name must start with a letter or underscore and may contain only letters, digits, underscores, and dashes."
            .to_owned()
    } else {
        return;
    };
    let place = block.labels.first().map_or(block.header, |label| label.span);
    errors.push(Diagnostic::new("Invalid variable name", place, detail));
}

impl<'t> Declarations<'t> {
    fn of(file: &'t SourceFile, errors: &mut Vec<Diagnostic>) -> Self {
        let before = errors.len();
        let declared =
            if file.name.ends_with(".json") { Self::json(file, errors) } else { Self::native(file, errors) };
        if errors.len() > before { Self::default() } else { declared }
    }

    fn native(file: &'t SourceFile, errors: &mut Vec<Diagnostic>) -> Self {
        let mut body = match parse_body(&file.text) {
            Ok(body) => body.moved(file.start),
            Err(found) => {
                errors.extend(found.into_iter().map(|error| error.moved(file.start)));
                return Self::default();
            }
        };
        FILE.check(&body, errors);
        let (resources, others) = body.blocks.into_iter().partition(|block| block.kind == "resource");
        body.blocks = others;
        let resources: Vec<Block> = resources;
        let resources = resources.into_iter().filter_map(|block| {
            let [resource_type, name] = &block.labels[..] else { return None };
            let (resource_type, name) = (resource_type.text.clone(), name.text.clone());
            let (meta, config) = block.body.split(|name| RESOURCE.has(name));
            RESOURCE.check(&meta, errors);
            Some(Declared {
                resource_type,
                name,
                header: block.header,
                meta,
                config: vec![Config::Native(config)],
            })
        });
        let resources = resources.collect();
        Self { body, resources }
    }

    fn json(file: &'t SourceFile, errors: &mut Vec<Diagnostic>) -> Self {
        let json = match body_at(&file.text, file.start) {
            Ok(json) => json,
            Err(mut found) => {
                errors.append(&mut found);
                return Self::default();
            }
        };
        let (body, mut found) = json.shaped(&FILE);
        errors.append(&mut found);
        FILE.check(&body, errors);
        let (resources, mut found) = json.resources();
        errors.append(&mut found);
        let resources = resources.into_iter().map(|resource| {
            let (meta, config) = resource.body.split(|name| RESOURCE.has(name));
            let (meta, mut found) = meta.shaped(&RESOURCE);
            errors.append(&mut found);
            RESOURCE.check(&meta, errors);
            Declared {
                resource_type: resource.resource_type,
                name: resource.name,
                header: resource.place,
                meta,
                config: vec![Config::Json(config)],
            }
        });
        let resources = resources.collect();
        Self { body, resources }
    }
}

impl Body {
    /// The arguments and blocks whose names are told apart so, and the others.
    fn split(self, is_first: impl Fn(&str) -> bool) -> (Body, Body) {
        let (attributes, other_attributes) = self.attributes.into_iter().partition(|a| is_first(&a.name));
        let (blocks, other_blocks) = self.blocks.into_iter().partition(|block| is_first(&block.kind));
        let missing = self.missing;
        (
            Body { attributes, blocks, missing },
            Body { attributes: other_attributes, blocks: other_blocks, missing },
        )
    }
}
