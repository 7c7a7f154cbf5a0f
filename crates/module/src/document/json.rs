//! Writing JSON from its beginning to its end, without a tree of it.

use objchange_hcl::Sources;
use objchange_text::json::write_string;

/// A JSON text that grows. Commas are set where they belong.
#[derive(Debug, Default)]
pub(crate) struct JsonWriter {
    out: String,
    /// The version of the language that expressions are written in: `(1, 15)`.
    language: (u32, u32),
    /// The files of the configuration, while that is written.
    sources: Sources,
}

impl JsonWriter {
    /// Writes expressions of this version of the language.
    pub(super) fn of_version(language: (u32, u32)) -> Self {
        Self { language, ..Self::default() }
    }

    pub(super) fn language(&self) -> (u32, u32) {
        self.language
    }

    /// Writes expressions of these files.
    pub(super) fn set_sources(&mut self, sources: &Sources) {
        self.sources = sources.clone();
    }

    pub(super) fn sources(&self) -> &Sources {
        &self.sources
    }

    pub(crate) fn into_string(self) -> String {
        self.out
    }

    /// Begins an element, or a value behind its name.
    pub(super) fn value(&mut self) -> &mut String {
        if !matches!(self.out.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.out.push(',');
        }
        &mut self.out
    }

    pub(super) fn string(&mut self, text: &str) {
        write_string(text, self.value());
    }

    pub(super) fn bool(&mut self, value: bool) {
        self.value().push_str(if value { "true" } else { "false" });
    }

    /// Something that is written as it is printed: a number.
    pub(super) fn plain(&mut self, value: impl std::fmt::Display) {
        use std::fmt::Write;
        // Writing to a string does not fail.
        let _ = write!(self.value(), "{value}");
    }

    pub(super) fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.value().push('{');
        members(self);
        self.out.push('}');
    }

    pub(super) fn array(&mut self, elements: impl FnOnce(&mut Self)) {
        self.value().push('[');
        elements(self);
        self.out.push(']');
    }

    /// A member; `write` writes its value.
    pub(super) fn member(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        write_string(name, self.value());
        self.out.push(':');
        write(self);
    }

    /// A member that is left out if its value is an empty object or array.
    pub(super) fn member_unless_empty(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        let start = self.out.len();
        write_string(name, self.value());
        self.out.push(':');
        let value = self.out.len();
        write(self);
        if matches!(&self.out[value..], "{}" | "[]") {
            self.out.truncate(start);
        }
    }

    pub(super) fn string_member(&mut self, name: &str, text: &str) {
        self.member(name, |json| json.string(text));
    }

    /// A member that is left out if there is no text, or an empty one.
    pub(super) fn optional_member(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.string_member(name, text);
        }
    }

    pub(super) fn bool_member(&mut self, name: &str, value: bool) {
        self.member(name, |json| json.bool(value));
    }

    /// A member that is left out if it is false.
    pub(super) fn true_member(&mut self, name: &str, value: bool) {
        if value {
            self.bool_member(name, true);
        }
    }

    /// Writes an array of strings, unless it is empty.
    pub(super) fn strings_member<S: AsRef<str>>(&mut self, name: &str, texts: impl IntoIterator<Item = S>) {
        self.member_unless_empty(name, |json| {
            json.array(|json| texts.into_iter().for_each(|text| json.string(text.as_ref())));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::JsonWriter;

    #[test]
    fn commas_are_set_and_empty_members_left_out() {
        let mut json = JsonWriter::default();
        json.object(|json| {
            json.member_unless_empty("none", |json| json.array(|_| {}));
            json.string_member("a{", "[{");
            json.member_unless_empty("empty", |json| json.object(|_| {}));
            json.member("b", |json| json.array(|json| (0..2).for_each(|i| json.plain(i))));
            json.strings_member("c", ["x:", "<"]);
            json.optional_member("d", None);
            json.true_member("e", true);
        });
        assert_eq!(json.into_string(), r#"{"a{":"[{","b":[0,1],"c":["x:","\u003c"],"e":true}"#);
    }
}
