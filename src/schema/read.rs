//! Reads the schema of a block in the form of `terraform providers schema -json`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use smol_str::SmolStr;

use super::attribute::{Attribute, AttributeType, NestedType, NestingMode};
use super::block::{Block, NestedBlock};
use crate::value::Type;

/// The entries of a JSON object, without repeated keys.
pub(super) struct Entries<T>(pub(super) Vec<(SmolStr, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for EntriesVisitor<T> {
            type Value = Entries<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of names and schemas")
            }

            fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
                Ok(Entries::default())
            }

            fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
                deserializer.deserialize_map(self)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                let mut names = hashbrown::HashSet::new();
                while let Some(name) = map.next_key::<SmolStr>()? {
                    if !names.insert(name.clone()) {
                        return Err(de::Error::custom(format_args!("the name {name:?} is used twice")));
                    }
                    entries.push((name, map.next_value()?));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_option(EntriesVisitor(PhantomData))
    }
}

#[derive(Default, serde::Deserialize)]
struct RawBlock {
    #[serde(default)]
    attributes: Entries<Attribute>,
    #[serde(default)]
    block_types: Entries<NestedBlock>,
}

#[derive(serde::Deserialize)]
struct RawNestedBlock {
    nesting_mode: NestingMode,
    #[serde(default)]
    block: Option<RawBlock>,
    #[serde(default)]
    min_items: u64,
    #[serde(default)]
    max_items: u64,
    #[serde(default)]
    computed: bool,
}

#[derive(serde::Deserialize)]
struct RawAttribute {
    #[serde(default, rename = "type")]
    ty: Option<Type>,
    #[serde(default)]
    nested_type: Option<RawNestedType>,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    computed: bool,
    #[serde(default)]
    sensitive: bool,
    #[serde(default)]
    write_only: bool,
    #[serde(default)]
    deprecated: bool,
}

#[derive(serde::Deserialize)]
struct RawNestedType {
    #[serde(default)]
    attributes: Entries<Attribute>,
    nesting_mode: NestingMode,
}

impl From<RawBlock> for Block {
    fn from(raw: RawBlock) -> Self {
        Block::new(raw.attributes.0, raw.block_types.0)
    }
}

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawBlock::deserialize(deserializer).map(Block::from)
    }
}

impl<'de> Deserialize<'de> for NestedBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawNestedBlock::deserialize(deserializer)?;
        Ok(NestedBlock {
            nesting: raw.nesting_mode,
            block: raw.block.map_or_else(|| Block::from(RawBlock::default()), Block::from),
            min_items: raw.min_items,
            max_items: raw.max_items,
            computed: raw.computed,
        })
    }
}

impl<'de> Deserialize<'de> for Attribute {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawAttribute::deserialize(deserializer)?;
        let ty = match (raw.ty, raw.nested_type) {
            (Some(ty), None) => AttributeType::Plain(ty),
            (None, Some(nested)) => {
                AttributeType::Nested(NestedType::new(nested.nesting_mode, nested.attributes.0))
            }
            (None, None) => return Err(de::Error::custom("an attribute needs `type` or `nested_type`")),
            (Some(_), Some(_)) => {
                return Err(de::Error::custom("an attribute has either `type` or `nested_type`, not both"));
            }
        };
        Ok(Attribute {
            ty,
            required: raw.required,
            optional: raw.optional,
            computed: raw.computed,
            sensitive: raw.sensitive,
            write_only: raw.write_only,
            deprecated: raw.deprecated,
        })
    }
}

/// An identity schema: attributes that are required or optional *for import*, without nesting.
pub(super) struct IdentityBlock(pub(super) Block);

impl<'de> Deserialize<'de> for IdentityBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        struct Identity {
            #[serde(default)]
            attributes: Entries<IdentityAttribute>,
        }
        #[derive(serde::Deserialize)]
        struct IdentityAttribute {
            #[serde(rename = "type")]
            ty: Type,
            #[serde(default)]
            required_for_import: bool,
            #[serde(default)]
            optional_for_import: bool,
        }
        let raw = Identity::deserialize(deserializer)?;
        let attributes = raw.attributes.0.into_iter().map(|(name, a)| {
            let mut attribute = Attribute::computed(a.ty);
            if a.required_for_import || a.optional_for_import {
                attribute.computed = false;
                attribute.required = a.required_for_import;
                attribute.optional = a.optional_for_import;
            }
            (name, attribute)
        });
        Ok(Self(Block::new(attributes, [])))
    }
}
