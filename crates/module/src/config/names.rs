//! The names of configuration files, and the paths of directories.

use std::collections::BTreeSet;

/// The ends of names of configuration files, each with that of the file that OpenTofu reads instead.
const ENDS: [(&str, &str); 2] = [(".tf", ".tofu"), (".tf.json", ".tofu.json")];

/// The files of a module, in the order of their names.
pub(super) fn configuration_files(names: Vec<String>, is_opentofu: bool) -> Vec<String> {
    let all: BTreeSet<String> = names.into_iter().filter(|name| !is_left_alone(name)).collect();
    let is_read = |name: &&String| {
        ENDS.iter().any(|(end, own)| match name.strip_suffix(end) {
            Some(stem) => !is_opentofu || !all.contains(&format!("{stem}{own}")),
            None => is_opentofu && name.ends_with(own),
        })
    };
    all.iter().filter(is_read).cloned().collect()
}

/// Whether Terraform or OpenTofu reads a file of this name as configuration.
///
/// ```
/// use objchange_module::config::is_configuration;
///
/// assert!(is_configuration("main.tf") && is_configuration("modules/net/main.tf.json"));
/// assert!(!is_configuration("prod.tfvars") && !is_configuration(".main.tf") && !is_configuration("main.tf~"));
/// ```
pub fn is_configuration(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    !is_left_alone(name) && ENDS.iter().any(|(end, own)| name.ends_with(end) || name.ends_with(own))
}

/// Whether a file is nothing that a person wants to be read.
pub(super) fn is_left_alone(name: &str) -> bool {
    // Hidden files, and the backups of editors: Terraform 1.11.4 reads none of them.
    name.starts_with('.') || name.ends_with('~') || name.starts_with('#') && name.ends_with('#')
}

/// Whether OpenTofu alone reads files whose names end like this one.
pub(super) fn is_of_opentofu(name: &str) -> bool {
    ENDS.iter().any(|(_, own)| name.ends_with(own))
}

/// A path below a directory.
pub(super) fn join(directory: &str, path: &str) -> String {
    if directory == "." || directory.is_empty() { path.to_owned() } else { format!("{directory}/{path}") }
}

/// A path without `.` and without `..` behind a name.
pub(crate) fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for (i, part) in path.split(['/', '\\']).enumerate() {
        match part {
            "." => {}
            "" if i > 0 => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, ".." | "")) => drop(parts.pop()),
            ".." if parts == [""] => {}
            part => parts.push(part),
        }
    }
    match &parts[..] {
        [] => ".".to_owned(),
        [""] => "/".to_owned(),
        parts => parts.join("/"),
    }
}

#[cfg(test)]
mod tests {
    use super::{clean, configuration_files};

    #[test]
    fn paths_are_as_short_as_they_can_be() {
        for (path, wanted) in [
            ("./m", "m"),
            ("a/../b", "b"),
            ("a/b/../../c", "c"),
            ("../x", "../x"),
            ("a/../../x", "../x"),
            ("a/..", "."),
            ("/a/../../b", "/b"),
            (".terraform/modules/m", ".terraform/modules/m"),
        ] {
            assert_eq!(clean(path), wanted, "{path}");
        }
    }

    #[test]
    fn only_files_of_configuration_are_read() {
        let names = ["b.tf", "a.tf.json", ".c.tf", "d.tf~", "#e.tf#", "f.tofu", "g.tfvars", "override.tf"];
        let names = configuration_files(names.map(str::to_owned).to_vec(), false);
        assert_eq!(names, ["a.tf.json", "b.tf", "override.tf"]);
    }

    #[test]
    fn opentofu_has_files_of_its_own() {
        let names = ["a.tf", "a.tofu", "b.tf", "c.tofu.json", "c.tf.json", "c.tf", ".d.tofu", "e.tofu~"];
        let names = configuration_files(names.map(str::to_owned).to_vec(), true);
        assert_eq!(names, ["a.tofu", "b.tf", "c.tf", "c.tofu.json"]);
    }
}
