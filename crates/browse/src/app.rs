//! The state of the screen, as data. [`update`](super::update) changes it, [`draw`](super::draw) draws it.

use objchange_plan::Outline;
use objchange_plan::render::{DiffLines, OutlineFilter, OutlineItem, OutlinePiece};
use objchange_plan::report::ShowError;
use objchange_text::visible;
use ratatui::layout::Rect;

use crate::detail::{Detail, HeadLine, Layout, Role};
use crate::search::Search;
use crate::tree::{Kind, Tree};

/// Narrower screens, in columns, show one pane at a time.
const MIN_TWO_PANES: u16 = 60;

/// The minimum columns of a pane beside another one.
const MIN_PANE: u16 = 16;

/// One of the two sides of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pane {
    Tree,
    Detail,
}

impl Pane {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Tree => Self::Detail,
            Self::Detail => Self::Tree,
        }
    }
}

/// A window in front of the panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Popup {
    /// The keys, from this row on.
    Keys(usize),
    /// The filters, with the one that is selected.
    Filters(usize),
}

/// A search that is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) text: String,
    /// The search before.
    pub(crate) before: String,
}

/// Settings of the screen.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The screen has colours.
    pub has_colour: bool,
    /// Warnings about the document that the screen does not show.
    pub warnings: Vec<String>,
}

/// Turns the error of an entry into the program's message for it.
pub(crate) type Explain<'e> = dyn Fn(ShowError) -> String + 'e;

/// Everything that the screen shows.
pub(crate) struct App<'r, 'p> {
    pub(crate) outline: Outline<'r, 'p>,
    pub(crate) settings: Settings,
    explain: Box<Explain<'r>>,
    pub(crate) tree: Tree,
    pub(crate) detail: Detail,
    /// The node whose details are shown.
    detail_of: Option<usize>,
    pub(crate) focus: Pane,
    /// The size of the screen.
    pub(crate) size: (u16, u16),
    /// The columns of the tree, if the user has chosen them.
    pub(crate) tree_columns: Option<u16>,
    /// Only the focused pane is shown.
    pub(crate) is_zoomed: bool,
    pub(crate) wraps: bool,
    pub(crate) unfolds: bool,
    pub(crate) filters: Vec<OutlineFilter>,
    /// Whether each filter is chosen. If none is, all items pass.
    pub(crate) chosen: Vec<bool>,
    pub(crate) search: Search,
    pub(crate) input: Option<Input>,
    /// The node that was selected when a search began, until the user selects another one.
    pub(crate) seeks_from: Option<usize>,
    pub(crate) popup: Option<Popup>,
    /// The message at the bottom until the next key.
    pub(crate) message: Option<String>,
    pub(crate) has_mouse: bool,
    /// The line between the panes is being dragged.
    pub(crate) drags: bool,
    /// The first error of an item that could not be shown.
    pub(crate) error: Option<String>,
}

/// The areas of the screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Areas {
    pub(crate) headline: Rect,
    pub(crate) tree: Rect,
    pub(crate) divider: Rect,
    pub(crate) detail: Rect,
    pub(crate) footer: Rect,
}

impl<'r, 'p> App<'r, 'p> {
    pub(crate) fn new(
        outline: Outline<'r, 'p>,
        settings: Settings,
        explain: Box<Explain<'r>>,
        size: (u16, u16),
    ) -> Self {
        let filters = outline.filters();
        let mut app = Self {
            tree: Tree::new(&outline),
            chosen: vec![false; filters.len()],
            filters,
            outline,
            settings,
            explain,
            detail: Detail::default(),
            detail_of: None,
            focus: Pane::Tree,
            size,
            tree_columns: None,
            is_zoomed: false,
            wraps: true,
            unfolds: false,
            search: Search::default(),
            input: None,
            seeks_from: None,
            popup: None,
            message: None,
            has_mouse: true,
            drags: false,
            error: None,
        };
        app.refresh();
        app.settle();
        app
    }

    pub(crate) fn areas(&self) -> Areas {
        let (width, height) = self.size;
        let headline = Rect::new(0, 0, width, 1.min(height));
        let footer = Rect::new(0, height.saturating_sub(1), width, u16::from(height > 1));
        let panes = |x, width| Rect::new(x, headline.height, width, height.saturating_sub(2));
        let both = Areas { headline, footer, ..Areas::default() };
        if self.is_zoomed || width < MIN_TWO_PANES {
            return match self.focus {
                Pane::Tree => Areas { tree: panes(0, width), ..both },
                Pane::Detail => Areas { detail: panes(0, width), ..both },
            };
        }
        let wanted = self.tree_columns.unwrap_or((width * 2 / 5).min(60));
        let columns = wanted.clamp(MIN_PANE, width - MIN_PANE - 1);
        let rest = columns + 1;
        Areas {
            tree: panes(0, columns),
            divider: panes(columns, 1),
            detail: panes(rest, width - rest),
            ..both
        }
    }

    /// Whether an item passes the filters and the search.
    pub(crate) fn passes(&self, item: usize) -> bool {
        passes(&self.filters, &self.chosen, &self.search, &self.outline.items, item)
    }

    /// Updates the rows of the tree.
    pub(crate) fn refresh(&mut self) {
        let Self { tree, filters, chosen, search, outline, .. } = self;
        let items = &outline.items;
        tree.refresh(|item| passes(filters, chosen, search, items, item), |item| items[item].is_loss);
    }

    /// Updates the details of the selected node, and keeps its scroll position in range.
    pub(crate) fn settle(&mut self) {
        let areas = self.areas();
        if self.detail_of != Some(self.tree.selected) {
            self.detail = self.details();
            self.detail_of = Some(self.tree.selected);
            self.lay_out(areas);
            // After the layout, because it scrolls to a row.
            self.show_first_match();
        }
        self.lay_out(areas);
        let height = usize::from(areas.detail.height);
        self.detail.cursor = self.detail.cursor.min(self.detail.rows.len().saturating_sub(1));
        self.detail.top = self.detail.top.min(self.detail.rows.len().saturating_sub(height.max(1)));
    }

    fn lay_out(&mut self, areas: Areas) {
        // Hidden details are laid out when they appear.
        if areas.detail.width > 0 {
            let columns = usize::from(areas.detail.width);
            self.detail.lay_out(Layout { columns, wraps: self.wraps, unfolds: self.unfolds });
        }
    }

    /// Scrolls the details to the first match.
    pub(crate) fn show_first_match(&mut self) {
        let height = usize::from(self.areas().detail.height);
        let search = &self.search;
        if search.is_active() && self.detail.find(Some(0), true, |line| search.is_in(line)) {
            self.detail.scroll_to_cursor(height);
        }
    }

    /// The address or name of the selected node.
    pub(crate) fn address(&self) -> Option<&str> {
        match self.tree.node().kind {
            Kind::Overview | Kind::Section(_) => None,
            Kind::Module(section, group) => {
                self.outline.sections[section].groups[group].as_ref()?.address.as_deref()
            }
            Kind::Item(item) => Some(&self.outline.items[item].name),
        }
    }

    fn details(&mut self) -> Detail {
        match self.tree.node().kind {
            Kind::Overview => Detail::new(self.overview(), DiffLines::default()),
            Kind::Section(section) => {
                let title = self.outline.sections[section].title;
                Detail::new(vec![HeadLine::new(Role::Strong, title)], DiffLines::default())
            }
            Kind::Module(section, group) => {
                let mut head = Vec::new();
                if let Some(module) = &self.outline.sections[section].groups[group] {
                    let address = module.address.as_deref().map_or("Root module".into(), visible);
                    head = vec![
                        HeadLine::new(Role::Name, &address),
                        HeadLine::new(Role::Words, &module.counts()),
                    ];
                }
                Detail::new(head, DiffLines::default())
            }
            Kind::Item(item) => {
                let mut head = vec![line(&self.outline.items[item]), HeadLine::default()];
                match self.outline.diff(item) {
                    Ok(diff) => {
                        if diff.is_empty() {
                            head.push(HeadLine::new(Role::Faint, "There is nothing more to see of it."));
                        }
                        Detail::new(head, diff)
                    }
                    Err(error) => {
                        let error = (self.explain)(error);
                        head.push(HeadLine::new(Role::Bad, "error: ").with(Role::Words, &visible(&error)));
                        self.error.get_or_insert(error);
                        Detail::new(head, DiffLines::default())
                    }
                }
            }
        }
    }

    fn overview(&self) -> Vec<HeadLine> {
        let outline = &self.outline;
        let mut head = vec![HeadLine::new(Role::Strong, &outline.title)];
        head.extend(outline.sentences.iter().map(|sentence| HeadLine::new(Role::Words, sentence)));
        let warnings = self.settings.warnings.iter();
        head.extend(
            warnings
                .map(|warning| HeadLine::new(Role::Bad, "warning: ").with(Role::Words, &visible(warning))),
        );
        head.push(HeadLine::default());
        let width = self.filters.iter().map(|filter| filter.count.to_string().len()).max().unwrap_or(0);
        head.extend(self.filters.iter().map(|filter| {
            let count = format!("  {:>width$}  ", filter.count);
            HeadLine::new(Role::Words, &count).with(Role::Words, filter.title)
        }));
        let mut losses: Vec<_> = outline.items.iter().filter(|item| item.is_loss).collect();
        // Destroyed objects come before replaced ones.
        losses.sort_by_key(|item| item.sign != "-");
        if !losses.is_empty() {
            head.extend([HeadLine::default(), HeadLine::new(Role::Strong, "Destroyed or replaced")]);
            head.extend(losses.into_iter().map(|item| {
                HeadLine::new(Role::Bad, &format!("{:>3} ", item.sign)).with(Role::Name, &visible(&item.name))
            }));
        }
        head
    }
}

fn passes(
    filters: &[OutlineFilter],
    chosen: &[bool],
    search: &Search,
    items: &[OutlineItem<'_, '_>],
    item: usize,
) -> bool {
    let mut wanted = filters.iter().zip(chosen).filter(|(_, chosen)| **chosen).peekable();
    let is_chosen = wanted.peek().is_none() || wanted.any(|(filter, _)| filter.matches(&items[item]));
    is_chosen && search.matches(item)
}

/// The outline's line for an item.
fn line(item: &OutlineItem<'_, '_>) -> HeadLine {
    item.line.iter().fold(HeadLine::default(), |line, piece| {
        let role = match piece {
            OutlinePiece::Verb(_) => Role::Strong,
            OutlinePiece::Code(_) => Role::Name,
            _ => Role::Words,
        };
        line.with(role, &piece.shown())
    })
}
