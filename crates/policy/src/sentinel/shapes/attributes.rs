//! The attributes of resources, from the schemas of providers.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use objchange::Type;
use objchange::schema::{ProviderSchemas, SchemaKind};
use objchange::value::ObjectType;
use objchange_sentinel::{Fields, Shape};

/// The schemas that are given, if any are.
#[derive(Debug, Default)]
pub struct Schemas {
    document: Option<ProviderSchemas>,
    /// There may be other providers.
    is_partial: bool,
    /// The objects of all types.
    all: OnceLock<Option<Objects>>,
    /// The first schema that cannot be read. Its types are not checked.
    problem: OnceLock<String>,
}

/// The object types of some resource types.
type Objects = Arc<[Arc<ObjectType>]>;

/// A resource in a plan or state is one of these.
const KINDS: [SchemaKind; 2] = [SchemaKind::Resource, SchemaKind::DataSource];

impl Schemas {
    /// The schemas of a document.
    pub fn new(document: ProviderSchemas) -> Self {
        Self { document: Some(document), ..Self::default() }
    }

    /// The schemas of some providers: there may be types and attributes that none of them has.
    pub fn partial(document: ProviderSchemas) -> Self {
        Self { document: Some(document), is_partial: true, ..Self::default() }
    }

    /// The first unreadable schema that was needed.
    pub fn problem(&self) -> Option<&str> {
        self.problem.get().map(String::as_str)
    }

    /// The object types of these resource types, or of all; `None` if one is unknown.
    fn objects(&self, types: Option<&[String]>) -> Option<Objects> {
        let Some(types) = types else { return self.all.get_or_init(|| self.all()).clone() };
        let mut objects = Vec::new();
        for name in types {
            let before = objects.len();
            for kind in KINDS {
                for provider in self.document.as_ref()?.providers() {
                    objects.extend(self.object(provider, kind, name)?);
                }
            }
            // The schemas of its provider may not be given, so nothing is said of a type that none has.
            if objects.len() == before {
                return None;
            }
        }
        Some(objects.into())
    }

    fn all(&self) -> Option<Objects> {
        if self.is_partial {
            return None;
        }
        let document = self.document.as_ref()?;
        let mut objects = Vec::new();
        for kind in KINDS {
            for provider in document.providers() {
                for name in document.names(provider, kind) {
                    objects.extend(self.object(provider, kind, name)?);
                }
            }
        }
        Some(objects.into())
    }

    /// The object type of one resource type in a provider, if the provider has it.
    fn object(&self, provider: &str, kind: SchemaKind, name: &str) -> Option<Option<Arc<ObjectType>>> {
        match self.document.as_ref()?.get(provider, kind, name) {
            Ok(schema) => Some(schema.map(|schema| Arc::clone(schema.block.object_type()))),
            Err(error) => {
                self.problem.get_or_init(|| error.to_string());
                None
            }
        }
    }
}

/// The attributes of resources, or of an object in them.
#[derive(Debug)]
pub(super) struct Attributes {
    /// The possible objects; empty if unknown.
    objects: Objects,
    /// The names of their types, if it cannot be just any.
    types: Option<Vec<String>>,
    /// Where in a resource it is.
    path: Vec<String>,
}

impl Attributes {
    /// The attributes of resources of these types, or of any.
    pub(super) fn new(schemas: &Schemas, types: Option<&[String]>) -> Arc<Self> {
        let objects = schemas.objects(types).unwrap_or_else(|| Arc::from([]));
        Arc::new(Self { objects, types: types.map(<[String]>::to_vec), path: Vec::new() })
    }

    /// The shape of a value with one of these types.
    fn shape(&self, name: &str, types: &[&Type]) -> Shape {
        let elements = || types.iter().filter_map(|ty| element(ty)).collect::<Vec<&Type>>();
        let objects = types.iter().filter_map(|ty| match ty {
            Type::Object(object) => Some(Arc::clone(object)),
            _ => None,
        });
        let objects: Vec<Arc<ObjectType>> = objects.collect();
        let shape = match types.first() {
            Some(Type::Object(_)) if objects.len() == types.len() => {
                let path = self.path.iter().cloned().chain([name.to_owned()]).collect();
                Shape::fields(Arc::new(Self { objects: objects.into(), types: self.types.clone(), path }))
            }
            // A document writes sets as lists.
            Some(Type::List(_) | Type::Set(_))
                if types.iter().all(|ty| matches!(ty, Type::List(_) | Type::Set(_))) =>
            {
                Shape::list(self.shape(name, &elements()))
            }
            Some(Type::Map(_)) if types.iter().all(|ty| matches!(ty, Type::Map(_))) => {
                Shape::map(self.shape(name, &elements()))
            }
            Some(first) if types.iter().all(|ty| ty == first) => match first {
                Type::String => Shape::STRING,
                Type::Number => Shape::NUMBER,
                Type::Bool => Shape::BOOL,
                _ => Shape::ANY,
            },
            _ => Shape::ANY,
        };
        shape.or(&Shape::NULL)
    }
}

fn element(ty: &Type) -> Option<&Type> {
    match ty {
        Type::List(element) | Type::Set(element) | Type::Map(element) => Some(element),
        _ => None,
    }
}

impl Fields for Attributes {
    fn field(&self, name: &str) -> Option<Shape> {
        if self.objects.is_empty() {
            return Some(Shape::ANY.or_missing());
        }
        let types: Vec<&Type> = self.objects.iter().filter_map(|object| object.attribute(name)).collect();
        // Values that are unknown until apply are missing.
        (!types.is_empty()).then(|| self.shape(name, &types).or_missing())
    }

    fn names(&self) -> Vec<String> {
        let names =
            self.objects.iter().flat_map(|object| object.attributes()).map(|(name, _)| name.to_string());
        names.collect::<BTreeSet<String>>().into_iter().collect()
    }

    fn missing(&self, name: &str) -> String {
        let path = self.path.join(".");
        match (&self.types, &*path) {
            (Some(types), "") => format!("{} has no {name}", types.join(" or ")),
            (Some(types), path) => format!("{path} of {} has no {name}", types.join(" or ")),
            (None, "") => format!("no resource type of the schemas has {name}"),
            (None, path) => format!("{path} of no resource type of the schemas has {name}"),
        }
    }
}
