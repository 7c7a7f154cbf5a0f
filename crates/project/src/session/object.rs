//! Objects that a provider reads and imports.

use std::fmt;

use objchange::Value;
use objchange::schema::{Block, Schema};
use objchange::value::Descend;
use objchange_document::state_edit::{InstanceObject, StateEdit};
use objchange_provider::{Component, ImportResource, ImportTarget, ProviderExt, ReadResource};
use objchange_text::{MAX_TEXTS, Noted, left_out};
use serde_json::value::RawValue;

use super::{Hidden, NotSaved, Session, SessionError, StateOut, known_object, redacted};
use objchange_files::input::Source;

/// An object that a provider has, or none.
pub struct FoundObject {
    schema: Schema,
    known: InstanceObject,
    /// The reasons why it cannot be kept, without secrets.
    pub problems: Vec<String>,
}

impl fmt::Debug for FoundObject {
    /// Without values, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FoundObject").finish_non_exhaustive()
    }
}

impl FoundObject {
    fn new(schema: Schema, known: InstanceObject, hidden: &Hidden<'_>) -> Self {
        let problems = problems(&schema.block, &known.object, true, hidden);
        Self { schema, known, problems }
    }

    /// Reads the object as it is now, from what is known of it.
    ///
    /// # Errors
    ///
    /// The prior object cannot be used, or the provider refuses it.
    pub async fn read(
        session: &Session<'_>,
        type_name: &str,
        (prior, address): (Option<&std::path::Path>, Option<&str>),
    ) -> Result<Self, SessionError> {
        let block = session.block(Component::Resource, type_name)?;
        let schema = session.resource_schema(type_name, block);
        let known = known_object(prior, address, None, type_name, &schema, session).await?;
        let known = refreshed(session, type_name, block, known).await?;
        Ok(Self::new(schema, known, session.hidden))
    }

    /// The object as JSON without what is sensitive.
    ///
    /// # Errors
    ///
    /// JSON has no form for it.
    pub fn redacted(&self, hidden: &Hidden<'_>) -> Result<Box<RawValue>, SessionError> {
        redacted(&self.known.object, &self.schema.block, hidden)
    }

    /// Puts the object into a state file.
    ///
    /// # Errors
    ///
    /// The file does not have it.
    pub fn save(
        &self,
        (out, address): (StateOut, &objchange::address::InstanceAddress),
        provider: String,
    ) -> Noted<Result<(), NotSaved>> {
        let (schema, current) = (&self.schema, &self.known);
        out.save(&StateEdit { address, provider, schema, current, deposed: None })
    }
}

/// The object as the provider finds it now.
///
/// # Errors
///
/// The provider refuses it.
pub async fn refreshed(
    session: &Session<'_>,
    name: &str,
    block: &Block,
    known: InstanceObject,
) -> Result<InstanceObject, SessionError> {
    let (object, marks) = known.object.unmark_deep_with_paths();
    let request = ReadResource {
        type_name: name.into(),
        state: object,
        private: known.private.clone(),
        identity: known.identity.clone(),
        deferral_allowed: false,
    };
    let answer = session.ask().read(&request).await?;
    session.warnings_or_errors(&answer.diagnostics)?;
    let object = answer.object.unwrap_or_else(|| Value::null(block.implied_type().clone()));
    let object = object.mark_where_present(&marks);
    session.hide(block, &object);
    let identity = answer.identity.or(known.identity);
    Ok(InstanceObject { object, tainted: known.tainted, private: answer.private, identity })
}

/// Reads a data source. The object has what it was configured with as secret as that was.
///
/// # Errors
///
/// The provider refuses the configuration.
pub async fn read_data(
    session: &Session<'_>,
    name: &str,
    config: &Source,
) -> Result<FoundObject, SessionError> {
    let block = session.block(Component::DataSource, name)?;
    let config = session.read(config, block)?;
    session.hide(block, &config);
    let (config, marks) = config.unmark_deep_with_paths();
    session.warnings_or_errors(&session.ask().validate(Component::DataSource, name, &config).await?)?;
    let answer = session.ask().read_data(name, &config).await?;
    session.warnings_or_errors(&answer.diagnostics)?;
    let found = answer.object.unwrap_or_else(|| Value::null(block.implied_type().clone()));
    let object = found.mark_where_present(&marks);
    let problems = problems(block, &object, false, session.hidden);
    let known = InstanceObject { object, ..InstanceObject::none(block) };
    Ok(FoundObject { schema: Schema::new(0, block.clone()), known, problems })
}

/// Imports an object by its ID, or by its identity as JSON or in a file, and reads it.
///
/// # Errors
///
/// There is no such object, the provider refuses it, or it breaks its contract.
pub async fn import_object(
    session: &Session<'_>,
    name: &str,
    (id, identity): (Option<&str>, Option<&str>),
) -> Result<FoundObject, SessionError> {
    let block = session.block(Component::Resource, name)?;
    let target = match (id, identity) {
        (Some(id), _) => ImportTarget::Id(id.to_owned()),
        (None, given) => {
            let schema = session.schemas.identities.get(name);
            let schema = schema.ok_or_else(|| {
                SessionError::request(format!("{name} has no identity; import it by its ID"))
            })?;
            let given = given.unwrap_or_default();
            let identity = match given.trim_start().starts_with('{') {
                true => super::object(given, &schema.block, "the identity")?,
                false => session.read(&Source::new(given.as_ref()), &schema.block)?,
            };
            ImportTarget::Identity(identity)
        }
    };
    let request = ImportResource { type_name: name.into(), target, deferral_allowed: false };
    let answer = session.ask().import(&request).await?;
    session.warnings_or_errors(&answer.diagnostics)?;
    let broken = |said: String| SessionError::Broken(vec![session.hidden.relay(&said)]);
    let [imported] = &answer.resources[..] else {
        let count = answer.resources.len();
        return Err(broken(format!("the provider imports {count} objects, and Terraform wants one")));
    };
    if imported.type_name != name {
        return Err(broken(format!("the provider imports an object of type {}", imported.type_name)));
    }
    let Some(found) = imported.object.as_ref().filter(|object| !object.is_null()) else {
        return Err(broken("the provider imports no object".into()));
    };
    // Reading replaces the imported object, and would hide what was wrong with it.
    let before = problems(block, found, false, session.hidden);
    session.hide(block, found);
    let (private, identity) = (imported.private.clone(), imported.identity.clone());
    let known = InstanceObject { object: found.clone(), tainted: false, private, identity };
    let known = refreshed(session, name, block, known).await?;
    if known.object.is_null() {
        return Err(broken("there is no such object: what was imported cannot be read".into()));
    }
    let mut found = FoundObject::new(session.resource_schema(name, block), known, session.hidden);
    found.problems.splice(..0, before);
    Ok(found)
}

/// The reasons why an object cannot be kept; at most a readable number.
fn problems(block: &Block, object: &Value, may_be_null: bool, hidden: &Hidden<'_>) -> Vec<String> {
    let mut wrong = Vec::new();
    if object.is_null() && !may_be_null {
        wrong.push("the provider answers with no object".to_owned());
    }
    for path in block.write_only_paths(object) {
        if object.at(&path).is_some_and(|value| !value.is_null()) {
            wrong.push(format!("{path}: a write-only attribute must be null"));
        }
    }
    block.mark_hidden(object).visit(|path, part| {
        if !part.is_known() {
            wrong.push(format!("{}: all values must be known here", path.to_path()));
        }
        // Keys in a part that is marked may be secret, so no path leads into it.
        if part.is_wholly_known() || part.is_marked() { Descend::Over } else { Descend::Into }
    });
    let shown = wrong.iter().take(MAX_TEXTS).map(|problem| hidden.relay(problem));
    shown.chain(left_out(wrong.len(), MAX_TEXTS, "problems")).collect()
}
