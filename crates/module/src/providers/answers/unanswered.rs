//! Collects questions without an answer, and writes the template for answers.

use std::collections::{BTreeMap, BTreeSet};

use objchange::Value;
use objchange::schema::Block;
use serde_json::{Map, Value as Json, json};
use smol_str::SmolStr;

/// Questions to providers that have no answer.
#[derive(Debug, Clone, Default)]
pub struct Unanswered {
    /// The attributes of data sources, by address.
    pub data: BTreeMap<String, BTreeSet<SmolStr>>,
    /// The attributes of objects to import, by address.
    pub imports: BTreeMap<String, BTreeSet<SmolStr>>,
    /// The computed attributes of resources, by type.
    pub resources: BTreeMap<String, BTreeSet<SmolStr>>,
}

impl Unanswered {
    pub(super) fn data(&mut self, address: &str, schema: &Block, config: &Value) {
        let open = schema.attributes().iter().filter(|(name, attribute)| {
            attribute.computed && config.attribute(name).is_none_or(Value::is_null)
        });
        self.data.entry(address.to_owned()).or_default().extend(open.map(|(name, _)| name.clone()));
    }

    pub(super) fn import(&mut self, address: &str, schema: &Block) {
        let names = schema.attributes().iter().filter(|(_, attribute)| !attribute.write_only);
        self.imports.entry(address.to_owned()).or_default().extend(names.map(|(name, _)| name.clone()));
    }

    pub(super) fn resource(&mut self, resource_type: &str, schema: &Block, config: &Value, planned: &Value) {
        let is_open = |name: &str| planned.attribute(name).is_some_and(|value| !value.is_known());
        let open: Vec<SmolStr> = schema
            .attributes()
            .iter()
            .filter(|(name, attribute)| {
                attribute.computed && is_open(name) && config.attribute(name).is_none_or(Value::is_null)
            })
            .map(|(name, _)| name.clone())
            .collect();
        if !open.is_empty() {
            self.resources.entry(resource_type.to_owned()).or_default().extend(open);
        }
    }

    /// The missing answers as JSON for [`Answers::parse`](super::Answers::parse): each attribute is `{"$unknown": {}}`,
    /// to be replaced by people who know it. Unedited, it answers nothing.
    pub fn template(&self) -> String {
        let section = |all: &BTreeMap<String, BTreeSet<SmolStr>>| -> Map<String, Json> {
            let object = |names: &BTreeSet<SmolStr>| -> Map<String, Json> {
                names.iter().map(|name| (name.to_string(), json!({"$unknown": {}}))).collect()
            };
            all.iter().map(|(key, names)| (key.clone(), Json::Object(object(names)))).collect()
        };
        let mut sections = Map::new();
        for (name, all) in [("data", &self.data), ("imports", &self.imports), ("resources", &self.resources)]
        {
            if !all.is_empty() {
                sections.insert(name.to_owned(), Json::Object(section(all)));
            }
        }
        format!("{:#}\n", Json::Object(sections))
    }
}
