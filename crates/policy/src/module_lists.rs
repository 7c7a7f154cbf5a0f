//! Items that there may be, by the lists of modules in which a document would have them.

use objchange::address::{modules_of, strip_keys};

/// The maximum number of items to name for one list. They say why it is undecided, and without a limit the lists of 2,000
/// modules would each name 2,000 items.
const MOST: usize = 100;

/// Items that may be in the lists of modules, each as its user names it.
#[derive(Debug)]
pub(crate) struct ByModule<T> {
    /// The items by module, in order. The modules have no instance keys, because a configuration does not tell which instances
    /// there are.
    items: Vec<(String, T)>,
    /// Those of them that may also be anywhere below their module.
    below: Vec<(String, T)>,
    /// Items whose module is unknown: they may be in any.
    everywhere: Vec<T>,
}

/// Where an item may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ItemModule {
    /// In this module.
    In(String),
    /// In this module, which is not the root module, or in one below it.
    InOrBelow(String),
    /// Nobody can tell.
    Unknown,
}

/// The items of exactly this module, in a list that is in the order of modules.
fn of_module<'i, T>(items: &'i [(String, T)], module: &str) -> impl Iterator<Item = &'i T> + use<'i, T> {
    // Looking through all items for each module of a document made 2,000 modules take 2,000 times as long as one.
    let from = items.partition_point(|(other, _)| other.as_str() < module);
    let to = items.partition_point(|(other, _)| other.as_str() <= module);
    items[from..to].iter().map(|(_, item)| item)
}

impl<T: Clone> ByModule<T> {
    pub(crate) fn new(all: impl IntoIterator<Item = (ItemModule, T)>) -> Self {
        let (mut items, mut below, mut everywhere) = (Vec::new(), Vec::new(), Vec::new());
        for (module, item) in all {
            match module {
                ItemModule::In(module) => items.push((strip_keys(&module), item)),
                ItemModule::InOrBelow(module) => {
                    let module = strip_keys(&module);
                    items.push((module.clone(), item.clone()));
                    below.push((module, item));
                }
                ItemModule::Unknown => everywhere.push(item),
            }
        }
        // They are searched by halves.
        items.sort_by(|(a, _), (b, _)| a.cmp(b));
        below.sort_by(|(a, _), (b, _)| a.cmp(b));
        everywhere.truncate(MOST);
        Self { items, below, everywhere }
    }

    /// The items that may be in a list of a module: `resources`, or `child_modules`.
    pub(crate) fn in_list(&self, list: &str, module: &str) -> Vec<T> {
        if list == "resources" { self.resources(module) } else { self.child_modules(module) }
    }

    /// The items that may be in the list of resources of a module.
    pub(crate) fn resources(&self, module: &str) -> Vec<T> {
        let module = strip_keys(module);
        let around = modules_of(&module).filter(|around| *around != module);
        let inherited = around.flat_map(|around| of_module(&self.below, around));
        let own = of_module(&self.items, &module);
        own.chain(inherited).chain(&self.everywhere).take(MOST).cloned().collect()
    }

    /// The items that may be below a module, so that its list of modules may have more in it.
    pub(crate) fn child_modules(&self, module: &str) -> Vec<T> {
        let module = strip_keys(module);
        // In `module.a` is `module.a.…`, but not `module.ab`.
        let start = if module.is_empty() { module.clone() } else { format!("{module}.") };
        let from = self.items.partition_point(|(other, _)| *other < start);
        let inner = self.items[from..].iter().take_while(|(other, _)| other.starts_with(&start));
        let inner = inner.filter(|(other, _)| !other.is_empty()).map(|(_, item)| item);
        let inherited = modules_of(&module).flat_map(|around| of_module(&self.below, around));
        inner.chain(inherited).chain(&self.everywhere).take(MOST).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{ByModule, ItemModule, MOST};

    #[test]
    fn items_are_in_the_lists_that_may_have_them() {
        let within = |module: &str| ItemModule::In(module.to_owned());
        let items = ByModule::new([
            (within(""), "root"),
            (within("module.a[0]"), "a"),
            (within("module.a.module.b"), "b"),
            (within("module.ab"), "ab"),
            (ItemModule::InOrBelow("module.c".to_owned()), "c"),
        ]);
        for (module, resources, child_modules) in [
            ("", &["root"][..], &["a", "b", "ab", "c"][..]),
            ("module.a[\"x.y\"]", &["a"], &["b"]),
            ("module.a.module.b", &["b"], &[]),
            ("module.ab", &["ab"], &[]),
            ("module.c", &["c"], &["c"]),
            ("module.c.module.d", &["c"], &["c"]),
            ("module.other", &[], &[]),
        ] {
            let sorted = |mut names: Vec<&'static str>| {
                names.sort_unstable();
                names
            };
            assert_eq!(sorted(items.resources(module)), sorted(resources.to_vec()), "{module}");
            assert_eq!(sorted(items.child_modules(module)), sorted(child_modules.to_vec()), "{module}");
        }
    }

    #[test]
    fn what_is_in_no_known_module_may_be_in_all() {
        let unknown = (0..MOST + 5).map(|item| (ItemModule::Unknown, item));
        let items = ByModule::new(unknown);
        for module in ["", "module.a", "module.a.module.b"] {
            assert_eq!((items.resources(module).len(), items.child_modules(module).len()), (MOST, MOST));
        }
    }
}
