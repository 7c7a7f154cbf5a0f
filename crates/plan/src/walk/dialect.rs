//! By whose rules a change is compared, as far as those depend on where a value is.

/// How a place is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    rules: Rules,
    /// Similar elements that a set loses and gains are paired.
    matches_sets: bool,
    /// So are those of a list.
    matches_lists: bool,
    /// For a format of our own, and not for the text of Terraform.
    own_format: bool,
    /// Tells `""` from null everywhere.
    tells_empty: bool,
    /// Blocks that are wholly unknown are read by their own schema, as in OpenTofu 1.13.
    reads_unknown_blocks: bool,
}

/// By whose rules a place is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rules {
    /// By Terraform's. In a legacy place, whose schema uses nothing that the legacy SDK could not express, `""` is null.
    Terraform { is_legacy: bool },
    /// By OpenTofu's. There `""` is null as the value of an attribute of a block, and nowhere else.
    OpenTofu {
        place: PlaceKind,
        /// Sensitive values are shown on request.
        shows_sensitive: bool,
    },
}

/// The kind of place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlaceKind {
    /// A block.
    Block,
    /// An attribute or a type of blocks, in a block.
    InBlock,
    /// Anything else.
    Inside,
}

impl Dialect {
    /// Terraform's rules, where `""` is `""`.
    pub(crate) const MODERN: Self = Self::new(Rules::Terraform { is_legacy: false });

    /// Terraform's rules, where `""` is null.
    pub(crate) const LEGACY: Self = Self::new(Rules::Terraform { is_legacy: true });

    const fn new(rules: Rules) -> Self {
        Self {
            rules,
            matches_sets: false,
            matches_lists: false,
            own_format: false,
            tells_empty: false,
            reads_unknown_blocks: false,
        }
    }

    /// OpenTofu's rules at such a place.
    pub(crate) const fn opentofu(place: PlaceKind, shows_sensitive: bool) -> Self {
        Self::new(Rules::OpenTofu { place, shows_sensitive })
    }

    /// Reads blocks that are wholly unknown by their own schema, or by that of the block around them as OpenTofu 1.12.
    pub(crate) fn reading_unknown_blocks(self, reads_unknown_blocks: bool) -> Self {
        Self { reads_unknown_blocks, ..self }
    }

    /// Whether blocks that are wholly unknown are read by their own schema.
    pub(crate) fn reads_unknown_blocks(self) -> bool {
        self.reads_unknown_blocks
    }

    /// Turns pairing of similar elements in sets on or off.
    pub(crate) fn matching_sets(self, matches_sets: bool) -> Self {
        Self { matches_sets, ..self }
    }

    /// Turns pairing of similar elements in lists on or off.
    pub(crate) fn matching_lists(self, matches_lists: bool) -> Self {
        Self { matches_lists, ..self }
    }

    pub(crate) fn matches_lists(self) -> bool {
        self.matches_lists
    }

    pub(crate) fn matches_sets(self) -> bool {
        self.matches_sets
    }

    /// For a format of our own, or for the text of a program.
    pub(crate) fn with_own_format(self, own_format: bool) -> Self {
        Self { own_format, tells_empty: own_format, ..self }
    }

    /// For changes outside of Terraform: providers of the legacy SDK read `""` where the state has null, and nothing has changed.
    pub(crate) fn of_drift(self) -> Self {
        Self { tells_empty: false, ..self }
    }

    pub(crate) fn is_own_format(self) -> bool {
        self.own_format
    }

    fn with(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    pub(crate) fn is_opentofu(self) -> bool {
        matches!(self.rules, Rules::OpenTofu { .. })
    }

    /// Whether what is sensitive is shown all the same.
    pub(crate) fn shows_sensitive(self) -> bool {
        matches!(self.rules, Rules::OpenTofu { shows_sensitive: true, .. })
    }

    /// Whether `""` is null.
    pub(crate) fn empty_is_null(self) -> bool {
        match self.rules {
            _ if self.tells_empty => false,
            // Terraform: at any depth of a legacy block. OpenTofu 1.12: only the own value of an attribute in a block.
            Rules::Terraform { is_legacy } => is_legacy,
            Rules::OpenTofu { place, .. } => place == PlaceKind::InBlock,
        }
    }

    fn at(self, new: PlaceKind) -> Self {
        match self.rules {
            Rules::Terraform { .. } => self,
            Rules::OpenTofu { shows_sensitive, .. } => {
                self.with(Rules::OpenTofu { place: new, shows_sensitive })
            }
        }
    }

    /// The rules in a block. The schema tells a modern block from a legacy one, and blocks in a modern one are modern.
    pub(crate) fn in_block(self, is_modern: impl FnOnce() -> bool) -> Self {
        match self.rules {
            // Once modern, blocks below stay so.
            Rules::Terraform { is_legacy } => {
                self.with(Rules::Terraform { is_legacy: is_legacy && !is_modern() })
            }
            Rules::OpenTofu { .. } => self.at(PlaceKind::Block),
        }
    }

    /// The rules in a value without a schema.
    pub(crate) fn without_schema(self) -> Self {
        match self.rules {
            Rules::Terraform { .. } => self.with(Self::MODERN.rules),
            Rules::OpenTofu { .. } => self.at(PlaceKind::Inside),
        }
    }

    /// The rules for a member of what is here.
    #[inline]
    pub(crate) fn member(self) -> Self {
        match self.rules {
            Rules::Terraform { .. } => self,
            Rules::OpenTofu { place: PlaceKind::Block, .. } => self.at(PlaceKind::InBlock),
            Rules::OpenTofu { .. } => self.at(PlaceKind::Inside),
        }
    }

    /// The rules for an element of the list, set or tuple here, which start anew.
    #[inline]
    pub(crate) fn element(self) -> Self {
        self.hidden().at(PlaceKind::Inside)
    }

    /// The rules for what is here where something hides it: Terraform forgets then that a place is modern.
    #[inline]
    pub(crate) fn hidden(self) -> Self {
        match self.rules {
            // Terraform 1.11 loses the rule of modern schemas below elements, sensitive and unknown values.
            Rules::Terraform { .. } => self.with(Self::LEGACY.rules),
            Rules::OpenTofu { .. } => self,
        }
    }
}
