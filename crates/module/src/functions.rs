//! The functions that the expressions of each module may call: those of the language, and those of the providers that the
//! module requires.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use objchange::schema::FunctionSchema;
use objchange::value::{Marks, Path};
use objchange::{Type, Value};
use objchange_document::Version;
use objchange_hcl::{Function, FunctionError, Functions, Parameter};
use smol_str::SmolStr;

use crate::apply::GeneratedValues;
use crate::config::{Config, ModuleId};
use crate::providers::{ProviderFunction, Providers};
use crate::{ProviderAddress, Schemas};

/// The functions of all modules.
#[derive(Debug)]
pub(crate) struct ModuleFunctions {
    /// Those of the language alone.
    language: Functions,
    /// With those of providers, each once for all modules that require the same ones.
    extended: Vec<Functions>,
    /// Which of these a module has, if not those of the language alone.
    of_module: Vec<Option<usize>>,
    /// The functions that were called without a provider to answer.
    unanswered: Unanswered,
}

type Unanswered = Arc<Mutex<BTreeSet<String>>>;

impl ModuleFunctions {
    /// Those of providers are called where these answer for them.
    pub(crate) fn new(
        config: &Config,
        schemas: &Schemas,
        language: &Functions,
        version: Version,
        providers: &dyn Providers,
    ) -> Self {
        let mut functions = Self {
            language: language
                .clone()
                .in_module()
                .of_version(version.parts())
                .naming_places(config.sources.clone()),
            extended: Vec::new(),
            of_module: vec![None; config.modules.len()],
            unanswered: Unanswered::default(),
        };
        let mut known: HashMap<_, Option<usize>> = HashMap::new();
        let mut places: HashMap<&str, Option<Functions>> = HashMap::new();
        for (module, loaded) in config.modules.iter().enumerate() {
            let required = loaded.config.required_providers.keys();
            let required: BTreeMap<_, _> =
                required.map(|name| (name, config.provider_named(module, name))).collect();
            // A module may read its own files, wherever it may be read itself. Its caller may not.
            let own = places
                .entry(loaded.directory.as_str())
                .or_insert_with(|| functions.language.in_directory(&loaded.directory));
            let directory = own.is_some().then_some(loaded.directory.as_str());
            let key = (required, directory);
            let index = match known.get(&key) {
                Some(index) => *index,
                None => {
                    let index = functions.add(&key.0, own.clone(), config, schemas, providers);
                    known.insert(key, index);
                    index
                }
            };
            functions.of_module[module] = index;
        }
        functions
    }

    /// The functions of a module.
    pub(crate) fn of_module(&self, module: ModuleId) -> &Functions {
        let extended = self.of_module.get(module).copied().flatten();
        extended.and_then(|index| self.extended.get(index)).unwrap_or(&self.language)
    }

    /// The functions that were called since this was last asked, and whose provider was not there to answer.
    pub(crate) fn take_unanswered(&self) -> BTreeSet<String> {
        std::mem::take(&mut *self.unanswered.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(
        &mut self,
        required: &BTreeMap<&SmolStr, ProviderAddress>,
        own: Option<Functions>,
        config: &Config,
        schemas: &Schemas,
        providers: &dyn Providers,
    ) -> Option<usize> {
        let mut functions = own;
        for (local_name, provider) in required {
            let mut insert = |name: &str, function: Function| {
                let functions = functions.get_or_insert_with(|| self.language.clone());
                functions.insert(format!("provider::{local_name}::{name}"), function);
            };
            if provider.is_builtin() {
                Functions::of_builtin_provider()
                    .into_iter()
                    .for_each(|(name, function)| insert(name, function));
                continue;
            }
            if !schemas.has_provider(provider) || schemas.assumed().providers.contains(provider) {
                // Nobody knows which functions it has: those that are called.
                for name in called_names(config, local_name) {
                    let full_name = format!("provider::{local_name}::{name}");
                    insert(name, without_schema(full_name, &self.unanswered, providers.invents_functions()));
                }
                continue;
            }
            for (name, schema) in schemas.functions(provider) {
                let function = match providers.function(provider, &name) {
                    Some(call) => real(&schema, call),
                    None => {
                        let full_name = format!("provider::{local_name}::{name}");
                        match providers.invents_functions() {
                            true => invented(full_name, &schema),
                            false => simulated(full_name, &schema, &self.unanswered),
                        }
                    }
                };
                insert(&name, function);
            }
        }
        self.extended.push(functions?);
        Some(self.extended.len() - 1)
    }
}

/// The names behind `provider::NAME::` in the files of a configuration.
fn called_names<'c>(config: &'c Config, local_name: &str) -> BTreeSet<&'c str> {
    let prefix = format!("provider::{local_name}::");
    let mut found = BTreeSet::new();
    for (_, text, _) in config.sources.iter() {
        for (at, _) in text.match_indices(&prefix) {
            let rest = &text[at + prefix.len()..];
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
            found.insert(&rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())]);
        }
    }
    found.remove("");
    found
}

/// A function of a provider whose schemas are missing: its results are unknown, of any type, or made up.
fn without_schema(name: String, unanswered: &Unanswered, is_invented: bool) -> Function {
    let unanswered = Arc::clone(unanswered);
    let body = move |_: &[Value], ty: &Type| {
        let result = Value::unknown(ty.clone());
        if is_invented {
            return Ok(result.with_marks(Marks::INVENTED));
        }
        unanswered.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone());
        Ok(result)
    };
    let arguments = Parameter::new("arguments", Type::Dynamic).null();
    Function::new([], Type::Dynamic, body).nullable().variadic(arguments)
}

/// A function that its provider answers, once all that it is called with is known.
fn real(schema: &FunctionSchema, call: ProviderFunction) -> Function {
    declared(schema, move |arguments, ty| match arguments.iter().all(Value::is_wholly_known) {
        true => call(arguments),
        false => Ok(Value::unknown(ty.clone())),
    })
}

/// A provider's function that only its provider can evaluate: its results are unknown.
fn simulated(name: String, schema: &FunctionSchema, unanswered: &Unanswered) -> Function {
    let unanswered = Arc::clone(unanswered);
    declared(schema, move |_, ty| {
        unanswered.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone());
        Ok(Value::unknown(ty.clone()))
    })
}

/// A provider's function with made-up results, once all that it is called with is known.
fn invented(name: String, schema: &FunctionSchema) -> Function {
    declared(schema, move |arguments, ty| {
        Ok(match arguments.iter().all(Value::is_wholly_known) {
            true => GeneratedValues::default().value(ty, &name, &Path::root()).with_marks(Marks::INVENTED),
            false => Value::unknown(ty.clone()),
        })
    })
}

/// A function as its provider declares it.
fn declared(
    schema: &FunctionSchema,
    body: impl Fn(&[Value], &Type) -> Result<Value, FunctionError> + Send + Sync + 'static,
) -> Function {
    let parameter = |parameter: &objchange::schema::FunctionParameter| {
        let own = Parameter::new(parameter.name.clone(), parameter.ty.clone());
        if parameter.is_nullable { own.null() } else { own }
    };
    let function =
        Function::new(schema.parameters.iter().map(parameter), schema.return_type.clone(), body).nullable();
    match &schema.variadic_parameter {
        Some(variadic) => function.variadic(parameter(variadic)),
        None => function,
    }
}
