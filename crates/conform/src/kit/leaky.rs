//! A provider that leaks secrets.

use std::fmt;
use std::io::Write;

use async_trait::async_trait;
use objchange::change::{AppliedResource, Diagnostic, PlannedResource, PrivateData};
use objchange::schema::{Attribute, Block};
use objchange::{Type, Value};
use objchange_provider::{
    Answer, Call, ErrorKind, Function, FunctionAnswer, Opened, Parameter, Provider, Reply, Result,
};

use super::{Kit, ResourceType};

/// The secrets that a [`Leaky`] provider knows.
#[derive(Clone)]
pub struct Planted {
    /// The secret in configurations.
    pub given: String,
    /// The secret in the provider's own configuration.
    pub own: String,
    /// The secret that it generates for objects.
    pub made: String,
}

/// A provider that repeats secrets in its messages wherever it can.
///
/// A plan of `kit_panic` prints a dump like a Go program, and ends the process.
pub struct Leaky {
    kit: Kit,
    planted: Planted,
}

fn block() -> Block {
    Block::new(
        [
            ("name", Attribute::optional_computed(Type::String)),
            ("labels", Attribute::optional_computed(Type::map(Type::String))),
            ("any", Attribute::optional(Type::Dynamic).sensitive()),
            ("password", Attribute::optional(Type::String).sensitive()),
            ("written", Attribute::optional(Type::String).write_only()),
            ("token", Attribute::computed(Type::String).sensitive()),
        ],
        [],
    )
}

impl fmt::Debug for Planted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Planted")
    }
}

impl fmt::Debug for Leaky {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Leaky")
    }
}

impl Leaky {
    /// A provider that knows these secrets.
    pub fn new(planted: Planted) -> Self {
        let parameters = vec![Parameter::new("text", Type::String)];
        let tell = Function { parameters, variadic: None, returns: Type::String };
        let types =
            ["kit_attribute", "kit_keys", "kit_later", "kit_panic", "kit_said", "kit_status", "kit_wrong"];
        let kit = types
            .into_iter()
            .fold(Kit::default(), |kit, name| kit.resource(name, ResourceType::new(block())));
        let kit = kit
            .configuration(Block::new([("token", Attribute::optional(Type::String).sensitive())], []))
            .data_source("kit_data", block(), |config: &Value| Answer::new(config.clone()))
            .ephemeral_resource("kit_opened", block(), |_: &Value| Opened::default())
            .action("kit_action", block(), |_: &Value| Vec::new())
            .function("tell", tell, |_: &[Value]| FunctionAnswer::Result(Some(Value::from(""))));
        Self { kit, planted }
    }

    /// All secrets, in the forms in which programs print them.
    fn everything(&self) -> String {
        let Planted { given, own, made } = &self.planted;
        format!("{given}: {given:?} {own}-{made} x{given}{own}x")
    }

    fn status(&self) -> ErrorKind {
        ErrorKind::Status { code: "Internal", message: self.everything() }
    }

    /// Ends the process like a Go program that panics.
    fn panic(&self) -> ! {
        let everything = self.everything();
        let dump = format!("panic: {everything}\n\ngoroutine 1 [running]:\nmain.plan({everything:?})\n");
        let _ = std::io::stderr().write_all(dump.as_bytes());
        std::process::exit(2)
    }

    fn leaking_diagnostic(&self) -> Diagnostic {
        let mut said = Diagnostic::error(self.everything());
        said.detail = self.everything();
        said
    }

    fn object(&self, type_name: &str, object: &Value) -> Value {
        let Some(members) = object.as_object() else { return object.clone() };
        let part = |name: &str, part: &Value| match (type_name, name) {
            (_, "written") => Value::null(Type::String),
            (_, "token") => Value::from(self.planted.made.as_str()),
            ("kit_attribute", "name") => Value::from(self.everything()),
            ("kit_keys", "labels") => {
                Value::map(Type::String, [(self.planted.given.as_str(), Value::from("x"))]).unwrap()
            }
            // Terraform refuses this value, so that the finding has a case with the whole object.
            ("kit_wrong" | "kit_attribute", "password") if !part.is_null() => {
                Value::from(format!("{}-other", self.planted.own))
            }
            _ => part.clone(),
        };
        Value::object(members.iter().map(|(name, value)| (name.clone(), part(name, value))))
    }
}

#[async_trait]
impl Provider for Leaky {
    async fn call(&self, call: Call<'_>) -> Result<Reply> {
        Ok(match call {
            Call::Schemas | Call::Metadata | Call::Upgrade(_) => self.kit.call(call).await?,
            Call::Validate(_, "kit_said" | "kit_action", _) => vec![self.leaking_diagnostic()].into(),
            Call::Validate(_, name, _) if name != "kit_status" => Vec::<Diagnostic>::new().into(),
            Call::Configure(_) => {
                // The provider has not generated its own secret yet.
                let Planted { given, own, .. } = &self.planted;
                vec![Diagnostic::warning(format!("{given}: {given:?} x{given}{own}x"))].into()
            }
            Call::Read(request) => Answer::new(self.object(&request.type_name, &request.state)).into(),
            Call::Plan(type_name, request) => {
                let mut planned = PlannedResource::new(self.object(type_name, &request.proposed));
                planned.private = PrivateData(self.everything().into_bytes());
                if type_name == "kit_panic" {
                    self.panic();
                }
                // Repeats the secret that it generated earlier, for another type.
                if type_name == "kit_later" {
                    planned.diagnostics.push(self.leaking_diagnostic());
                }
                planned.into()
            }
            Call::Apply(type_name, request) => {
                AppliedResource::new(self.object(type_name, &request.planned)).into()
            }
            Call::Validate(..)
            | Call::ReadData(..)
            | Call::Open(..)
            | Call::PlanAction(..)
            | Call::InvokeAction(..)
            | Call::CallFunction(..) => return Err(self.status().into()),
            Call::Stop => self.everything().into(),
            _ => return Err(ErrorKind::Unimplemented.into()),
        })
    }
}
