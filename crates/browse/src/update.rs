//! Handles keys and the mouse.

use crossterm::event::{
    Event as TerminalEvent, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use ratatui::layout::{Position, Rect};

use crate::app::{App, Input, Pane, Popup};
use crate::draw::{indent, popup_area, popup_top};
use crate::keys::KEYS;
use crate::search::MAX_QUERY;
use crate::tree::Kind;

/// The maximum length of a copied address, in bytes. Terminals may ignore longer texts, or worse.
const MAX_COPY: usize = 50_000;

/// The rows that one turn of the wheel moves.
const WHEEL: isize = 3;

/// The columns that a key moves unwrapped lines sideways.
const SIDEWAYS: usize = 8;

/// An event for the screen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Event {
    /// A key, the mouse, or another size.
    Terminal(TerminalEvent),
    /// No event within the time limit, so there is time for work.
    Idle,
}

/// Work beyond drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    None,
    Quit,
    /// The user has interrupted the program.
    Interrupt,
    Suspend,
    /// Copy a text to the clipboard.
    Copy(String),
    /// Take the mouse, or leave it to the terminal.
    TakeMouse(bool),
}

/// Updates the state of the screen, and returns further work.
pub(crate) fn update(app: &mut App<'_, '_>, event: Event) -> Effect {
    let effect = match event {
        // Windows also reports the release of a key, which must not act a second time.
        Event::Terminal(TerminalEvent::Key(key)) if key.kind != KeyEventKind::Release => {
            app.message = None;
            let (before, was_typing) = (app.tree.selected, app.input.is_some());
            let effect = pressed(app, key);
            stop_seeking(app, before, was_typing);
            effect
        }
        Event::Terminal(TerminalEvent::Mouse(mouse)) => {
            let before = app.tree.selected;
            clicked(app, mouse);
            stop_seeking(app, before, false);
            Effect::None
        }
        Event::Terminal(TerminalEvent::Resize(columns, rows)) => {
            app.size = (columns, rows);
            keep_selected(app);
            Effect::None
        }
        Event::Terminal(TerminalEvent::Paste(text)) => {
            if let Some(input) = &mut app.input {
                let typed = text.lines().next().unwrap_or_default().chars().filter(|c| !c.is_control());
                let room = MAX_QUERY.saturating_sub(input.text.chars().count());
                input.text.extend(typed.take(room));
                search_again(app);
            }
            Effect::None
        }
        Event::Terminal(_) => Effect::None,
        Event::Idle => {
            if app.search.advance(&app.outline) {
                app.refresh();
                seek(app);
            }
            Effect::None
        }
    };
    app.settle();
    effect
}

fn pressed(app: &mut App<'_, '_>, key: KeyEvent) -> Effect {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        // In raw mode the terminal sends no signals for these two keys.
        KeyCode::Char('c') if is_control => return Effect::Interrupt,
        KeyCode::Char('z') if is_control => return Effect::Suspend,
        _ => {}
    }
    if app.input.is_some() {
        type_search(app, key);
        return Effect::None;
    }
    if let Some(popup) = app.popup {
        pressed_in_popup(app, popup, key.code);
        return Effect::None;
    }
    let page = isize::try_from(height(app)).unwrap_or(isize::MAX).max(1);
    match key.code {
        KeyCode::Char('u') if is_control => move_by(app, -(page / 2).max(1)),
        KeyCode::Char('d') if is_control => move_by(app, (page / 2).max(1)),
        KeyCode::Char('b') if is_control => move_by(app, -page),
        KeyCode::Char('f') if is_control => move_by(app, page),
        _ if is_control || key.modifiers.contains(KeyModifiers::ALT) => {}
        KeyCode::Char('q') => return Effect::Quit,
        KeyCode::Up | KeyCode::Char('k') => move_by(app, -1),
        KeyCode::Down | KeyCode::Char('j') => move_by(app, 1),
        KeyCode::PageUp => move_by(app, -page),
        KeyCode::PageDown => move_by(app, page),
        KeyCode::Home | KeyCode::Char('g') => move_by(app, isize::MIN),
        KeyCode::End | KeyCode::Char('G') => move_by(app, isize::MAX),
        KeyCode::Left | KeyCode::Char('h') => left(app),
        KeyCode::Right | KeyCode::Char('l') => right(app),
        KeyCode::Enter | KeyCode::Char(' ') => open(app),
        KeyCode::Tab | KeyCode::BackTab => app.focus = app.focus.other(),
        KeyCode::Char('-') => set_all_open(app, false),
        KeyCode::Char('+' | '=') => set_all_open(app, true),
        KeyCode::Char('J') => go_to_item(app, true, |_| true),
        KeyCode::Char('K') => go_to_item(app, false, |_| true),
        KeyCode::Char('!') => {
            let losses: Vec<bool> = app.outline.items.iter().map(|item| item.is_loss).collect();
            go_to_item(app, true, |item| losses[item]);
        }
        KeyCode::Char('/') => {
            let before = app.search.query().to_owned();
            app.seeks_from = Some(app.tree.selected);
            app.input = Some(Input { text: String::new(), before });
        }
        KeyCode::Char('n') => go_to_match(app, true),
        KeyCode::Char('N') => go_to_match(app, false),
        KeyCode::Esc if app.search.is_active() => set_search(app, ""),
        KeyCode::Esc => app.focus = Pane::Tree,
        KeyCode::Char('f') => app.popup = Some(Popup::Filters(0)),
        KeyCode::Char('u') => app.unfolds = !app.unfolds,
        KeyCode::Char('w') => {
            app.wraps = !app.wraps;
            app.detail.left = 0;
        }
        KeyCode::Char('z') => app.is_zoomed = !app.is_zoomed,
        KeyCode::Char('<') => app.tree_columns = Some(app.areas().tree.width.saturating_sub(4)),
        KeyCode::Char('>') => app.tree_columns = Some(app.areas().tree.width.saturating_add(4)),
        KeyCode::Char('y' | 'c') => return copy(app),
        KeyCode::Char('m') => {
            app.has_mouse = !app.has_mouse;
            let said = if app.has_mouse { "the mouse is used here" } else { "the mouse selects text" };
            app.message = Some(said.to_owned());
            return Effect::TakeMouse(app.has_mouse);
        }
        KeyCode::Char('?') | KeyCode::F(1) => app.popup = Some(Popup::Keys(0)),
        _ => {}
    }
    Effect::None
}

/// The height of the focused pane.
fn height(app: &App<'_, '_>) -> usize {
    let areas = app.areas();
    usize::from(match app.focus {
        Pane::Tree => areas.tree.height,
        Pane::Detail => areas.detail.height,
    })
}

fn keep_selected(app: &mut App<'_, '_>) {
    let areas = app.areas();
    app.tree.scroll_to_selected(usize::from(areas.tree.height));
}

fn move_by(app: &mut App<'_, '_>, rows: isize) {
    let height = height(app);
    match app.focus {
        Pane::Tree => {
            app.tree.step(rows);
            app.tree.scroll_to_selected(height);
        }
        Pane::Detail => app.detail.move_cursor(rows, height),
    }
}

fn left(app: &mut App<'_, '_>) {
    match app.focus {
        Pane::Detail if app.detail.left > 0 => app.detail.left = app.detail.left.saturating_sub(SIDEWAYS),
        Pane::Detail => app.focus = Pane::Tree,
        Pane::Tree => {
            let selected = app.tree.selected;
            if app.tree.has_inside(selected) && app.tree.node().is_open {
                app.tree.nodes[selected].is_open = false;
                app.refresh();
            } else if let Some(parent) = app.tree.node().parent {
                app.tree.selected = parent;
            }
            keep_selected(app);
        }
    }
}

fn right(app: &mut App<'_, '_>) {
    match app.focus {
        Pane::Detail if !app.wraps => app.detail.left += SIDEWAYS,
        Pane::Detail => {}
        Pane::Tree => {
            let selected = app.tree.selected;
            match (app.tree.has_inside(selected), app.tree.node().is_open) {
                (true, false) => {
                    app.tree.nodes[selected].is_open = true;
                    app.refresh();
                }
                (true, true) => move_by(app, 1),
                (false, _) => app.focus = Pane::Detail,
            }
        }
    }
}

fn open(app: &mut App<'_, '_>) {
    match app.focus {
        Pane::Detail => app.detail.toggle(app.detail.cursor_line()),
        Pane::Tree => {
            let selected = app.tree.selected;
            if app.tree.has_inside(selected) {
                app.tree.nodes[selected].is_open = !app.tree.node().is_open;
                app.refresh();
            } else {
                app.focus = Pane::Detail;
            }
        }
    }
}

fn set_all_open(app: &mut App<'_, '_>, is_open: bool) {
    app.tree.set_all_open(is_open);
    app.refresh();
    keep_selected(app);
}

/// Selects the next or previous wanted item. Shows a message if there is none.
fn go_to_item(app: &mut App<'_, '_>, forward: bool, wanted: impl Fn(usize) -> bool) {
    let Some(node) = app.tree.next_item(forward, wanted) else {
        app.message = Some("there is none".to_owned());
        return;
    };
    app.tree.reveal(node);
    app.refresh();
    keep_selected(app);
}

/// Goes to the next match: in the details if they have the focus, then in the next item.
fn go_to_match(app: &mut App<'_, '_>, forward: bool) {
    if !app.search.is_active() {
        app.message = Some("nothing is looked for: / starts a search".to_owned());
        return;
    }
    let height = height(app);
    let line = app.detail.cursor_line();
    let from = if forward { Some(line + 1) } else { line.checked_sub(1) };
    let search = &app.search;
    if app.focus == Pane::Detail && app.detail.find(from, forward, |line| search.is_in(line)) {
        return app.detail.scroll_to_cursor(height);
    }
    go_to_item(app, forward, |_| true);
}

/// Keeps the user's selection during the rest of a search.
fn stop_seeking(app: &mut App<'_, '_>, before: usize, was_typing: bool) {
    if !was_typing && app.tree.selected != before {
        app.seeks_from = None;
    }
}

/// Selects the node from the start of the search, if it matches, or else the next matching item.
fn seek(app: &mut App<'_, '_>) {
    let Some(from) = app.seeks_from else { return };
    let passes = |app: &App<'_, '_>, node: usize| match app.tree.nodes[node].kind {
        Kind::Item(item) => app.passes(item),
        _ => !app.search.is_active(),
    };
    let found = if passes(app, from) {
        Some(from)
    } else if passes(app, app.tree.selected) {
        None
    } else {
        app.tree.next_item(true, |_| true)
    };
    if let Some(node) = found {
        app.tree.reveal(node);
        app.refresh();
    }
    keep_selected(app);
}

fn set_search(app: &mut App<'_, '_>, query: &str) {
    app.search.set(query, &app.outline);
    app.seeks_from.get_or_insert(app.tree.selected);
    app.refresh();
    seek(app);
    keep_selected(app);
    app.show_first_match();
}

/// Searches for the text typed so far.
fn search_again(app: &mut App<'_, '_>) {
    if let Some(input) = &app.input {
        let query = input.text.clone();
        set_search(app, &query);
    }
}

fn type_search(app: &mut App<'_, '_>, key: KeyEvent) {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    let Some(input) = &mut app.input else { return };
    match key.code {
        KeyCode::Enter => {
            app.input = None;
            return;
        }
        KeyCode::Esc => {
            let before = std::mem::take(&mut input.before);
            app.input = None;
            return set_search(app, &before);
        }
        KeyCode::Backspace if input.text.is_empty() => {
            app.input = None;
            return set_search(app, "");
        }
        KeyCode::Backspace => _ = input.text.pop(),
        KeyCode::Char('u') if is_control => input.text.clear(),
        KeyCode::Char('w') if is_control => {
            let end = input.text.trim_end().rfind(' ').map_or(0, |space| space + 1);
            input.text.truncate(end);
        }
        KeyCode::Char(c) if !is_control && input.text.chars().count() < MAX_QUERY => input.text.push(c),
        _ => return,
    }
    search_again(app);
}

fn pressed_in_popup(app: &mut App<'_, '_>, popup: Popup, key: KeyCode) {
    app.popup = match (popup, key) {
        (Popup::Keys(row), KeyCode::Down | KeyCode::Char('j')) => {
            Some(Popup::Keys((row + 1).min(KEYS.len().saturating_sub(1))))
        }
        (Popup::Keys(row), KeyCode::Up | KeyCode::Char('k')) => Some(Popup::Keys(row.saturating_sub(1))),
        (Popup::Filters(row), KeyCode::Down | KeyCode::Char('j')) => {
            Some(Popup::Filters((row + 1).min(app.filters.len().saturating_sub(1))))
        }
        (Popup::Filters(row), KeyCode::Up | KeyCode::Char('k')) => {
            Some(Popup::Filters(row.saturating_sub(1)))
        }
        (Popup::Filters(row), KeyCode::Enter | KeyCode::Char(' ')) => {
            toggle_filter(app, row);
            Some(popup)
        }
        (Popup::Filters(_), KeyCode::Char('c')) => {
            app.chosen.fill(false);
            app.refresh();
            keep_selected(app);
            Some(popup)
        }
        (_, KeyCode::Esc | KeyCode::Char('q' | 'f' | '?') | KeyCode::Enter) => None,
        _ => Some(popup),
    };
}

fn toggle_filter(app: &mut App<'_, '_>, filter: usize) {
    if let Some(chosen) = app.chosen.get_mut(filter) {
        *chosen = !*chosen;
        app.refresh();
        keep_selected(app);
    }
}

fn copy(app: &mut App<'_, '_>) -> Effect {
    let Some(address) = app.address() else {
        app.message = Some("select a resource, an output or a module to copy its address".to_owned());
        return Effect::None;
    };
    if address.len() > MAX_COPY {
        app.message = Some("the address is too long to copy".to_owned());
        return Effect::None;
    }
    // The address may be pasted into a terminal.
    let address = objchange_text::visible(address).into_owned();
    app.message = Some(format!("copied {address}"));
    Effect::Copy(address)
}

fn clicked(app: &mut App<'_, '_>, mouse: MouseEvent) {
    let at = Position::new(mouse.column, mouse.row);
    let rows = match mouse.kind {
        MouseEventKind::ScrollUp => -WHEEL,
        MouseEventKind::ScrollDown => WHEEL,
        MouseEventKind::Down(MouseButton::Left) => return pressed_button(app, at),
        MouseEventKind::Drag(MouseButton::Left) if app.drags => {
            app.tree_columns = Some(mouse.column);
            return;
        }
        MouseEventKind::Up(_) => {
            app.drags = false;
            return;
        }
        _ => return,
    };
    let areas = app.areas();
    match app.popup {
        Some(Popup::Keys(row)) => {
            let row = row.saturating_add_signed(rows).min(KEYS.len().saturating_sub(1));
            app.popup = Some(Popup::Keys(row));
        }
        Some(Popup::Filters(_)) => {}
        None if areas.tree.contains(at) => app.tree.scroll(rows, usize::from(areas.tree.height)),
        None if areas.detail.contains(at) => app.detail.scroll(rows, usize::from(areas.detail.height)),
        None => {}
    }
}

/// The row of a pane at a place on the screen.
fn row_at(area: Rect, top: usize, at: Position) -> usize {
    top + usize::from(at.y - area.y)
}

fn pressed_button(app: &mut App<'_, '_>, at: Position) {
    app.message = None;
    let areas = app.areas();
    if let Some(popup) = app.popup {
        let inside = popup_area(app, popup);
        match popup {
            Popup::Filters(_) if inside.contains(at) => {
                let filter = popup_top(popup, inside) + usize::from(at.y - inside.y);
                app.popup = Some(Popup::Filters(filter.min(app.filters.len().saturating_sub(1))));
                toggle_filter(app, filter);
            }
            _ => app.popup = None,
        }
    } else if areas.divider.contains(at) {
        app.drags = true;
    } else if areas.tree.contains(at) {
        app.focus = Pane::Tree;
        let row = row_at(areas.tree, app.tree.top, at);
        let Some(node) = app.tree.rows.get(row).copied() else { return };
        let column = usize::from(at.x - areas.tree.x);
        let marker = indent(app.tree.nodes[node].depth, areas.tree.width);
        let is_marker = app.tree.has_inside(node) && (marker..marker + 2).contains(&column);
        let was_selected = app.tree.selected == node;
        app.tree.selected = node;
        if is_marker || was_selected {
            open(app);
        }
    } else if areas.detail.contains(at) {
        app.focus = Pane::Detail;
        let row = row_at(areas.detail, app.detail.top, at);
        if let Some(line) = app.detail.rows.get(row).map(|row| row.line) {
            app.detail.cursor = row;
            app.detail.toggle(line);
        }
    }
}
