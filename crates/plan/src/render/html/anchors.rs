//! The names of elements that links lead to. No two are the same.

use hashbrown::HashMap;

use super::super::outline::{OutlineItem, OutlineSection};

/// The names of the elements of a page.
pub(super) struct Anchors {
    /// One per report, if there are several.
    pub(super) reports: Vec<String>,
    /// One per section.
    pub(super) sections: Vec<String>,
    /// The name of the first section with this title, by which all of them are filtered.
    pub(super) kinds: Vec<String>,
    /// One per group of each section; empty for a group without a heading.
    pub(super) groups: Vec<Vec<String>>,
    /// One per item: its address, encoded as browsers do in links.
    pub(super) items: Vec<String>,
}

impl Anchors {
    pub(super) fn new(reports: usize, sections: &[OutlineSection], items: &[OutlineItem<'_, '_>]) -> Self {
        let mut names = Names::default();
        // Ours first: no address can take them.
        for own in ["main", "search", "status", "keys", "keys-title"] {
            names.add(own);
        }
        let reports = if reports > 1 { reports } else { 0 };
        let reports = (1..=reports).map(|number| names.add(&format!("plan-{number}"))).collect();
        let of_section = |section: &OutlineSection| {
            let word = section.title.split([' ', ':']).next().unwrap_or_default();
            word.to_ascii_lowercase()
        };
        let sections_names: Vec<_> = sections.iter().map(|section| names.add(&of_section(section))).collect();
        let kinds = kinds(sections, &sections_names);
        let groups = sections.iter().map(|section| {
            let groups = section.groups.iter().map(|module| match module {
                Some(module) => {
                    let address = module.address.as_deref();
                    names.add(&address.map_or_else(|| "root-module".to_owned(), fragment))
                }
                None => String::new(),
            });
            groups.collect()
        });
        let groups = groups.collect();
        let items = items.iter().map(|item| {
            let name = match (&item.deposed, sections[item.section].title) {
                (Some(key), _) => format!("{}~{key}", item.name),
                (None, "Outputs") => format!("output.{}", item.name),
                (None, _) => item.name.clone(),
            };
            names.add(&fragment(&name))
        });
        Self { reports, items: items.collect(), sections: sections_names, kinds, groups }
    }
}

/// The name of the first section with the title of each.
fn kinds(sections: &[OutlineSection], names: &[String]) -> Vec<String> {
    let mut first: HashMap<&str, &String> = HashMap::new();
    let kind = |(section, name): (&OutlineSection, _)| (*first.entry(section.title).or_insert(name)).clone();
    sections.iter().zip(names).map(kind).collect()
}

/// The names that are taken, and which number was given last where several wanted one.
#[derive(Default)]
struct Names(HashMap<String, usize>);

impl Names {
    /// This name, or one like it if it is taken.
    fn add(&mut self, wanted: &str) -> String {
        let mut number = self.0.get(wanted).copied().unwrap_or(0);
        let mut name = wanted.to_owned();
        while self.0.contains_key(&name) {
            number += 1;
            name = format!("{wanted}~{}", number + 1);
        }
        // The next one that wants this name begins behind this number: to try all again each time would be quadratic.
        self.0.insert(wanted.to_owned(), number);
        self.0.entry(name.clone()).or_insert(0);
        name
    }
}

/// The text as a browser writes it behind the `#` of an address. It has no white space, which names must not have.
fn fragment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'"' | b'<' | b'>' | b'`' | b'\0'..=b' ' | 0x7f.. => out.push_str(&format!("%{byte:02X}")),
            byte => out.push(char::from(byte)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_names_are_the_same() {
        let mut names = Names::default();
        let given: Vec<_> =
            ["a", "a~2", "a", "a", "a~2", "b", "a~2~2"].iter().map(|n| names.add(n)).collect();
        assert_eq!(given, ["a", "a~2", "a~3", "a~4", "a~2~2", "b", "a~2~2~2"]);
    }

    #[test]
    fn a_fragment_is_what_a_browser_makes_of_it() {
        assert_eq!(fragment("a.b[\"x y\"]"), "a.b[%22x%20y%22]");
        assert_eq!(fragment("é<\n%`"), "%C3%A9%3C%0A%%60");
    }
}
