//! How the screen looks.

use std::ops::Range;

use objchange_plan::render::DiffRole;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::{Block, Clear, Widget};

use crate::app::{App, Pane, Popup};
use crate::detail::{Role, Row, TAB, fitting, width};
use crate::keys;
use crate::tree::{Kind, Node};

/// How far around a row matches are searched that are partly on it, in bytes.
// A match may begin left of the row. It has at most `MAX_QUERY` characters of four bytes, so it begins within this
// distance.
const AROUND: usize = 1_000;

/// The columns of the signs of items.
const SIGN: usize = 3;

/// Draws everything.
pub(crate) fn draw(app: &App<'_, '_>, frame: &mut Frame<'_>) {
    let areas = app.areas();
    let pen = Pen { has_colour: app.settings.has_colour };
    let buffer = frame.buffer_mut();
    pen.line(buffer, areas.headline, &app.outline.title, Style::new().add_modifier(Modifier::BOLD));
    draw_tree(app, pen, areas.tree, buffer);
    for y in areas.divider.top()..areas.divider.bottom() {
        buffer.set_string(areas.divider.x, y, "│", pen.faint());
    }
    draw_detail(app, pen, areas.detail, buffer);
    let cursor = draw_footer(app, pen, areas.footer, buffer);
    if let Some(popup) = app.popup {
        draw_popup(app, pen, popup, buffer);
    } else if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}

/// The area of a popup's content: one row for each key or filter.
pub(crate) fn popup_area(app: &App<'_, '_>, popup: Popup) -> Rect {
    let (columns, rows) = app.size;
    let (texts, count) = match popup {
        Popup::Keys(_) => (keys::lines().collect(), keys::KEYS.len()),
        Popup::Filters(_) => (filter_lines(app), app.filters.len()),
    };
    let widest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(FILTERS.len());
    let small = |count: usize, most: u16| u16::try_from(count).unwrap_or(u16::MAX).min(most);
    let (width, height) = (small(widest, columns.saturating_sub(2)), small(count, rows.saturating_sub(2)));
    Rect::new((columns - width) / 2, (rows - height) / 2, width, height)
}

/// The first line of a popup that is on the screen.
pub(crate) fn popup_top(popup: Popup, inside: Rect) -> usize {
    let height = usize::from(inside.height).max(1);
    match popup {
        Popup::Keys(row) => row.min(keys::KEYS.len().saturating_sub(height)),
        Popup::Filters(row) => (row + 1).saturating_sub(height),
    }
}

/// The title of the popup with filters.
const FILTERS: &str = " Show only: Space chooses, c clears, Esc ends ";

fn filter_lines(app: &App<'_, '_>) -> Vec<String> {
    let line = |(filter, chosen): (&objchange_plan::render::OutlineFilter, &bool)| {
        format!("[{}] {} ({})", if *chosen { 'x' } else { ' ' }, filter.title, filter.count)
    };
    app.filters.iter().zip(&app.chosen).map(line).collect()
}

/// Draws with colours, or without.
#[derive(Debug, Clone, Copy)]
struct Pen {
    has_colour: bool,
}

impl Pen {
    fn colour(self, colour: Color) -> Style {
        if self.has_colour { Style::new().fg(colour) } else { Style::new() }
    }

    fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// The style of matches.
    fn found(self) -> Style {
        match self.has_colour {
            true => Style::new().fg(Color::Black).bg(Color::Yellow),
            false => Style::new().add_modifier(Modifier::REVERSED),
        }
    }

    fn role(self, role: Role) -> Style {
        let bold = Modifier::BOLD;
        match role {
            Role::Words => Style::new(),
            Role::Strong => Style::new().add_modifier(bold),
            Role::Name => self.colour(Color::Cyan),
            Role::Bad => self.colour(Color::Red).add_modifier(bold),
            Role::Faint => self.faint(),
            Role::Diff(role) => match role {
                DiffRole::Null | DiffRole::Comment => self.faint(),
                DiffRole::Marker => self.colour(Color::Magenta),
                DiffRole::Arrow => self.colour(Color::Yellow),
                DiffRole::ForcesReplacement => self.colour(Color::Red),
                DiffRole::Hidden => self.colour(Color::Blue),
                DiffRole::Heading => Style::new().add_modifier(bold),
                DiffRole::Caution => self.colour(Color::Yellow).add_modifier(bold),
                _ => Style::new(),
            },
        }
    }

    /// A character of a sign.
    fn sign(self, c: char) -> Style {
        match c {
            '+' => self.colour(Color::Green),
            '-' | '.' => self.colour(Color::Red),
            '~' | '?' => self.colour(Color::Yellow),
            '<' | '=' => self.colour(Color::Cyan),
            _ => Style::new(),
        }
    }

    /// Writes text into a row, and says where it ends.
    fn text(self, buffer: &mut Buffer, x: u16, y: u16, end: u16, text: &str, style: Style) -> u16 {
        let room = usize::from(end.saturating_sub(x));
        match text.contains('\t') {
            true => buffer.set_stringn(x, y, text.replace('\t', TAB), room, style).0,
            false => buffer.set_stringn(x, y, text, room, style).0,
        }
    }

    /// Writes a sign into a row, and says where it ends.
    fn signs(self, buffer: &mut Buffer, x: u16, y: u16, end: u16, sign: &str) -> u16 {
        let mut at = [0; 4];
        sign.chars().fold(x, |x, c| self.text(buffer, x, y, end, c.encode_utf8(&mut at), self.sign(c)))
    }

    /// Writes a text that fills a row, and ends with dots if it is too long.
    fn line(self, buffer: &mut Buffer, area: Rect, text: &str, style: Style) {
        if area.is_empty() {
            return;
        }
        let room = usize::from(area.width);
        let end = fitting(text, room);
        self.text(buffer, area.x, area.y, area.right(), text, style);
        if end < text.len() {
            buffer.set_stringn(area.right() - 1, area.y, "…", 1, style);
        }
    }
}

/// The columns in front of a node.
pub(crate) fn indent(depth: usize, columns: u16) -> usize {
    (depth * 2).min(usize::from(columns) / 3)
}

fn draw_tree(app: &App<'_, '_>, pen: Pen, area: Rect, buffer: &mut Buffer) {
    let rows = app.tree.rows.iter().skip(app.tree.top);
    for (y, index) in (area.top()..area.bottom()).zip(rows) {
        let node = &app.tree.nodes[*index];
        draw_node(app, pen, node, app.tree.has_inside(*index), Rect { y, height: 1, ..area }, buffer);
        if *index == app.tree.selected {
            let modifier = match app.focus {
                Pane::Tree => Modifier::REVERSED,
                Pane::Detail => Modifier::UNDERLINED,
            };
            buffer.set_style(Rect { y, height: 1, ..area }, Style::new().add_modifier(modifier));
        }
    }
}

fn draw_node(app: &App<'_, '_>, pen: Pen, node: &Node, has_inside: bool, row: Rect, buffer: &mut Buffer) {
    let (y, end) = (row.y, row.right());
    let mut x = row.x + u16::try_from(indent(node.depth, row.width)).unwrap_or(0);
    let mut style = Style::new();
    match &node.kind {
        Kind::Item(item) => {
            let sign = app.outline.items[*item].sign;
            x = pen.signs(buffer, x, y, end, &format!("{sign:>SIGN$} "));
        }
        Kind::Overview => {}
        Kind::Section(_) | Kind::Module(..) => {
            let marker = if !has_inside {
                "  "
            } else if node.is_open {
                "▾ "
            } else {
                "▸ "
            };
            x = pen.text(buffer, x, y, end, marker, pen.faint());
            style = pen.role(if matches!(node.kind, Kind::Section(_)) { Role::Strong } else { Role::Name });
        }
    }
    // How many are in it goes to the end of the row, if there is room for both.
    let counts = match &node.kind {
        Kind::Section(_) | Kind::Module(..) => node.items.to_string(),
        _ => String::new(),
    };
    let losses =
        if node.losses > 0 && !counts.is_empty() { format!(" -{}", node.losses) } else { String::new() };
    let taken = u16::try_from(counts.len() + losses.len()).unwrap_or(u16::MAX);
    let mut label_end = end;
    if taken > 0 && end.saturating_sub(x) > taken + 8 {
        label_end = end - taken - 1;
        let at = pen.text(buffer, label_end + 1, y, end, &counts, pen.faint());
        pen.text(buffer, at, y, end, &losses, pen.colour(Color::Red));
    }
    let label = Rect { x, y, width: label_end.saturating_sub(x), height: 1 };
    pen.line(buffer, label, &node.label, style);
    if matches!(node.kind, Kind::Item(_)) {
        // A long address has thousands of places, and few of them fit.
        let shown = 0..fitting(&node.label, usize::from(label.width));
        for found in found_near(app, &node.label, &shown).into_iter().filter(|found| found.start < shown.end)
        {
            let columns = |text: &str| u16::try_from(width(text)).unwrap_or(u16::MAX);
            let start = x.saturating_add(columns(&node.label[..found.start]));
            let width = columns(&node.label[found]).min(label.right().saturating_sub(start));
            buffer.set_style(Rect { x: start, y, width, height: 1 }, pen.found());
        }
    }
}

fn draw_detail(app: &App<'_, '_>, pen: Pen, area: Rect, buffer: &mut Buffer) {
    let rows = app.detail.rows.iter().enumerate().skip(app.detail.top);
    for (y, (index, row)) in (area.top()..area.bottom()).zip(rows) {
        let area = Rect { y, height: 1, ..area };
        draw_row(app, pen, *row, area, buffer);
        if index == app.detail.cursor && app.focus == Pane::Detail {
            buffer.set_style(area, Style::new().add_modifier(Modifier::REVERSED));
        }
    }
}

fn draw_row(app: &App<'_, '_>, pen: Pen, row: Row, area: Rect, buffer: &mut Buffer) {
    let Some(line) = app.detail.line(row.line) else { return };
    let text = line.text();
    let columns = usize::from(area.width).saturating_sub(row.indent);
    let start = row.start + if app.wraps { 0 } else { skipped(&text[row.start..], app.detail.left) };
    let shown = start..start + fitting(&text[start..row.end.max(start)], columns);
    let found = found_near(app, text, &shown);
    let (mut x, mut at) = (area.x + u16::try_from(row.indent).unwrap_or(0), 0);
    for (role, piece) in line.pieces() {
        let range = at..at + piece.len();
        at = range.end;
        let range = range.start.max(shown.start)..range.end.min(shown.end);
        if range.is_empty() {
            continue;
        }
        if role == Role::Diff(DiffRole::Sign) {
            x = pen.signs(buffer, x, area.y, area.right(), &text[range]);
            continue;
        }
        for (part, is_found) in parts(range, &found) {
            let style = if is_found { pen.found() } else { pen.role(role) };
            x = pen.text(buffer, x, area.y, area.right(), &text[part], style);
        }
    }
    // The marker of a fold replaces spaces in front of it.
    let spaces = text.len() - text.trim_start_matches(' ').len();
    if app.detail.unfolds(row.line) > 0 && row.start == 0 && start == 0 && spaces >= 2 {
        let marker = if app.detail.is_unfolded(row.line) { "▾" } else { "▸" };
        let x = area.x.saturating_add(u16::try_from(spaces - 2).unwrap_or(u16::MAX));
        pen.text(buffer, x, area.y, area.right(), marker, pen.role(Role::Diff(DiffRole::Hidden)));
    }
}

/// How much of a text is left of the screen, in bytes.
fn skipped(text: &str, columns: usize) -> usize {
    if columns == 0 { 0 } else { fitting(text, columns) }
}

/// The matches that overlap a part of a text.
fn found_near(app: &App<'_, '_>, text: &str, shown: &Range<usize>) -> Vec<Range<usize>> {
    if !app.search.is_active() {
        return Vec::new();
    }
    let is_boundary = |at: &usize| text.is_char_boundary(*at);
    let start = (0..=shown.start.saturating_sub(AROUND)).rev().find(is_boundary).unwrap_or(0);
    let end = (shown.end + AROUND..text.len()).find(is_boundary).unwrap_or(text.len());
    let found = app.search.places(&text[start..end]).into_iter();
    found.map(|found| found.start + start..found.end + start).collect()
}

/// A part of a text split into matches and the pieces between them.
fn parts(range: Range<usize>, found: &[Range<usize>]) -> Vec<(Range<usize>, bool)> {
    let mut parts = Vec::new();
    let mut at = range.start;
    for found in found {
        let (start, end) = (found.start.clamp(at, range.end), found.end.clamp(at, range.end));
        parts.extend([(at..start, false), (start..end, true)]);
        at = end;
    }
    parts.push((at..range.end, false));
    parts.retain(|(part, _)| !part.is_empty());
    parts
}

/// Draws the last row, and says where the cursor goes.
fn draw_footer(app: &App<'_, '_>, pen: Pen, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    if area.is_empty() {
        return None;
    }
    let (row, rows) = match app.focus {
        Pane::Tree => (app.tree.row(), app.tree.rows.len()),
        Pane::Detail => (app.detail.cursor, app.detail.rows.len()),
    };
    let position = format!(" {}/{rows}", row + 1);
    let taken = u16::try_from(position.len()).unwrap_or(u16::MAX);
    let mut left = area;
    if area.width > taken + 20 {
        left.width -= taken;
        pen.text(buffer, left.right(), area.y, area.right(), &position, pen.faint());
    }
    if let Some(input) = &app.input {
        let found = found(app);
        let rest = u16::try_from(found.len()).unwrap_or(u16::MAX);
        // The end of a long input stays visible.
        let room = usize::from(left.width.saturating_sub(rest + 4));
        let mut typed = input.text.as_str();
        while width(typed) > room {
            typed = &typed[typed.chars().next().map_or(0, char::len_utf8)..];
        }
        let x = pen.text(buffer, left.x, area.y, left.right(), &format!("/{typed}"), Style::new());
        pen.text(buffer, x + 2, area.y, left.right(), &found, pen.faint());
        return Some(Position::new(x.min(area.right() - 1), area.y));
    }
    let text = match &app.message {
        Some(message) => message.clone(),
        None => status(app),
    };
    pen.line(buffer, left, &text, Style::new());
    None
}

fn found(app: &App<'_, '_>) -> String {
    if !app.search.is_active() {
        return "addresses, types and values".to_owned();
    }
    let searched = app.search.progress().map(|searched| searched * 100 / app.outline.items.len().max(1));
    let searching = searched.map(|percent| format!(", {percent} % searched")).unwrap_or_default();
    match app.tree.found() {
        0 if searching.is_empty() => "nothing found".to_owned(),
        count => format!("{count} found{searching}"),
    }
}

/// The active filters and the search, or else the available keys.
fn status(app: &App<'_, '_>) -> String {
    let chosen = app.filters.iter().zip(&app.chosen).filter(|(_, chosen)| **chosen);
    let chosen: Vec<&str> = chosen.map(|(filter, _)| filter.title).collect();
    let mut parts = Vec::new();
    if app.search.is_active() {
        parts.push(format!("/{}  {}  n N next  Esc ends", app.search.query(), found(app)));
    }
    if !chosen.is_empty() {
        parts.push(format!("only {}  f filter", chosen.join(", ")));
    }
    if parts.is_empty() {
        parts.push("? keys  / search  f filter  Tab other side  u unchanged  y copy  q quit".to_owned());
    }
    parts.join("  ")
}

fn draw_popup(app: &App<'_, '_>, pen: Pen, popup: Popup, buffer: &mut Buffer) {
    let inside = popup_area(app, popup);
    let around = Rect::new(
        inside.x.saturating_sub(1),
        inside.y.saturating_sub(1),
        inside.width.saturating_add(2),
        inside.height.saturating_add(2),
    );
    let around = around.intersection(buffer.area);
    Clear.render(around, buffer);
    let first = popup_top(popup, inside);
    let (title, lines, selected) = match popup {
        Popup::Keys(_) => (" Keys ", keys::lines().collect(), None),
        Popup::Filters(row) => (FILTERS, filter_lines(app), Some(row)),
    };
    Block::bordered().title(title).render(around, buffer);
    for (y, (index, line)) in (inside.top()..inside.bottom()).zip(lines.iter().enumerate().skip(first)) {
        let row = Rect { y, height: 1, ..inside };
        pen.line(buffer, row, line, Style::new());
        if selected == Some(index) {
            buffer.set_style(row, Style::new().add_modifier(Modifier::REVERSED));
        }
    }
}
