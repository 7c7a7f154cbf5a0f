//! Prints the items that were found.

use std::collections::HashMap;
use std::io::{self, Write};

use objchange_text::{padded, visible, visible_json};
use serde_json::{Map, Value};

use super::Projection;
use super::search::FoundItem;

/// How items are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The key of each.
    Keys,
    /// A line each: the key and what happens, or what is selected.
    Lines,
    /// Columns under their names.
    Table,
    /// Columns under their names, separated by commas.
    Csv,
    /// A JSON object a line.
    Json,
}

/// The parts of items that are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Printed {
    /// The items.
    Items,
    /// The values of the projection.
    Values,
    /// The number of items.
    Count,
    /// How many there are for each value of the projection.
    Groups,
}

/// Prints what is found, document by document. A table and groups wait for the last one.
#[derive(Debug)]
pub struct Printer<'a, W> {
    form: Form,
    printed: Printed,
    out: W,
    names: Vec<Option<&'a str>>,
    rows: Vec<Vec<String>>,
    /// Whether answers name their files.
    is_named: bool,
    groups: Vec<Group>,
    places: HashMap<String, usize>,
}

/// Items for which the expression of `--group-by` has the same value.
#[derive(Debug)]
struct Group {
    value: Value,
    count: u64,
    /// Files and keys, where they are printed.
    keys: Vec<(Option<String>, String)>,
}

impl<'a, W: Write> Printer<'a, W> {
    /// Prints to `out`.
    pub fn new(form: Form, printed: Printed, projection: Option<&'a Projection>, out: W) -> Self {
        let projection = projection.filter(|_| printed == Printed::Values);
        Self {
            form,
            printed,
            out,
            names: projection.map(|projection| projection.names().collect()).unwrap_or_default(),
            rows: Vec::new(),
            is_named: false,
            groups: Vec::new(),
            places: HashMap::new(),
        }
    }

    /// Prints the items of a document, or keeps them; with the name of its file where there are several.
    ///
    /// # Errors
    ///
    /// The writer fails.
    pub fn print(&mut self, name: Option<&str>, items: Vec<FoundItem>) -> io::Result<()> {
        self.is_named |= name.is_some();
        for item in items {
            match self.form {
                _ if self.printed == Printed::Count => {}
                _ if self.printed == Printed::Groups => self.group(name, item),
                Form::Keys => writeln!(self.out, "{}{}", prefix(name), visible(&item.key))?,
                Form::Lines => {
                    let line = self.line(&item);
                    writeln!(self.out, "{}{line}", prefix(name))?;
                }
                Form::Table | Form::Csv => {
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

    fn is_selected(&self) -> bool {
        self.printed == Printed::Values
    }

    fn cells(&self, item: &FoundItem) -> Vec<String> {
        if self.is_selected() {
            return item.values.iter().map(text).collect();
        }
        // Addresses come from the document. One that turns text around does so in the log of a CI system, too.
        let actions = item.actions.map(|actions| visible(&actions.join("/")).into_owned());
        [visible(&item.key).into_owned()].into_iter().chain(actions).collect()
    }

    fn line(&self, item: &FoundItem) -> String {
        self.cells(item).join(if self.is_selected() { "\t" } else { "  " })
    }

    /// The members that the item's JSON object has, in order.
    fn object(&self, name: Option<&str>, item: FoundItem) -> Vec<(String, Value)> {
        let mut members: Vec<(String, Value)> = Vec::new();
        if let Some(name) = name {
            members.push(("file".to_owned(), name.into()));
        }
        if !self.is_selected() || self.names.iter().all(Option::is_none) {
            members.push(("key".to_owned(), item.key.into()));
        }
        members.extend(item.fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
        match (&self.names[..], self.is_selected()) {
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

    fn group(&mut self, name: Option<&str>, item: FoundItem) {
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
        if matches!(self.form, Form::Keys | Form::Json) {
            group.keys.push((name.map(str::to_owned), item.key));
        }
    }

    /// Prints what waited for the last document; `found` items there are in all.
    ///
    /// # Errors
    ///
    /// The writer fails.
    pub fn finish(mut self, found: u64) -> io::Result<()> {
        if self.printed == Printed::Count {
            match self.form {
                Form::Json => self.json(&[("count".to_owned(), found.into())])?,
                _ => writeln!(self.out, "{found}")?,
            }
        }
        // The sort is stable: groups of equal size stay in the order in which documents name them.
        self.groups.sort_by_key(|group| std::cmp::Reverse(group.count));
        for group in std::mem::take(&mut self.groups) {
            self.finish_group(group)?;
        }
        match self.form {
            Form::Table if !self.rows.is_empty() => self.table()?,
            Form::Csv if self.printed != Printed::Count => self.csv()?,
            _ => {}
        }
        self.out.flush()
    }

    fn finish_group(&mut self, group: Group) -> io::Result<()> {
        match self.form {
            Form::Lines => writeln!(self.out, "{}  {}", group.count, text(&group.value)),
            Form::Keys => {
                writeln!(self.out, "{}  {}", group.count, text(&group.value))?;
                for (name, key) in &group.keys {
                    writeln!(self.out, "  {}{}", prefix(name.as_deref()), visible(key))?;
                }
                Ok(())
            }
            Form::Table | Form::Csv => {
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

    /// The names of the columns, the first of which is not printed where there is only one file.
    fn head(&self) -> (Vec<String>, usize) {
        let mut head = vec!["file".to_owned()];
        match (self.printed == Printed::Groups, self.is_selected()) {
            (true, _) => head.extend(["count".to_owned(), "group".to_owned()]),
            (false, false) => head.extend(["key".to_owned(), "actions".to_owned()]),
            (false, true) => {
                let name = |(index, name): (usize, &Option<&str>)| match name {
                    Some(name) => visible(name).into_owned(),
                    None if self.names.len() == 1 => "value".to_owned(),
                    None => format!("value{}", index + 1),
                };
                head.extend(self.names.iter().enumerate().map(name));
            }
        }
        (head, usize::from(!self.is_named || self.printed == Printed::Groups))
    }

    /// As RFC 4180 has it, but with the end of line of all other output.
    fn csv(&mut self) -> io::Result<()> {
        let (mut head, first) = self.head();
        if let Some(columns) = self.rows.iter().map(Vec::len).max() {
            head.truncate(columns);
        }
        for row in std::iter::once(&head).chain(&self.rows) {
            let cells = row.iter().skip(first).map(|cell| match cell.contains([',', '"', '\n', '\r']) {
                true => format!("\"{}\"", cell.replace('"', "\"\"")),
                false => cell.clone(),
            });
            writeln!(self.out, "{}", cells.collect::<Vec<_>>().join(","))?;
        }
        Ok(())
    }

    fn table(&mut self) -> io::Result<()> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let (mut head, first) = self.head();
        head.truncate(columns);
        self.rows.insert(0, head);
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
            let cells = row.iter().zip(&widths).skip(first).map(|(cell, width)| padded(cell, *width));
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
