//! Items about which nothing can be said yet.

/// Items for which the answer is unknown until apply.
#[derive(Debug, Default)]
pub struct UndecidedItems {
    /// How many there are.
    pub count: usize,
    /// The first of them, with their files.
    first: Vec<String>,
}

impl UndecidedItems {
    /// The maximum number of names.
    const NAMED: usize = 20;

    /// Adds those of a file.
    pub fn add(&mut self, file: Option<&str>, keys: Vec<String>) {
        self.count += keys.len();
        let left = Self::NAMED - self.first.len();
        let name = |key: String| file.map(|file| format!("{file}: {key}")).unwrap_or(key);
        self.first.extend(keys.into_iter().take(left).map(name));
    }

    /// Whether [`warning`](Self::warning) names all of them.
    pub fn are_all_named(&self) -> bool {
        self.count == self.first.len()
    }

    /// Says which they are, if there are any.
    pub fn warning(&self) -> Option<String> {
        if self.count == 0 {
            return None;
        }
        let named = objchange_text::listed(&self.first, self.count);
        Some(format!("whether the expression holds is unknown until apply: {named}"))
    }
}
