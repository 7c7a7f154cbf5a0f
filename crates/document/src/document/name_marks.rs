//! Marks of values whose names are masked.

use objchange_text::json::{Node, NodeKind};
use serde_json::{Map, Value as Json, json};

use super::nodes::text_of;
use crate::mask::MaskedNames;

/// The marks of a value by the names in it, or null where nothing is to be hidden.
pub(super) fn name_marks(names: &MaskedNames, value: &Node<'_>) -> Json {
    if names.is_empty() {
        return Json::Null;
    }
    match &value.kind {
        NodeKind::Object(members) => {
            let mut marks = Map::new();
            for member in members.iter() {
                let mark = match names.hides_member(&member.name, |name| text_of(value, name)) {
                    true => Json::Bool(true),
                    false => name_marks(names, &member.value),
                };
                if !mark.is_null() {
                    marks.insert(member.name.to_string(), mark);
                }
            }
            if marks.is_empty() { Json::Null } else { marks.into() }
        }
        NodeKind::Array(elements) => {
            let marks: Vec<Json> = elements.iter().map(|element| name_marks(names, element)).collect();
            if marks.iter().all(Json::is_null) {
                return Json::Null;
            }
            marks.into_iter().map(|mark| if mark.is_null() { Json::Bool(false) } else { mark }).collect()
        }
        NodeKind::String(text) if names.is_in_text(text) => Json::Bool(true),
        _ => Json::Null,
    }
}

/// Whether anything in a value is to be hidden.
pub(super) fn any_mark(names: &MaskedNames, value: &Node<'_>) -> bool {
    !name_marks(names, value).is_null()
}

/// The paths to what is marked, as state files have them.
pub(super) fn paths_of(marks: &Json) -> Vec<Json> {
    fn add(marks: &Json, steps: &[Json], paths: &mut Vec<Json>) {
        let next = |step: Json| steps.iter().cloned().chain([step]).collect::<Vec<_>>();
        match marks {
            Json::Bool(true) => paths.push(steps.into()),
            Json::Object(members) => members.iter().for_each(|(name, marks)| {
                add(marks, &next(json!({"type": "get_attr", "value": name})), paths);
            }),
            Json::Array(elements) => elements.iter().enumerate().for_each(|(position, marks)| {
                let key = json!({"value": position, "type": "number"});
                add(marks, &next(json!({"type": "index", "value": key})), paths);
            }),
            _ => {}
        }
    }
    let mut paths = Vec::new();
    add(marks, &[], &mut paths);
    paths
}
