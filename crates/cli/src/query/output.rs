//! What is found, as it is printed.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};

use objchange_policy::query::Projection;
use objchange_text::{visible, visible_json};
use serde_json::{Map, Value};

use super::answer::Found;
use super::{Args, Form};

/// Prints what is found, document by document. A table and groups wait for the last one.
pub(super) struct Printer<'a> {
    args: &'a Args,
    out: BufWriter<Box<dyn Write>>,
    names: Vec<Option<&'a str>>,
    rows: Vec<Vec<String>>,
    /// Whether answers name their files.
    is_named: bool,
    groups: Vec<Group>,
    places: HashMap<String, usize>,
}

/// Items for which the expression of `--group-by` has the same value.
struct Group {
    value: Value,
    count: u64,
    /// Files and keys, where they are printed.
    keys: Vec<(Option<String>, String)>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(args: &'a Args, projection: Option<&'a Projection>) -> Self {
        let names =
            projection.filter(|_| args.select.is_some()).map(|projection| projection.names().collect());
        Self {
            args,
            out: BufWriter::with_capacity(1 << 16, Box::new(anstream::stdout().lock())),
            names: names.unwrap_or_default(),
            rows: Vec::new(),
            is_named: false,
            groups: Vec::new(),
            places: HashMap::new(),
        }
    }

    /// Prints the items of a document, or keeps them.
    pub(super) fn print(&mut self, name: Option<&str>, items: Vec<Found>) -> io::Result<()> {
        self.is_named |= name.is_some();
        for item in items {
            match self.args.form() {
                _ if self.args.count => {}
                _ if self.args.group_by.is_some() => self.group(name, item),
                Form::Keys => writeln!(self.out, "{}{}", prefix(name), visible(&item.key))?,
                Form::Lines => {
                    let line = self.line(&item);
                    writeln!(self.out, "{}{line}", prefix(name))?;
                }
                Form::Table => {
                    let mut row = vec![name.map(visible).unwrap_or_default().into_owned()];
                    row.extend(self.cells(&item));
                    self.rows.push(row);
                }
                Form::Json => {
                    let object = self.object(name, item);
                    self.json(&object)?;
                }
            }
        }
        Ok(())
    }

    fn cells(&self, item: &Found) -> Vec<String> {
        if self.args.select.is_some() {
            return item.values.iter().map(text).collect();
        }
        let actions = item.actions.map(|actions| actions.join("/"));
        [visible(&item.key).into_owned()].into_iter().chain(actions).collect()
    }

    fn line(&self, item: &Found) -> String {
        self.cells(item).join(if self.args.select.is_some() { "\t" } else { "  " })
    }

    /// The members that the item's JSON object has, in order.
    fn object(&self, name: Option<&str>, item: Found) -> Vec<(String, Value)> {
        let mut members: Vec<(String, Value)> = Vec::new();
        if let Some(name) = name {
            members.push(("file".to_owned(), name.into()));
        }
        if self.args.select.is_none() || self.names.iter().all(Option::is_none) {
            members.push(("key".to_owned(), item.key.into()));
        }
        members.extend(item.fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
        match (&self.names[..], self.args.select.is_some()) {
            (_, false) => {}
            ([None], true) => {
                members.extend(item.values.into_iter().map(|value| ("value".to_owned(), value)));
            }
            (names, true) => {
                let column = |(index, (name, value)): (usize, (&Option<&str>, Value))| match name {
                    Some(name) => ((*name).to_owned(), value),
                    None => (format!("value{}", index + 1), value),
                };
                members.extend(names.iter().zip(item.values).enumerate().map(column));
            }
        }
        members
    }

    fn json(&mut self, members: &[(String, Value)]) -> io::Result<()> {
        let members: Vec<String> =
            members.iter().map(|(name, value)| format!("{}:{value}", Value::from(&**name))).collect();
        writeln!(self.out, "{}", visible_json(&format!("{{{}}}", members.join(","))))
    }

    fn group(&mut self, name: Option<&str>, item: Found) {
        // One column is the value; several are those of a map or list.
        let value = match &item.values[..] {
            [one] => one.clone(),
            several => Value::Array(several.to_vec()),
        };
        let place = *self.places.entry(value.to_string()).or_insert(self.groups.len());
        if place == self.groups.len() {
            self.groups.push(Group { value, count: 0, keys: Vec::new() });
        }
        let group = &mut self.groups[place];
        group.count += 1;
        if matches!(self.args.form(), Form::Keys | Form::Json) {
            group.keys.push((name.map(str::to_owned), item.key));
        }
    }

    /// Prints what waited for the last document.
    pub(super) fn finish(mut self, found: u64) -> io::Result<()> {
        if self.args.count {
            match self.args.form() {
                Form::Json => self.json(&[("count".to_owned(), found.into())])?,
                _ => writeln!(self.out, "{found}")?,
            }
        }
        self.groups.sort_by_key(|group| std::cmp::Reverse(group.count));
        for group in std::mem::take(&mut self.groups) {
            self.finish_group(group)?;
        }
        if self.args.form() == Form::Table && !self.rows.is_empty() {
            self.table()?;
        }
        self.out.flush()
    }

    fn finish_group(&mut self, group: Group) -> io::Result<()> {
        match self.args.form() {
            Form::Lines => writeln!(self.out, "{}  {}", group.count, text(&group.value)),
            Form::Keys => {
                writeln!(self.out, "{}  {}", group.count, text(&group.value))?;
                for (name, key) in &group.keys {
                    writeln!(self.out, "  {}{}", prefix(name.as_deref()), visible(key))?;
                }
                Ok(())
            }
            Form::Table => {
                self.rows.push(vec![String::new(), group.count.to_string(), text(&group.value)]);
                Ok(())
            }
            Form::Json => {
                let key = |(name, key): (Option<String>, String)| match name {
                    Some(name) => Value::Object(Map::from_iter([
                        ("file".to_owned(), name.into()),
                        ("key".to_owned(), key.into()),
                    ])),
                    None => Value::Object(Map::from_iter([("key".to_owned(), key.into())])),
                };
                let keys: Vec<Value> = group.keys.into_iter().map(key).collect();
                self.json(&[
                    ("group".to_owned(), text(&group.value).into()),
                    ("count".to_owned(), group.count.into()),
                    ("items".to_owned(), keys.into()),
                ])
            }
        }
    }

    fn table(&mut self) -> io::Result<()> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut head = vec!["file".to_owned()];
        match (&self.args.group_by, self.args.select.is_some()) {
            (Some(_), _) => head.extend(["count".to_owned(), "group".to_owned()]),
            (None, false) => head.extend(["key".to_owned(), "actions".to_owned()]),
            (None, true) => {
                let name = |(index, name): (usize, &Option<&str>)| match name {
                    Some(name) => visible(name).into_owned(),
                    None if self.names.len() == 1 => "value".to_owned(),
                    None => format!("value{}", index + 1),
                };
                head.extend(self.names.iter().enumerate().map(name));
            }
        }
        head.truncate(columns);
        self.rows.insert(0, head);
        let first = usize::from(!self.is_named || self.args.group_by.is_some());
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).skip(first).map(|(cell, width)| format!("{cell:width$}"));
            writeln!(self.out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}

fn prefix(name: Option<&str>) -> String {
    name.map(|name| format!("{}: ", visible(name))).unwrap_or_default()
}

/// A text as it is, and everything else as JSON.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => visible(text).into_owned(),
        value => visible_json(&value.to_string()),
    }
}
