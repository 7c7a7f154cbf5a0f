//! The document itself, as it is or with what it calls sensitive hidden.

use std::fmt;
use std::sync::{Arc, OnceLock};

use objchange_document::changes::{ChangedResource, DocumentText, OutputChange};
use objchange_document::json::{Json, Raw, Shape, View};
use objchange_document::{ConfigMarks, DocumentError, HiddenNames, Plan, StatedMarks, Text, says_sensitive};
use objchange_text::redact::SENSITIVE;
use serde::ser::{Error, Serialize, SerializeMap, Serializer};

use crate::collection::{
    As, Change, Collected, Collection, Constant, Hidden, HiddenIn, HiddenWith, Marked, Secrets, read,
};

/// The document of a plan. Written exact it is the document with the members of objects in byte order; redacted it has
/// `(sensitive value)` in place of what it calls sensitive, wherever that stands.
pub struct RawPlan<'t> {
    /// The members of the document, by name.
    pub members: Collection<'t, RawMember<'t>>,
    document: DocumentText<'t>,
    marks: ConfigMarks<'t>,
}

/// A member of the document, read when it is first looked into.
#[derive(Debug)]
pub struct RawMember<'t> {
    document: DocumentText<'t>,
    name: Text<'t>,
    part: Raw<'t>,
    read: OnceLock<Result<Json<'t>, DocumentError>>,
}

impl<'t> RawMember<'t> {
    /// The JSON, secrets included.
    ///
    /// # Errors
    ///
    /// It is not JSON.
    pub fn exact(&self) -> Result<View<'_, 't>, DocumentError> {
        let read = self.read.get_or_init(|| read(self.document.0, &self.part, &self.name));
        read.as_ref().map(Json::view).map_err(Clone::clone)
    }
}

impl<'t> RawPlan<'t> {
    /// Finds the members of a plan, and all that its sections call sensitive.
    ///
    /// # Errors
    ///
    /// A section has not the form that it is to have. The error says where.
    pub fn new(plan: &Plan<'t>) -> Result<Self, DocumentError> {
        let document = DocumentText(plan.text());
        let mut members = Collection::default();
        for (name, part) in plan.members() {
            let name = Text::from(name.to_owned());
            let member = RawMember { document, name: name.clone(), part, read: OnceLock::new() };
            members.insert(name, member);
        }
        Ok(Self { members, document, marks: ConfigMarks::new(plan)? })
    }

    /// Replaces the marks of the configuration.
    #[cfg(feature = "sentinel")]
    pub(crate) fn with_marks(self, marks: ConfigMarks<'t>) -> Self {
        Self { marks, ..self }
    }

    /// The sensitive parts of the plan.
    pub(crate) fn marks(&self) -> &ConfigMarks<'t> {
        &self.marks
    }

    /// The text of the document, secrets included.
    pub fn exact(&self) -> &'t str {
        self.document.0
    }

    /// The document with no other member than this one.
    pub fn only<'r>(&'r self, name: &'r str) -> impl Collected + 'r {
        OnlyMembers(self, move |other: &str| other == name)
    }

    /// The change of a resource of this plan, with the marks that any section has for it. It does not know which values
    /// a missing provider leaves unknown: only [`TfPlan`](super::TfPlan) does.
    pub fn change_of(&self, resource: &ChangedResource<'t>) -> Change<'t> {
        let marks = self.stated().of_instance(&resource.address);
        Change::by_itself(self.document.0, &resource.address, &resource.change, marks)
    }

    /// The change of an output of this plan, likewise.
    pub fn change_of_output(&self, output: &OutputChange<'t>) -> Change<'t> {
        Change::by_itself(
            self.document.0,
            &output.name,
            &output.change,
            self.stated().of_output(&output.name),
        )
    }

    /// The marks in the sections of the plan.
    pub(crate) fn stated(&self) -> &StatedMarks<'t> {
        self.marks.stated()
    }

    pub(super) fn is_sensitive_variable(&self, name: &str) -> bool {
        self.marks.is_sensitive_variable(name)
    }
}

impl fmt::Debug for RawPlan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.members.fmt(f)
    }
}

impl Collected for RawPlan<'_> {
    /// One member after the other, so that not all of the document is read at once.
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        OnlyMembers(self, |_: &str| true).write(secrets, serializer)
    }
}

/// The document with those of its members that are wanted.
pub(crate) struct OnlyMembers<'r, 't, W>(pub(crate) &'r RawPlan<'t>, pub(crate) W);

impl<W: Fn(&str) -> bool> Collected for OnlyMembers<'_, '_, W> {
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(raw, wanted) = self;
        let mut written = serializer.serialize_map(None)?;
        for (name, member) in raw.members.iter().filter(|(name, _)| wanted(name)) {
            // `RawMember::exact` would keep what it reads. Here a section is dropped as soon as it is written.
            let json = read(raw.document.0, &member.part, name).map_err(S::Error::custom)?;
            let (view, place) = (json.view(), DocumentPart::of_member(name));
            match secrets {
                Secrets::Shown => written.serialize_entry(name, &As(&view, secrets))?,
                Secrets::Hidden => written.serialize_entry(name, &Walk { view, place, marks: &raw.marks })?,
            }
        }
        written.end()
    }
}

/// A part of the document, and what it is.
struct Walk<'v, 't> {
    view: View<'v, 't>,
    place: DocumentPart,
    marks: &'v ConfigMarks<'t>,
}

/// The kind of a part of the document, as far as it tells where the sensitive marks are.
#[derive(Clone)]
enum DocumentPart {
    /// Has its marks beside the value: changes, resources and outputs of states.
    Stated,
    /// The change of an instance with this address.
    Change(String),
    /// The ID or identity of an import.
    Importing,
    /// Outputs of the root module, or their changes.
    Outputs,
    Output(String),
    /// The variables of the root module, as they are set.
    Values,
    Value {
        sensitive: bool,
    },
    /// Attributes with their resources.
    Relevant,
    Configuration,
    Providers,
    Provider,
    /// A module of the configuration, with its address.
    Module(String),
    /// The resources of a module with this address, or one of them.
    Resources(String),
    Calls(String),
    Call(String),
    /// The variables or outputs of a module.
    Declarations,
    Declaration,
}

/// How a member of an object is written.
enum Member<'v, 't> {
    At(DocumentPart),
    Marked(Marked<'v, 't>, Hidden),
    Expressions(Option<Arc<HiddenNames>>),
    /// A value without marks of its own.
    Unmarked(Option<Arc<HiddenNames>>),
    /// Paths, and what they lead to that is sensitive.
    Paths(Option<Arc<HiddenNames>>),
}

impl DocumentPart {
    fn of_member(name: &str) -> Self {
        match name {
            "variables" => Self::Values,
            "configuration" => Self::Configuration,
            "relevant_attributes" => Self::Relevant,
            "output_changes" => Self::Outputs,
            _ => Self::Stated,
        }
    }

    /// The part that a member of an object at this place is.
    fn member<'v, 't>(
        &self,
        object: View<'v, 't>,
        key: &str,
        member: View<'v, 't>,
        marks: &'v ConfigMarks<'t>,
    ) -> Member<'v, 't> {
        let text = |name: &str| object.get(name).and_then(View::as_str).unwrap_or_default();
        let joined = |module: &str, name: &str| match module {
            "" => name.to_owned(),
            _ => format!("{module}.{name}"),
        };
        let all = |is_sensitive: bool| [member.bool(is_sensitive && !member.is_null()); 2];
        Member::At(match (self, key) {
            (Self::Stated, "change") => Self::Change(text("address").to_owned()),
            (Self::Stated, "outputs") => Self::Outputs,
            (Self::Stated, "values") => {
                return stated(object, key, member, marks.stated().view(text("address")));
            }
            (Self::Stated | Self::Importing, "identity")
            | (Self::Change(_), "before_identity" | "after_identity") => {
                return Member::Unmarked(marks.masking(None, Some(member)));
            }
            (Self::Stated, _) => return stated(object, key, member, None),
            (Self::Change(_), "importing") => Self::Importing,
            (Self::Change(address), _) => {
                return stated(object, key, member, marks.stated().view(address));
            }
            (Self::Outputs, _) => Self::Output(key.to_owned()),
            (Self::Output(name), _) => {
                return stated(object, key, member, marks.stated().output_view(name));
            }
            (Self::Values, _) => Self::Value { sensitive: marks.is_sensitive_variable(key) },
            (Self::Value { sensitive }, "value") => {
                return Member::Marked(Marked::known(member, all(*sensitive)), Hidden::Text);
            }
            (Self::Relevant, "attribute") => return Member::Paths(marks.of_instance(text("resource"))),
            (Self::Configuration, "provider_config") => Self::Providers,
            (Self::Providers, _) => Self::Provider,
            (Self::Provider, "expressions") => {
                return Member::Expressions(
                    marks.masking(marks.of_provider(text("full_name")), Some(member)),
                );
            }
            (Self::Configuration, "root_module") => Self::Module(String::new()),
            (Self::Module(module), "resources") => Self::Resources(module.clone()),
            (Self::Module(_), "variables" | "outputs") => Self::Declarations,
            (Self::Module(module), "module_calls") => Self::Calls(module.clone()),
            (Self::Resources(module), "expressions") => {
                let hidden = marks.of_resource(&joined(module, text("address")));
                return Member::Expressions(marks.masking(hidden, Some(member)));
            }
            (Self::Declarations, _) => Self::Declaration,
            (Self::Declaration, "default") => {
                return Member::Marked(Marked::known(member, all(says_sensitive(object))), Hidden::Text);
            }
            (Self::Declaration, "expression") => {
                let hidden = says_sensitive(object).then(|| Arc::new(HiddenNames::everything()));
                return Member::Expressions(marks.masking(hidden, Some(member)));
            }
            (Self::Calls(module), _) => Self::Call(joined(module, &format!("module.{key}"))),
            (Self::Call(_), "expressions") => {
                return Member::Expressions(marks.masking(HiddenNames::of_arguments(object), Some(member)));
            }
            (
                Self::Resources(_) | Self::Call(_),
                "provisioners" | "count_expression" | "for_each_expression",
            ) => return Member::Expressions(marks.masking(None, Some(member))),
            (Self::Call(called), "module") => Self::Module(called.clone()),
            _ => return Member::Marked(Marked::known(member, all(false)), Hidden::Text),
        })
    }
}

/// A member of an object that may have marks beside the value; `elsewhere` has the marks of other sections.
fn stated<'v, 't>(
    object: View<'v, 't>,
    key: &str,
    member: View<'v, 't>,
    elsewhere: Option<View<'v, 't>>,
) -> Member<'v, 't> {
    /// Marks of either side of a change apply to both.
    const SIDES: [(&str, &str); 2] = [("before_sensitive", "before"), ("after_sensitive", "after")];
    let (marks, hidden) = match key {
        "before" | "after" => (SIDES, Hidden::Text),
        "after_unknown" | "before_sensitive" | "after_sensitive" => (SIDES, Hidden::Truth),
        "values" => ([("sensitive_values", "values"); 2], Hidden::Text),
        // The type of an object contains its keys, which may be secret.
        "value" | "type" => ([("sensitive", "value"); 2], Hidden::Text),
        "config_values" => ([("config_sensitive", "config_values"); 2], Hidden::Text),
        "replace_paths" => {
            let marks = SIDES.into_iter().filter_map(|(name, _)| object.get(name)).chain(elsewhere);
            return Member::Paths(Some(Arc::new(HiddenNames::of_marks(marks))));
        }
        _ => return Member::At(DocumentPart::Stated),
    };
    if elsewhere.is_none() && marks.iter().all(|(name, _)| object.get(name).is_none()) {
        return Member::At(DocumentPart::Stated);
    }
    let [first, second] = marks.map(|(name, value_name)| match (object.get(name), object.get(value_name)) {
        // That there is nothing is no secret.
        (Some(_), _) if member.is_null() => member.bool(false),
        (Some(marks), value) if !marks.can_mark(value.unwrap_or(marks.null())) => marks.bool(true),
        (marks, _) => marks.unwrap_or(member.bool(false)),
    });
    let first = match elsewhere {
        // All that both marks say is in it, unless they say it of everything. That there is nothing is no secret.
        Some(elsewhere) if !first.is_true() && !member.is_null() => elsewhere,
        _ => first,
    };
    Member::Marked(Marked::known(member, [first, second]), hidden)
}

impl Serialize for Walk<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { view, ref place, marks } = *self;
        let secrets = Secrets::Hidden;
        match view.shape() {
            Shape::Object(members) => {
                let mut written = serializer.serialize_map(Some(members.len()))?;
                for (key, member) in members.iter() {
                    match place.member(view, key, member, marks) {
                        Member::At(place) => {
                            written.serialize_entry(key, &Walk { view: member, place, marks })?;
                        }
                        Member::Marked(marked, hidden) => {
                            written.serialize_entry(key, &As(&HiddenWith(marked, hidden), secrets))?;
                        }
                        Member::Expressions(names) => {
                            written.serialize_entry(key, &HiddenIn(member, names.as_deref()))?;
                        }
                        Member::Unmarked(names) => {
                            written.serialize_entry(key, &Constant(member, names.as_deref()))?;
                        }
                        Member::Paths(names) => {
                            written.serialize_entry(key, &HiddenPath(member, names.as_deref()))?;
                        }
                    }
                }
                written.end()
            }
            Shape::Array(elements) => {
                serializer.collect_seq(elements.iter().map(|view| Walk { view, place: place.clone(), marks }))
            }
            _ => As(&view, secrets).serialize(serializer),
        }
    }
}

/// A path, or paths, without the keys of what is sensitive.
struct HiddenPath<'v, 't>(View<'v, 't>, Option<&'v HiddenNames>);

impl Serialize for HiddenPath<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut names = self.1;
        serializer.collect_seq(self.0.elements().iter().map(|step| {
            // The name of a sensitive attribute is public, and the keys below it are not: decide before going down.
            let is_hidden = names.is_some_and(HiddenNames::has_all);
            if let Some(name) = step.as_str() {
                names = names.and_then(|names| names.below(name));
            }
            PathStep { step, is_hidden, names: self.1 }
        }))
    }
}

struct PathStep<'v, 't> {
    step: View<'v, 't>,
    is_hidden: bool,
    names: Option<&'v HiddenNames>,
}

impl Serialize for PathStep<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.step.shape() {
            Shape::Array(_) => HiddenPath(self.step, self.names).serialize(serializer),
            _ if self.is_hidden => serializer.serialize_str(SENSITIVE),
            _ => As(&self.step, Secrets::Hidden).serialize(serializer),
        }
    }
}
