//! Putting an object into the text of a state file, whose other content stays as it is written.

use objchange::address::{InstanceAddress, ResourceAddress};
use objchange::schema::Schema;
use objchange_text::json::indented;
use serde_json::value::{RawValue, to_raw_value};

use super::instance::{self, Role, lineage};
use super::members::Members;
use super::{InstanceObject, StateEditError, index_key};

/// The version that new state files are said to be of.
const TERRAFORM_VERSION: &str = "1.11.0";

/// The new state of an instance, as values of the engine.
#[derive(Debug)]
pub struct StateEdit<'a> {
    /// Its address.
    pub address: &'a InstanceAddress,
    /// The full address of the provider.
    pub provider: String,
    /// The schema of its objects.
    pub schema: &'a Schema,
    /// The object; null if it was destroyed.
    pub current: &'a InstanceObject,
    /// The old object, if a new one has its place and it could not be destroyed.
    pub deposed: Option<&'a InstanceObject>,
}

impl StateEdit<'_> {
    /// The text of the state file with this change, or of a new one; none if nothing in it is another. All other content
    /// stays as it is written.
    ///
    /// # Errors
    ///
    /// The text is not a state file, or the object cannot be in one.
    pub fn apply(&self, old: Option<&str>) -> Result<Option<String>, StateEditError> {
        let key = self.address.key.as_ref().map(index_key);
        let members = |known: &InstanceObject, role| {
            let is_there = !known.object.is_null();
            is_there.then(|| instance::members(known, self.schema, key.as_ref(), role)).transpose()
        };
        let change = Change {
            address: self.address.clone(),
            provider: self.provider.clone(),
            current: members(self.current, Role::Current)?,
            deposed: self.deposed.map_or(Ok(None), |known| members(known, Role::Deposed))?,
        };
        Ok(merged(old, &change)?)
    }
}

/// The new content of an instance, in the form of a state file.
pub(super) struct Change {
    pub(super) address: InstanceAddress,
    /// The full address of the provider.
    pub(super) provider: String,
    /// The object, if there is one now.
    pub(super) current: Option<Members>,
    /// An object that is still to be destroyed.
    pub(super) deposed: Option<Members>,
}

/// The state file with this change, or a new one. `None` if nothing in it is another.
pub(super) fn merged(old: Option<&str>, change: &Change) -> serde_json::Result<Option<String>> {
    let mut file: Members = match old {
        Some(text) => serde_json::from_str(text)?,
        None => {
            let mut file = Members::default();
            file.set("version", &4)?;
            file.set("terraform_version", TERRAFORM_VERSION)?;
            file.set("serial", &0)?;
            file.set("lineage", &lineage())?;
            file.set("outputs", &Members::default())?;
            file
        }
    };
    let before: Vec<Box<RawValue>> = file.list("resources")?;
    let mut after = before.clone();
    put(&mut after, change)?;
    let is_same = before.iter().map(|raw| raw.get()).eq(after.iter().map(|raw| raw.get()));
    if old.is_some() && is_same {
        return Ok(None);
    }
    let serial: u64 =
        file.get("serial").map(|raw| serde_json::from_str(raw.get())).transpose()?.unwrap_or_default();
    // Terraform tells states of one lineage apart by their serial, and takes the higher one for the newer one.
    file.set("serial", &serial.saturating_add(1))?;
    if file.text("lineage").is_empty() {
        file.set("lineage", &lineage())?;
    }
    file.set("resources", &after)?;
    if old.is_none() {
        file.set("check_results", &())?;
    }
    // As Terraform writes state files.
    Ok(Some(indented(&serde_json::to_string(&file)?, "\n") + "\n"))
}

/// Whether a state file has an object at an address.
///
/// # Errors
///
/// The text is not a state file.
pub fn has_object(text: &str, address: &InstanceAddress) -> serde_json::Result<bool> {
    let file: Members = serde_json::from_str(text)?;
    for resource in file.list::<Members>("resources")?.iter().filter(|resource| is_at(resource, address)) {
        if resource.list::<Members>("instances")?.iter().any(|instance| is_current(instance, address)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn put(resources: &mut Vec<Box<RawValue>>, change: &Change) -> serde_json::Result<()> {
    let mut place = None;
    for (i, raw) in resources.iter().enumerate() {
        let resource: Members = serde_json::from_str(raw.get())?;
        if is_at(&resource, &change.address) {
            place = Some((i, resource));
            break;
        }
    }
    let is_new = place.is_none();
    let (i, mut resource) = match place {
        Some(place) => place,
        None => (resources.len(), new_resource(change)?),
    };
    let before: Vec<Box<RawValue>> = resource.list("instances")?;
    let mut after = Vec::with_capacity(before.len() + 1);
    let mut at = None;
    for raw in &before {
        let instance: Members = serde_json::from_str(raw.get())?;
        if is_current(&instance, &change.address) {
            at = Some(after.len());
            if let Some(current) = &change.current {
                let new = to_raw_value(&updated(&instance, current))?;
                // Other white space makes no other instance.
                let is_same = indented(new.get(), "\n") == indented(raw.get(), "\n");
                after.push(if is_same { raw.clone() } else { new });
            }
        } else {
            after.push(raw.clone());
        }
    }
    if let (None, Some(current)) = (at, &change.current) {
        at = Some(after.len());
        after.push(to_raw_value(current)?);
    }
    if let Some(deposed) = &change.deposed {
        let at = at.map_or(after.len(), |at| at + usize::from(change.current.is_some()));
        after.insert(at, to_raw_value(deposed)?);
    }
    let is_same = before.iter().map(|raw| raw.get()).eq(after.iter().map(|raw| raw.get()));
    if is_same {
        return Ok(());
    }
    if after.is_empty() {
        resources.remove(i);
        return Ok(());
    }
    resource.set("instances", &after)?;
    let resource = to_raw_value(&resource)?;
    if is_new {
        resources.push(resource);
    } else {
        resources[i] = resource;
    }
    Ok(())
}

fn new_resource(change: &Change) -> serde_json::Result<Members> {
    let ResourceAddress { module, resource_type, name, .. } = &change.address.resource;
    let mut resource = Members::default();
    if !module.is_root() {
        resource.set("module", &module.to_string())?;
    }
    resource.set("mode", "managed")?;
    resource.set("type", resource_type)?;
    resource.set("name", name)?;
    resource.set("provider", &format!("provider[\"{}\"]", change.provider))?;
    Ok(resource)
}

fn is_at(resource: &Members, address: &InstanceAddress) -> bool {
    resource.text("mode") == "managed"
        && resource.text("type") == address.resource.resource_type
        && resource.text("name") == address.resource.name
        && resource.text("module").parse().as_ref() == Ok(&address.resource.module)
}

fn is_current(instance: &Members, address: &InstanceAddress) -> bool {
    let key = instance.get("index_key").and_then(|raw| serde_json::from_str(raw.get()).ok());
    let key = key.filter(|key: &serde_json::Value| !key.is_null());
    key == address.key.as_ref().map(index_key) && instance.text("deposed").is_empty()
}

/// Replaces the object of an instance; members that do not belong to the object are kept.
fn updated(old: &Members, new: &Members) -> Members {
    const OF_THE_OBJECT: [&str; 10] = [
        "index_key",
        "status",
        "deposed",
        "schema_version",
        "attributes",
        "attributes_flat",
        "sensitive_attributes",
        "identity_schema_version",
        "identity",
        "private",
    ];
    let kept = old.0.iter().filter(|(name, _)| !OF_THE_OBJECT.contains(&name.as_str()));
    Members(new.0.iter().chain(kept).cloned().collect())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn address(key: Option<Value>) -> InstanceAddress {
        let key = key.map(|key| format!("[{key}]")).unwrap_or_default();
        format!("disk.a{key}").parse().unwrap()
    }

    fn members(json: &Value) -> Members {
        serde_json::from_str(&json.to_string()).unwrap()
    }

    fn change(key: Option<Value>, current: Option<&Value>) -> Change {
        let current = current.map(members);
        Change { address: address(key), provider: "x/y/z".into(), current, deposed: None }
    }

    /// Unsorted keys, a number beyond double precision, unknown members.
    const OLD: &str = r#"{"version":4,"serial":7,"extra":{"b":1,"a":0.10000000000000000000000001},"lineage":"l",
        "outputs":{"o":{"value":18446744073709551616,"type":"number"}},"resources":[
        {"mode":"data","type":"disk","name":"a","provider":"p","instances":[{"attributes":{}}]},
        {"mode":"managed","type":"disk","name":"a","provider":"p.alias","each":"list","instances":[
            {"index_key":0,"attributes":{"size":1},"dependencies":["x.y"],"status":"tainted"},
            {"index_key":0,"deposed":"0a","attributes":{"size":9}},
            {"index_key":1,"attributes":{"size":2e400}}]}],"check_results":null}"#;

    #[test]
    fn all_else_in_a_state_is_kept() {
        let new = json!({"index_key": 0, "schema_version": 0, "attributes": {"size": 3}});
        let text = merged(Some(OLD), &change(Some(json!(0)), Some(&new))).unwrap().unwrap();
        for kept in ["0.10000000000000000000000001", "18446744073709551616", "2e400", "\"p.alias\"", "\"0a\""]
        {
            assert!(text.contains(kept), "{kept}: {text}");
        }
        assert!(
            text.starts_with("{\n  \"version\": 4,\n  \"serial\": 8,\n  \"extra\": {\n    \"b\": 1,"),
            "{text}"
        );
        assert!(
            text.contains("\"lineage\": \"l\"") && text.ends_with("\"check_results\": null\n}\n"),
            "{text}"
        );
        let file: Members = serde_json::from_str(&text).unwrap();
        let resources: Vec<Members> = file.list("resources").unwrap();
        let instances: Vec<Box<RawValue>> = resources[1].list("instances").unwrap();
        assert_eq!((resources.len(), instances.len()), (2, 3));
        let changed: Value = serde_json::from_str(instances[0].get()).unwrap();
        let wanted =
            json!({"index_key": 0, "schema_version": 0, "attributes": {"size": 3}, "dependencies": ["x.y"]});
        assert_eq!(changed, wanted);
    }

    #[test]
    fn objects_come_and_go() {
        assert!(has_object(OLD, &address(Some(json!(1)))).unwrap());
        assert!(!has_object(OLD, &address(None)).unwrap());
        let without = merged(Some(OLD), &change(Some(json!(1)), None)).unwrap().unwrap();
        assert!(!has_object(&without, &address(Some(json!(1)))).unwrap());
        assert!(has_object(&without, &address(Some(json!(0)))).unwrap());
        // Removing a missing object changes nothing.
        assert!(merged(Some(OLD), &change(Some(json!("x")), None)).unwrap().is_none());
        let new = merged(None, &change(None, Some(&json!({"attributes": {}})))).unwrap().unwrap();
        assert!(has_object(&new, &address(None)).unwrap() && new.contains("\"serial\": 1"), "{new}");
        let gone = merged(Some(&new), &change(None, None)).unwrap().unwrap();
        assert!(gone.contains("\"resources\": []"), "{gone}");
        let mut deposed = change(None, Some(&json!({"attributes": {"id": 2}})));
        deposed.deposed = Some(members(&json!({"deposed": "0b", "attributes": {"id": 1}})));
        let both = merged(Some(&new), &deposed).unwrap().unwrap();
        let again = merged(Some(&both), &change(None, None)).unwrap().unwrap();
        assert!(again.contains("\"0b\"") && !has_object(&again, &address(None)).unwrap(), "{again}");
    }
}
