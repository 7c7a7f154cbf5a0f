//! Stand-ins for secrets: equal ones stay equal, different ones stay different, and the secrets cannot be
//! guessed from them.

use std::collections::{HashMap, HashSet};
use std::fmt;

use objchange::schema::Block;
use objchange::value::{Kind, Marks, Path, PathStep};
use objchange::{Type, Value};
use objchange_text::redact::{SHORT, Secrets};

/// The length from which a value with a secret in it is replaced. Recordings are passed on, so this is less than
/// [`SHORT`], from which secrets are hidden inside words of messages.
const ALIKE: usize = 3;

/// Replaces a text that might contain a secret too short to search for.
const LEFT_OUT: &str = "(left out)";

/// The known secrets and their stand-ins.
#[derive(Clone, Default)]
pub struct Masks {
    /// Texts that are not secret even if they are marked.
    open: HashSet<String>,
    strings: HashMap<String, String>,
    numbers: HashMap<String, i64>,
    secrets: Secrets,
    /// The first secret bool, which becomes false.
    first_bool: Option<bool>,
}

/// The secrets are never shown.
impl fmt::Debug for Masks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Masks").finish_non_exhaustive()
    }
}

impl Masks {
    /// Masks that do not replace the texts and numbers in `open`, nor any bool.
    pub fn except(open: HashSet<String>) -> Self {
        Self { open, ..Self::default() }
    }

    /// Replaces secrets in the value: marked parts, parts that the schema hides, and values that are secret
    /// elsewhere.
    pub fn object(&mut self, block: &Block, value: &Value) -> Value {
        let marked = block.mark_hidden(value);
        // A secret may be in the clear before the attribute that the schema hides. The first pass learns all secrets,
        // and only the second one replaces each of them everywhere.
        self.masked(&marked, Some(block.implied_type()), false);
        self.masked(&marked, Some(block.implied_type()), false)
    }

    /// Learns the marked parts.
    pub(crate) fn learn(&mut self, value: &Value) {
        self.value(value, false);
    }

    pub(crate) fn value(&mut self, value: &Value, is_secret: bool) -> Value {
        self.masked(value, None, is_secret)
    }

    /// Replaces secrets in a value of a declared type. Attribute names of an object without a declared type
    /// count as content.
    fn masked(&mut self, value: &Value, declared: Option<&Type>, is_secret: bool) -> Value {
        let inner = match declared {
            Some(Type::Dynamic) => declared,
            Some(declared) => declared.element(),
            None => None,
        };
        let is_secret = is_secret || value.is_marked();
        let plain = value.unmarked();
        match plain.kind() {
            Kind::Null => Value::null(self.ty(plain.ty(), declared, is_secret)),
            // The refinements of an unknown secret, such as a prefix, may give it away.
            Kind::Unknown(_) if is_secret => Value::unknown(self.ty(plain.ty(), declared, is_secret)),
            Kind::Unknown(_) => plain.clone(),
            Kind::Bool(flag) if is_secret && self.open.is_empty() => {
                // Whichever secret bool comes first becomes false: equal ones stay equal, and none tells its value.
                Value::from(*self.first_bool.get_or_insert(flag) != flag)
            }
            Kind::Bool(flag) => Value::from(flag),
            Kind::Number(number) => {
                let text = number.to_string();
                match self.numbers.get(&text) {
                    Some(stand_in) => Value::from(*stand_in),
                    None if is_secret && !self.open.contains(&text) => {
                        let stand_in = 900_000_001 + self.numbers.len() as i64;
                        self.numbers.insert(text, stand_in);
                        Value::from(stand_in)
                    }
                    None => plain.clone(),
                }
            }
            Kind::String(text) => Value::from(self.string(text, is_secret)),
            Kind::List(elements) => {
                let masked: Vec<Value> = elements.iter().map(|e| self.masked(e, inner, is_secret)).collect();
                let ty = self.element_type(plain.ty(), inner, is_secret);
                // Stand-ins may give partly secret elements different attribute names, and so different
                // types.
                Value::list(ty, masked.clone()).unwrap_or_else(|_| Value::tuple(masked))
            }
            Kind::Set(elements) => {
                let masked: Vec<Value> = elements.iter().map(|e| self.masked(e, inner, is_secret)).collect();
                let ty = self.element_type(plain.ty(), inner, is_secret);
                Value::set(ty, masked.clone()).unwrap_or_else(|_| Value::tuple(masked))
            }
            Kind::Tuple(elements) => {
                Value::tuple(elements.iter().map(|e| self.masked(e, inner, is_secret)).collect::<Vec<_>>())
            }
            Kind::Map(map) => {
                let entry = |(key, value): (&smol_str::SmolStr, &Value)| {
                    (self.string(key, is_secret), self.masked(value, inner, is_secret))
                };
                let masked: Vec<(String, Value)> = map.iter().map(entry).collect();
                let ty = self.element_type(plain.ty(), inner, is_secret);
                Value::map(ty, masked.clone()).unwrap_or_else(|_| Value::object(masked))
            }
            Kind::Object(object) => {
                let is_content = is_content(declared, is_secret);
                let attribute = |(name, value): (&smol_str::SmolStr, &Value)| {
                    let member_type =
                        declared.and_then(Type::as_object).and_then(|object| object.attribute(name));
                    let shown = if is_content { self.string(name, true) } else { name.to_string() };
                    (shown, self.masked(value, member_type.or(inner), is_secret))
                };
                Value::object(object.iter().map(attribute).collect::<Vec<_>>())
            }
        }
    }

    /// The type of a masked value: the names of attributes in it may be content as well.
    fn ty(&mut self, ty: &Type, declared: Option<&Type>, is_secret: bool) -> Type {
        if !is_content(declared, is_secret) {
            return ty.clone();
        }
        match ty {
            Type::List(element) => Type::list(self.ty(element, declared, is_secret)),
            Type::Set(element) => Type::set(self.ty(element, declared, is_secret)),
            Type::Map(element) => Type::map(self.ty(element, declared, is_secret)),
            Type::Tuple(tuple) => {
                Type::tuple(tuple.elements().iter().map(|element| self.ty(element, declared, is_secret)))
            }
            Type::Object(object) => {
                let attribute = |(name, ty): &(smol_str::SmolStr, Type)| {
                    (self.string(name, true), self.ty(ty, declared, is_secret))
                };
                Type::object(object.attributes().iter().map(attribute).collect::<Vec<_>>())
            }
            Type::Dynamic | Type::String | Type::Number | Type::Bool => ty.clone(),
        }
    }

    fn element_type(&mut self, ty: &Type, declared: Option<&Type>, is_secret: bool) -> Type {
        let element = ty.element().cloned().unwrap_or(Type::Dynamic);
        self.ty(&element, declared, is_secret)
    }

    fn string(&mut self, text: &str, is_secret: bool) -> String {
        if let Some(stand_in) = self.strings.get(text) {
            return stand_in.clone();
        }
        // A part of a secret gives some of it away, and the search for a smaller case cuts texts into parts.
        let is_like = |secret: &String| {
            secret.len() >= ALIKE && text.contains(secret.as_str())
                || text.len() >= ALIKE && secret.contains(text)
        };
        let has_secret = || self.strings.keys().any(is_like);
        // An empty secret stays empty: too much depends on it, and a case with a stand-in would behave differently.
        if text.is_empty() || self.open.contains(text) || !is_secret && !has_secret() {
            return text.to_owned();
        }
        let stand_in = format!("stand-in-{}", self.strings.len() + 1);
        self.strings.insert(text.to_owned(), stand_in.clone());
        self.secrets.add(text);
        stand_in
    }

    /// A text that a provider writes, without the secrets in it.
    pub(crate) fn text(&self, text: &str) -> String {
        if self.strings.keys().any(|secret| secret.len() < SHORT) {
            return LEFT_OUT.to_owned();
        }
        let text = self.secrets.redact(text).into_owned();
        let has_number = self.numbers.keys().any(|number| text.contains(number.as_str()));
        if has_number { LEFT_OUT.to_owned() } else { text }
    }

    /// A path whose keys may be secret.
    pub(crate) fn path(&mut self, path: &Path) -> Path {
        let step = |step: &PathStep| match step {
            PathStep::Attribute(name) => PathStep::Attribute(name.clone()),
            PathStep::Index(key) => PathStep::Index(self.value(key, false)),
        };
        path.steps().iter().map(step).collect()
    }
}

/// Whether the attribute names are content, because they have no declared type.
fn is_content(declared: Option<&Type>, is_secret: bool) -> bool {
    is_secret && matches!(declared, Some(Type::Dynamic))
}

/// The marks of a value, which its stand-ins lose: hidden values stay hidden in a file of cases.
pub(crate) fn marks(block: &Block, value: &Value) -> Vec<(Path, Marks)> {
    block.mark_hidden(value).unmark_deep_with_paths().1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn leaf() -> impl Strategy<Value = Value> {
        prop_oneof![
            "[ab]{0,3}".prop_map(Value::from),
            "[XYZ]{6}".prop_map(Value::from),
            (0..4_i64).prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            Just(Value::null(Type::String)),
            Just(Value::unknown(Type::Number)),
        ]
    }

    fn value() -> impl Strategy<Value = Value> {
        leaf().prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::tuple),
                prop::collection::vec(("[ab]{1,2}", inner.clone()), 0..4).prop_map(Value::object),
                (inner, 0..3_usize).prop_map(|(element, nesting)| {
                    let ty = element.ty().clone();
                    let elements = [element, Value::null(ty.clone()), Value::unknown(ty.clone())];
                    match nesting {
                        0 => Value::list(ty, elements).unwrap(),
                        1 => Value::set(ty, elements).unwrap(),
                        _ => Value::map(ty, ["a", "b", "ab"].into_iter().zip(elements)).unwrap(),
                    }
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// Whether two secrets are equal is still seen, and nothing else.
        #[test]
        fn what_is_equal_stays_equal(a in value(), b in value()) {
            let mut masks = Masks::default();
            let [x, y] = [&a, &b].map(|value| masks.value(&value.clone().sensitive(), false));
            prop_assert_eq!(a == b, x == y, "{:?} {:?}", x, y);
            prop_assert_eq!(a.ty(), x.ty());
            prop_assert_eq!((a.is_null(), a.is_wholly_known()), (x.is_null(), x.is_wholly_known()));
            let shown = x.to_marker_json(x.ty()).unwrap();
            prop_assert!(!shown.contains(['X', 'Y', 'Z']), "{shown}");
        }

        /// With a dynamic type attribute names are content, in types as in values.
        #[test]
        fn names_that_nobody_declares_are_masked(a in value(), nesting in 0..4_usize) {
            let named = Value::object([("XYZZY", a)]);
            let ty = named.ty().clone();
            let elements = [named, Value::null(ty.clone()), Value::unknown(ty.clone())];
            let value = match nesting {
                0 => Value::list(ty, elements).unwrap(),
                1 => Value::set(ty, elements).unwrap(),
                2 => Value::map(ty, ["a", "b", "ab"].into_iter().zip(elements)).unwrap(),
                _ => Value::tuple(elements),
            };
            let mut masks = Masks::default();
            let masked = masks.masked(&value.clone().sensitive(), Some(&Type::Dynamic), false);
            let shown = masked.to_marker_json(&Type::Dynamic).unwrap();
            prop_assert!(!shown.contains(['X', 'Y', 'Z']), "{shown}");
            let kind = |value: &Value| std::mem::discriminant(value.ty());
            prop_assert_eq!(kind(&value), kind(&masked));
        }

        /// A secret stays one wherever it occurs again.
        #[test]
        fn a_secret_is_one_everywhere(secret in "[XYZ]{6}", around in "[ab]{0,3}") {
            let mut masks = Masks::default();
            masks.learn(&Value::from(secret.as_str()).sensitive());
            let again = format!("{around}{secret}{around}");
            let masked = masks.value(&Value::tuple([again.as_str()]), false);
            prop_assert!(!masked.to_string().contains(&secret));
            prop_assert!(!masks.text(&again).contains(&secret));
            let path = Path::root().index(again.as_str());
            prop_assert!(!masks.path(&path).to_string().contains(&secret));
        }
    }
}
