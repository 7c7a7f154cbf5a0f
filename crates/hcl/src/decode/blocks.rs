//! Decodes nested blocks by their nesting mode.

use hashbrown::HashSet;
use objchange::schema::{Block, NestedBlock};

use super::*;

/// All blocks of one type in a body.
#[derive(Clone, Copy)]
pub(super) struct Blocks<'a, 'b, 's> {
    pub(super) name: &'a str,
    pub(super) nested: &'a NestedBlock,
    pub(super) instances: &'a [Instance<'b>],
    /// The body.
    pub(super) content: Content<'b, 's>,
}

impl Decoder<'_> {
    /// The value of all blocks of one type.
    pub(super) fn blocks<'b>(&mut self, all: &Blocks<'_, 'b, '_>, places: &mut Vec<BlockPlace<'b>>) -> Value {
        match all.nested.nesting {
            NestingMode::Single | NestingMode::Group => self.single(all, places),
            NestingMode::Map => self.map(all, places),
            _ => self.sequence(all, places),
        }
    }

    /// The object of one block.
    fn instance<'b>(
        &mut self,
        instance: &Instance<'b>,
        schema: &Block,
        around: &Scope<'_>,
        places: &mut Vec<BlockPlace<'b>>,
    ) -> Value {
        let names = instance.iterator.as_slice();
        let scope = &around.with(names);
        let Instance { body, header, surroundings, .. } = *instance;
        let around = self.evaluator.hide(surroundings.marks);
        let (value, place) =
            self.object(Content { body, header, missing: body.missing, scope, surroundings }, schema);
        self.evaluator.hides = around;
        places.push(BlockPlace { label: instance.label.clone(), place });
        value
    }

    fn single<'b>(&mut self, all: &Blocks<'_, 'b, '_>, places: &mut Vec<BlockPlace<'b>>) -> Value {
        let Blocks { name, nested, instances, content } = *all;
        // `hcldec.BlockSpec` reports the second block and decodes the first.
        if let Some(second) = instances.get(1) {
            let detail = format!("Only one block of type {name:?} is allowed.");
            self.error(("duplicate_block", format!("Duplicate {name} block")), second.header, detail);
        }
        match instances.first() {
            Some(instance) => self.instance(instance, &nested.block, content.scope, places),
            None => {
                if nested.min_items > 0 {
                    let detail = format!("A block of type {name:?} is required here.");
                    self.error(("missing_block", format!("Missing {name} block")), content.missing, detail);
                }
                match nested.nesting {
                    // An absent group is an object of nulls; only an absent single block is null.
                    NestingMode::Group => nested.block.empty_value().clone(),
                    _ => Value::null(nested.block.implied_type().clone()),
                }
            }
        }
    }

    /// The objects of several blocks with the marks that are on each of them, and whether these are all: if
    /// it is unknown how many there are, the first that is not known is looked at, and nothing behind it.
    fn objects<'b>(
        &mut self,
        all: &Blocks<'_, 'b, '_>,
        places: &mut Vec<BlockPlace<'b>>,
    ) -> (Vec<Value>, bool) {
        let Blocks { nested, instances, content, .. } = *all;
        let mut objects = Vec::with_capacity(instances.len());
        for instance in instances {
            let object = self.instance(instance, &nested.block, content.scope, places);
            // `hcldec` stops at the first unknown block: later ones are not checked at all.
            if instance.surroundings.is_unknown {
                return (objects, false);
            }
            // Where attributes may be written as blocks, the mark on the block as a whole is lost.
            let marks = if self.is_legacy { Marks::NONE } else { instance.surroundings.marks };
            objects.push(object.with_marks(marks));
        }
        (objects, true)
    }

    fn sequence<'b>(&mut self, all: &Blocks<'_, 'b, '_>, places: &mut Vec<BlockPlace<'b>>) -> Value {
        let Blocks { name, nested, instances, content } = *all;
        let ty = nested.implied_type();
        let (objects, are_all) = self.objects(all, places);
        // The number of blocks is unknown, so limits are not checked.
        if !are_all {
            return Value::unknown(ty);
        }
        let count = objects.len() as u64;
        if count < nested.min_items {
            let detail = format!("At least {} {name:?} blocks are required.", nested.min_items);
            self.error(
                ("insufficient_blocks", format!("Insufficient {name} blocks")),
                content.missing,
                detail,
            );
        } else if nested.max_items > 0 && count > nested.max_items {
            let first = instances.get(nested.max_items as usize);
            // Points to the first surplus block's opening brace.
            let span = first.map_or(content.missing, |instance| instance.body.missing);
            let detail = format!("No more than {} {name:?} blocks are allowed", nested.max_items);
            self.error(("too_many_blocks", format!("Too many {name} blocks")), span, detail);
        }
        let object = nested.block.implied_type().clone();
        let whole = match nested.nesting {
            NestingMode::Set => Value::set(object, objects),
            // Elements with dynamic attributes may differ in type, so the list becomes a tuple, and a map an object.
            _ if object.has_dynamic() => return Value::tuple(objects),
            _ => Value::list(object, objects),
        };
        whole.unwrap_or_else(|_| Value::unknown(ty))
    }

    fn map<'b>(&mut self, all: &Blocks<'_, 'b, '_>, places: &mut Vec<BlockPlace<'b>>) -> Value {
        let Blocks { name, nested, instances, .. } = *all;
        let ty = nested.implied_type();
        let (objects, are_all) = self.objects(all, places);
        let mut labels = HashSet::with_capacity(instances.len());
        let mut entries = Vec::with_capacity(objects.len());
        for (instance, object) in std::iter::zip(instances, objects) {
            let label = instance.label.clone().unwrap_or_default();
            // Labels are compared as written; two forms of one text in NFC fall together in the value.
            if !labels.insert(label.clone()) {
                let around = self.evaluator.hide(instance.surroundings.marks);
                let detail = format!(
                    "A block for {name} {label:?} was already defined. The {name} labels must be unique."
                );
                self.evaluator.error(
                    ("duplicate_block", format!("Duplicate {name} block")),
                    instance.header,
                    detail,
                );
                self.evaluator.hides = around;
                continue;
            }
            entries.push((label, object));
        }
        if !are_all {
            return Value::unknown(ty);
        }
        let object = nested.block.implied_type().clone();
        if object.has_dynamic() {
            return Value::object(entries);
        }
        Value::map(object, entries).unwrap_or_else(|_| Value::unknown(ty))
    }

    /// The value of an attribute that is written as blocks; null without blocks.
    pub(super) fn attribute_of_blocks<'b>(
        &mut self,
        attribute: &Attribute,
        schema: &Block,
        instances: &[Instance<'b>],
        content: Content<'b, '_>,
        places: &mut Vec<BlockPlace<'b>>,
    ) -> Value {
        let ty = attribute.implied_type();
        // Terraform gives null rather than an empty list here.
        if instances.is_empty() {
            return Value::null(ty.clone());
        }
        let objects: Vec<Value> =
            instances.iter().map(|instance| self.instance(instance, schema, content.scope, places)).collect();
        let list = Value::tuple(objects);
        list.convert(ty).unwrap_or_else(|_| Value::unknown(ty.clone()))
    }
}
