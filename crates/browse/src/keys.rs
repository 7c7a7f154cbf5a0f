//! The keys, as they are shown on the screen and by `--help`.

/// Keys and their actions.
pub(crate) const KEYS: &[(&str, &str)] = &[
    ("↑ ↓, k j", "up and down; PgUp PgDn, Ctrl-B Ctrl-F, Home End, g G further"),
    ("← →, h l", "fold and unfold; to the tree and to the details"),
    ("Enter, Space", "fold or unfold; on a resource: its details"),
    ("Tab", "the other side"),
    ("- +", "fold everything in the tree; unfold it"),
    ("J K", "the next and the previous resource, from either side"),
    ("!", "the next resource that is destroyed or replaced"),
    ("/", "search in addresses, types and values; all words must be there"),
    ("n N", "the next and the previous place that was found"),
    ("Esc", "end the search, or go back"),
    ("f", "filter by action or section"),
    ("u", "show unchanged parts, or fold them again"),
    ("w", "wrap long lines, or scroll them with ← →"),
    ("z", "only this side, or both"),
    ("< >", "a narrower or wider tree; or drag the line with the mouse"),
    ("y, c", "copy the address, also over ssh (OSC 52)"),
    ("m", "leave the mouse to the terminal, to select text, or take it"),
    ("Ctrl-Z", "suspend the program"),
    ("?", "show these keys"),
    ("q, Ctrl-C", "quit"),
];

/// The keys and their actions as lines of text for help.
pub fn lines() -> impl Iterator<Item = String> {
    let width = KEYS.iter().map(|(keys, _)| keys.chars().count()).max().unwrap_or_default();
    KEYS.iter().map(move |(keys, meaning)| format!("{keys:<width$}  {meaning}"))
}
