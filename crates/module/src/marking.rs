//! Marks the sensitive parts of objects in states and plans.

use std::collections::HashMap;

use objchange::Value;
use objchange::schema::Block;
use objchange::value::{Marks, Path};

/// Marks each attribute that the schema calls sensitive. A write-only attribute that is null keeps only its own marks,
/// because states and plans never hold its value.
pub(crate) fn mark_kept(schema: &Block, value: &Value) -> Value {
    let marked = schema.mark_hidden(value);
    let write_only = schema.write_only_paths(value);
    if write_only.is_empty() {
        return marked;
    }
    let (_, marks) = value.unmark_deep_with_paths();
    let marks: HashMap<Path, Marks> = marks.into_iter().collect();
    let sensitive = schema.sensitive_paths(value);
    let is_plain = |path: &Path| !sensitive.iter().any(|outer| path.starts_with(outer));
    let plain: Vec<Path> = write_only.into_iter().filter(is_plain).collect();
    let restored = marked.transform(|path, part| {
        Ok::<_, std::convert::Infallible>(match part.is_null() && plain.contains(&path.to_path()) {
            true => {
                let own = marks.get(&path.to_path()).copied().unwrap_or(Marks::NONE);
                Value::null(part.ty().clone()).with_marks(own)
            }
            false => part,
        })
    });
    let Ok(restored) = restored;
    restored
}
