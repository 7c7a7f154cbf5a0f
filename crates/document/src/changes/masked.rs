//! Changes whose values of some names are hidden.

use std::sync::Arc;

use objchange::Value;
use objchange::schema::Block;
use objchange::value::{Kind, Marks, Path};

use super::{
    ActionInvocation, ChangeSet, ChangeValues, ChangedResource, InvokedConfig, OutputChange, PackedValues,
    PlannedValues, UnpackError,
};
use crate::mask::MaskedNames;

impl ChangeSet<'_> {
    /// The changes with marks at the values of these names, where they were planned or are packed. Values of a document have
    /// their marks there: [`PlanFile::with_masked_names`](crate::PlanFile::with_masked_names) adds them.
    #[must_use]
    pub fn masked(mut self, names: &MaskedNames) -> Self {
        if names.is_empty() {
            return self;
        }
        self.mask_identities(names);
        self.all_resources_mut().for_each(|resource| mask_resource(resource, names));
        let deferred = self.deferred_invocations.iter_mut().map(|deferred| &mut deferred.invocation);
        for ActionInvocation { config, .. } in self.invocations.iter_mut().chain(deferred) {
            if let InvokedConfig::Planned(values) = config {
                **values = values.masked(names);
            }
        }
        for OutputChange { name, change } in &mut self.outputs {
            if let ChangeValues::Planned(values) = &mut change.values {
                **values = if names.matches(name) { values.hidden() } else { values.masked_whole(names) };
            }
        }
        self
    }

    /// Hides the values of these names in identities, which have no marks anywhere.
    pub(crate) fn mask_identities(&mut self, names: &MaskedNames) {
        for ChangedResource { change, .. } in self.all_resources_mut() {
            change.masked_names = names.clone();
            change.importing.iter_mut().for_each(|import| import.mask(names));
        }
    }
}

fn mask_resource<'t>(resource: &mut ChangedResource<'t>, names: &MaskedNames) {
    match &mut resource.change.values {
        ChangeValues::Written(_) => {}
        ChangeValues::Planned(values) => **values = values.masked(names),
        ChangeValues::Packed { plain, values } => {
            // They are printed as they are packed, without a look at names.
            *plain = None;
            let packed: Arc<dyn PackedValues + 't> = Arc::clone(values);
            *values = Arc::new(MaskedPacked { packed, names: names.clone() });
        }
    }
}

/// Packed values that are masked once they are decoded.
struct MaskedPacked<'t> {
    packed: Arc<dyn PackedValues + 't>,
    names: MaskedNames,
}

impl PackedValues for MaskedPacked<'_> {
    fn schema(&self) -> Option<&Block> {
        self.packed.schema()
    }

    fn replaced_paths(&self) -> &[Path] {
        self.packed.replaced_paths()
    }

    fn unpack(&self) -> Result<PlannedValues, UnpackError> {
        Ok(self.packed.unpack()?.masked(&self.names))
    }
}

impl PlannedValues {
    /// Both sides with marks where either has a value of these names: a mark on one side alone would say that the value is no longer
    /// sensitive.
    fn masked(&self, names: &MaskedNames) -> Self {
        let marks: Vec<(Path, Marks)> =
            self.named(names).into_iter().map(|path| (path, Marks::SENSITIVE)).collect();
        self.map(|side| side.mark_where_present(&marks))
    }

    /// Both sides hidden as a whole, if anything in them has one of these names.
    fn masked_whole(&self, names: &MaskedNames) -> Self {
        if self.named(names).is_empty() { self.clone() } else { self.hidden() }
    }

    /// The paths on either side that lead to values of these names.
    fn named(&self, names: &MaskedNames) -> Vec<Path> {
        let mut paths = Vec::new();
        for side in [self.before(), self.after()] {
            add_named(names, side, &Path::root(), &mut paths);
        }
        paths
    }

    fn hidden(&self) -> Self {
        self.map(|side| side.clone().sensitive())
    }
}

/// Adds the paths of the parts that are to be hidden by their names. Configuration and documents bound how deep values nest.
fn add_named(names: &MaskedNames, value: &Value, path: &Path, found: &mut Vec<Path>) {
    match value.kind() {
        Kind::Object(object) => {
            for (name, member) in object.iter() {
                let path = path.clone().attribute(name.clone());
                match names.hides_member(name, |other| object.get(other)?.as_str()) {
                    true => found.push(path),
                    false => add_named(names, member, &path, found),
                }
            }
        }
        Kind::Map(map) => {
            for (key, element) in map.iter() {
                let path = path.clone().index(key.as_str());
                match names.hides_member(key, |other| map.get(other)?.as_str()) {
                    true => found.push(path),
                    false => add_named(names, element, &path, found),
                }
            }
        }
        Kind::List(elements) | Kind::Tuple(elements) => {
            for (position, element) in elements.iter().enumerate() {
                add_named(names, element, &path.clone().index(position), found);
            }
        }
        // A mark inside of an element is the set's.
        Kind::Set(elements) => {
            let before = found.len();
            elements.iter().for_each(|element| add_named(names, element, path, found));
            if found.len() > before {
                found.truncate(before);
                found.push(path.clone());
            }
        }
        Kind::String(text) if names.is_in_text(text) => found.push(path.clone()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use objchange::Type;

    use super::*;

    #[test]
    fn both_sides_are_hidden_where_either_has_the_name() {
        let names = MaskedNames::new(["*password*".parse().unwrap()]);
        let pair = |name: &str| Value::object([("name", name), ("value", "x")]);
        let read = |json: &str, ty: Type| Value::from_json(json, &ty).unwrap();
        let side = |secret: &str| {
            let env = read(&format!("{{\"DB_PASSWORD\":\"{secret}\"}}"), Type::map(Type::String));
            Value::object([
                ("env", env),
                ("list", Value::tuple([pair("port"), pair("db.password")])),
                ("text", Value::from("user: a\npassword: b\n")),
                ("user", Value::from("b")),
            ])
        };
        let values = PlannedValues::new(None, &side("x"), &side("y"), Vec::new()).masked(&names);
        for value in [values.before(), values.after()] {
            assert_eq!(
                value.to_string(),
                "{env = {\"DB_PASSWORD\" = (sensitive value)}, list = [{name = \"port\", value = \"x\"}, {name = \"db.password\", \
                 value = (sensitive value)}], text = (sensitive value), user = \"b\"}"
            );
        }
        let set = read(r#"["password=x","a"]"#, Type::set(Type::String));
        assert_eq!(
            PlannedValues::new(None, &set, &set, Vec::new()).masked(&names).after().to_string(),
            "(sensitive value)"
        );
    }
}
