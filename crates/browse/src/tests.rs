//! The screen, driven by keys and the mouse.

use crossterm::event::{
    Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use objchange_document::{Document, Schemas};
use objchange_plan::{Filter, Options, Report};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;
use serde_json::{Value, json};

use crate::app::{App, Pane, Settings};
use crate::draw::draw;
use crate::keys;
use crate::update::{Effect, Event, update};

const WIDE: (u16, u16) = (80, 20);

fn change(address: &str, actions: &[&str], before: &Value, after: &Value) -> Value {
    let (module, name) = address.rsplit_once(".aws_").map_or(("", address), |(module, name)| (module, name));
    let name = name.rsplit('.').next().unwrap_or_default();
    json!({"address": address, "module_address": (!module.is_empty()).then_some(module), "mode": "managed",
        "type": "aws_thing", "name": name, "provider_name": "registry.terraform.io/hashicorp/aws",
        "change": {"actions": actions, "before": before, "after": after}})
}

/// A plan with modules, every common action, and values of all kinds.
fn plan() -> String {
    let web = |ami: &str, size: &str| {
        json!({"id": "i-0abc", "ami": ami, "size": size, "zone": "eu-west-1a", "monitoring": true,
            "user_data": "#!/bin/sh\necho \"a long line of a script that does not fit into any pane of eighty columns\"\n"})
    };
    let mut replaced = change(
        "module.net.module.subnets[\"a\"].aws_subnet.private",
        &["delete", "create"],
        &json!({"cidr": "10.0.1.0/24", "vpc": "vpc-1"}),
        &json!({"cidr": "10.0.2.0/24", "vpc": "vpc-1"}),
    );
    replaced["change"]["replace_paths"] = json!([["cidr"]]);
    replaced["action_reason"] = "replace_because_cannot_update".into();
    json!({"format_version": "1.2", "terraform_version": "1.9.0", "resource_changes": [
        change("aws_instance.web", &["update"], &web("ami-1", "small"), &web("ami-1", "large")),
        change("module.net.aws_vpc.main", &["create"], &Value::Null, &json!({"cidr": "10.0.0.0/16"})),
        replaced,
        change("module.db.aws_database.orders", &["delete"], &json!({"engine": "postgres"}), &Value::Null),
    ], "resource_drift": [
        change("aws_instance.web", &["update"], &web("ami-0", "small"), &web("ami-1", "small")),
    ], "output_changes": {
        "endpoint": {"actions": ["update"], "before": "http://a", "after": "https://a"},
        "password": {"actions": ["create"], "before": null, "after": "hunter2", "after_sensitive": true},
    }})
    .to_string()
}

fn with_settings<R>(
    document: &str,
    size: (u16, u16),
    settings: Settings,
    test: impl FnOnce(&mut App<'_, '_>) -> R,
) -> R {
    let (document, schemas) = (Document::parse(document).unwrap(), Schemas::none());
    let report = Report::new(&document, &schemas, &Options::default(), &Filter::default()).unwrap();
    let explain = Box::new(|error: objchange_plan::report::ShowError| format!("plan.json: {error}"));
    test(&mut App::new(report.outline(), settings, explain, size))
}

fn with_app<R>(document: &str, size: (u16, u16), test: impl FnOnce(&mut App<'_, '_>) -> R) -> R {
    with_settings(document, size, Settings::default(), test)
}

fn press(app: &mut App<'_, '_>, code: KeyCode, modifiers: KeyModifiers) -> Effect {
    update(app, Event::Terminal(TerminalEvent::Key(KeyEvent::new(code, modifiers))))
}

/// Presses keys one after the other: a line end is Enter, `⎋` Escape, `⇥` Tab, `⌫` Backspace, arrows are arrows.
fn keys(app: &mut App<'_, '_>, keys: &str) -> Effect {
    let mut last = Effect::None;
    for c in keys.chars() {
        let code = match c {
            '\n' => KeyCode::Enter,
            '⎋' => KeyCode::Esc,
            '⇥' => KeyCode::Tab,
            '⌫' => KeyCode::Backspace,
            '←' => KeyCode::Left,
            '→' => KeyCode::Right,
            '↑' => KeyCode::Up,
            '↓' => KeyCode::Down,
            c => KeyCode::Char(c),
        };
        last = press(app, code, KeyModifiers::NONE);
    }
    last
}

fn mouse(app: &mut App<'_, '_>, kind: MouseEventKind, column: u16, row: u16) {
    let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
    update(app, Event::Terminal(TerminalEvent::Mouse(event)));
}

fn click(app: &mut App<'_, '_>, column: u16, row: u16) {
    mouse(app, MouseEventKind::Down(MouseButton::Left), column, row);
    mouse(app, MouseEventKind::Up(MouseButton::Left), column, row);
}

/// Does all work that is left for later.
fn wait(app: &mut App<'_, '_>) {
    while app.search.progress().is_some() {
        update(app, Event::Idle);
    }
}

fn drawn(app: &App<'_, '_>) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(app.size.0, app.size.1)).unwrap();
    terminal.draw(|frame| draw(app, frame)).unwrap();
    terminal
}

/// The content of the screen, without the spaces at the ends of rows.
fn screen(app: &App<'_, '_>) -> String {
    let terminal = drawn(app);
    let buffer = terminal.backend().buffer();
    let row = |y| {
        let mut row = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            row.push_str(symbol);
            // A wide character has the next column too.
            x += u16::try_from(crate::detail::width(symbol).max(1)).unwrap();
        }
        row.trim_end().to_owned()
    };
    (0..buffer.area.height).map(row).collect::<Vec<_>>().join("\n")
}

/// The label of the selected node.
fn selected(app: &App<'_, '_>) -> String {
    app.tree.node().label.clone()
}

/// The labels of the rows of the tree.
fn labels(app: &App<'_, '_>) -> Vec<String> {
    app.tree.rows.iter().map(|row| app.tree.nodes[*row].label.clone()).collect()
}

#[test]
fn it_starts_with_an_overview() {
    let settings = Settings { has_colour: false, warnings: vec!["something is missing".to_owned()] };
    with_settings(&plan(), WIDE, settings, |app| insta::assert_snapshot!(screen(app)));
}

#[test]
fn a_resource_is_shown_beside_the_tree() {
    with_app(&plan(), WIDE, |app| {
        keys(app, "JJJJ");
        assert_eq!(selected(app), "aws_instance.web");
        insta::assert_snapshot!(screen(app));
    });
}

#[test]
fn unchanged_parts_are_unfolded_on_demand() {
    with_app(&plan(), WIDE, |app| {
        keys(app, "JJJJ⇥");
        let folded = screen(app);
        // The line with their number.
        let is_fold = |app: &App<'_, '_>| app.detail.unfolds(app.detail.cursor_line()) > 0;
        while !is_fold(app) {
            keys(app, "j");
        }
        keys(app, "\n");
        insta::assert_snapshot!(screen(app));
        keys(app, "\n");
        keys(app, "u");
        assert!(screen(app).contains("zone"));
        keys(app, "u");
        assert!(!screen(app).contains("zone") && folded.contains("unchanged"));
    });
}

#[test]
fn long_lines_go_on_below_or_are_scrolled() {
    with_app(&plan(), WIDE, |app| {
        keys(app, "JJJJ⇥uwz");
        assert!(!screen(app).contains("of eighty columns\""));
        keys(app, "→→→→");
        let scrolled = screen(app);
        assert!(scrolled.contains("of eighty columns\"") && !scrolled.contains("user_data"), "{scrolled}");
        keys(app, "w");
        assert!(screen(app).contains("user_data"));
    });
}

#[test]
fn the_tree_folds() {
    with_app(&plan(), WIDE, |app| {
        keys(app, "-");
        insta::assert_snapshot!(screen(app));
        keys(app, "j→→→");
        assert_eq!(selected(app), "module.db");
        keys(app, "+");
        let all = labels(app);
        assert_eq!(
            all[..9],
            [
                "Overview",
                "Resources",
                "module.db",
                "aws_database.orders",
                "module.net",
                "aws_vpc.main",
                "module.subnets[\"a\"]",
                "aws_subnet.private",
                "Root module"
            ]
        );
        keys(app, "J←");
        assert_eq!(selected(app), "module.db");
        keys(app, "←←");
        assert_eq!(selected(app), "Resources");
        assert_eq!(labels(app).len(), all.len() - 1);
        // A folded item is found as well.
        keys(app, "J");
        assert_eq!(selected(app), "aws_database.orders");
        keys(app, "!");
        assert_eq!(selected(app), "aws_subnet.private");
        keys(app, "!");
        assert_eq!(selected(app), "aws_database.orders");
    });
}

#[test]
fn filters_leave_what_is_chosen() {
    with_app(&plan(), WIDE, |app| {
        keys(app, "f");
        keys(app, " j ");
        insta::assert_snapshot!(screen(app));
        keys(app, "⎋");
        assert_eq!(
            labels(app),
            [
                "Overview",
                "Resources",
                "module.db",
                "aws_database.orders",
                "module.net",
                "module.subnets[\"a\"]",
                "aws_subnet.private"
            ]
        );
        assert!(screen(app).contains("only Destroy, Replace"));
        keys(app, "fc⎋");
        assert!(labels(app).contains(&"endpoint".to_owned()));
    });
}

#[test]
fn a_search_finds_addresses_at_once_and_values_later() {
    with_app(&plan(), WIDE, |app| {
        keys(app, "/SUBNET pri");
        assert_eq!(selected(app), "aws_subnet.private");
        assert_eq!(labels(app).last().map(String::as_str), Some("aws_subnet.private"));
        wait(app);
        insta::assert_snapshot!(screen(app));
        // A value, in unchanged parts that are folded.
        keys(app, "⎋/WEST-1A");
        assert!(labels(app) == ["Overview"]);
        wait(app);
        let found = labels(app);
        assert_eq!(found.iter().filter(|label| **label == "aws_instance.web").count(), 2, "{found:?}");
        assert_eq!(selected(app), "aws_instance.web");
        assert!(screen(app).contains("eu-west-1a"), "{}", screen(app));
        keys(app, "\n");
        let first = app.tree.selected;
        keys(app, "n");
        assert_ne!(app.tree.selected, first);
        keys(app, "N");
        assert_eq!(app.tree.selected, first);
        keys(app, "⎋");
        assert!(labels(app).contains(&"endpoint".to_owned()));
        // Sensitive values are not found.
        keys(app, "/hunter2");
        wait(app);
        assert!(screen(app).contains("nothing found"), "{}", screen(app));
        // Escape restores the search before.
        keys(app, "⎋/web\n/vpc⎋");
        assert_eq!(app.search.query(), "web");
        keys(app, "/⌫");
        assert!(!app.search.is_active());
    });
}

#[test]
fn words_are_looked_for_as_they_are() {
    with_app(&plan(), WIDE, |app| {
        for (query, count) in [("subnets[\"a\"]", 1), (".*", 0), ("10.0.0.0/16 vpc", 1), ("a(b", 0), ("_", 6)]
        {
            keys(app, "/");
            keys(app, query);
            wait(app);
            assert!(app.tree.found() == count || query == "_" && app.tree.found() > 3, "{query}");
            keys(app, "⎋");
        }
    });
}

#[test]
fn places_that_are_found_are_visited_in_the_details() {
    with_app(&plan(), WIDE, |app| {
        keys(app, "JJJJ/size\n⇥");
        wait(app);
        let line = |app: &App<'_, '_>| app.detail.line(app.detail.cursor_line()).unwrap().text().to_owned();
        assert!(line(app).contains("size"), "{}", line(app));
        let item = app.tree.selected;
        keys(app, "n");
        assert_ne!(app.tree.selected, item, "the next item");
    });
}

#[test]
fn addresses_are_copied_as_they_are() {
    with_app(&plan(), WIDE, |app| {
        assert_eq!(keys(app, "y"), Effect::None);
        assert!(screen(app).contains("select a resource"));
        keys(app, "JJJ");
        let address = "module.net.module.subnets[\"a\"].aws_subnet.private";
        assert_eq!(keys(app, "y"), Effect::Copy(address.to_owned()));
        assert!(screen(app).contains("copied module.net"));
        keys(app, "←");
        assert_eq!(keys(app, "c"), Effect::Copy("module.net.module.subnets[\"a\"]".to_owned()));
    });
}

#[test]
fn nothing_that_turns_text_around_is_copied() {
    let text = json!({"format_version": "1.2", "resource_changes": [
        {"address": "x.a[\"\u{202e}\u{1b}\"]", "mode": "managed", "type": "x", "name": "a",
         "change": {"actions": ["create"], "before": null, "after": {}}}]});
    with_app(&text.to_string(), WIDE, |app| {
        let copied = (0..4).map(|_| {
            keys(app, "J");
            keys(app, "y")
        });
        let wanted = Effect::Copy("x.a[\"\\u202e\\x1b\"]".to_owned());
        assert!(copied.into_iter().any(|effect| effect == wanted));
    });
}

#[test]
fn the_program_ends_when_it_is_asked_to() {
    with_app(&plan(), WIDE, |app| {
        assert_eq!(keys(app, "q"), Effect::Quit);
        assert_eq!(press(app, KeyCode::Char('c'), KeyModifiers::CONTROL), Effect::Interrupt);
        assert_eq!(press(app, KeyCode::Char('z'), KeyModifiers::CONTROL), Effect::Suspend);
        keys(app, "/q");
        assert_eq!(app.search.query(), "q");
        assert_eq!(press(app, KeyCode::Char('c'), KeyModifiers::CONTROL), Effect::Interrupt);
        assert_eq!(keys(app, "⎋m"), Effect::TakeMouse(false));
        assert_eq!(keys(app, "m"), Effect::TakeMouse(true));
    });
}

#[test]
fn the_mouse_selects_folds_scrolls_and_drags() {
    with_app(&plan(), WIDE, |app| {
        click(app, 10, 3);
        assert_eq!(selected(app), "module.db");
        // The marker in front of it.
        click(app, 2, 3);
        assert!(!labels(app).contains(&"aws_database.orders".to_owned()));
        click(app, 2, 3);
        click(app, 10, 4);
        assert_eq!((selected(app).as_str(), app.focus), ("aws_database.orders", Pane::Tree));
        click(app, 10, 4);
        assert_eq!(app.focus, Pane::Detail);
        let divider = app.areas().divider.x;
        mouse(app, MouseEventKind::Down(MouseButton::Left), divider, 5);
        mouse(app, MouseEventKind::Drag(MouseButton::Left), 50, 5);
        mouse(app, MouseEventKind::Up(MouseButton::Left), 50, 5);
        assert_eq!(app.areas().divider.x, 50);
        mouse(app, MouseEventKind::Drag(MouseButton::Left), 20, 5);
        assert_eq!(app.areas().divider.x, 50, "nobody drags it");
        keys(app, "f");
        let inside = crate::draw::popup_area(app, app.popup.unwrap());
        click(app, inside.x + 1, inside.y + 1);
        assert!(app.chosen[1]);
        click(app, 0, 0);
        assert_eq!(app.popup, None);
    });
    with_app(&plan(), (80, 8), |app| {
        mouse(app, MouseEventKind::ScrollDown, 3, 3);
        assert_eq!((app.tree.top, selected(app).as_str()), (3, "Overview"));
        mouse(app, MouseEventKind::ScrollUp, 3, 3);
        mouse(app, MouseEventKind::ScrollDown, 60, 3);
        assert_eq!((app.tree.top, app.detail.top), (0, 3));
        // A line for unchanged parts unfolds.
        keys(app, "JJJJzz");
        let row = app.detail.rows.iter().position(|row| app.detail.unfolds(row.line) > 0).unwrap();
        app.detail.top = row;
        update(app, Event::Idle);
        let y = u16::try_from(row - app.detail.top).unwrap() + 1;
        click(app, 60, y);
        assert!(app.detail.is_unfolded(app.detail.cursor_line()));
    });
}

#[test]
fn narrow_screens_show_one_side() {
    with_app(&plan(), (40, 12), |app| {
        keys(app, "JJJJ");
        let tree = screen(app);
        keys(app, "\n");
        insta::assert_snapshot!(format!("{tree}\n{}\n{}", "=".repeat(40), screen(app)));
        keys(app, "←");
        assert_eq!(screen(app), tree);
    });
}

#[test]
fn a_state_is_shown() {
    let state = json!({"format_version": "1.0", "terraform_version": "1.9.0", "values": {
        "outputs": {"endpoint": {"sensitive": false, "type": "string", "value": "https://a"}},
        "root_module": {"resources": [{"address": "a_b.c", "mode": "managed", "type": "a_b", "name": "c",
            "provider_name": "p", "schema_version": 0, "values": {"id": "x", "size": 3}, "sensitive_values": {}}]}}});
    with_app(&state.to_string(), (70, 10), |app| {
        keys(app, "J");
        insta::assert_snapshot!(screen(app));
    });
}

#[test]
fn what_cannot_be_read_is_said_where_it_is_looked_at() {
    let deep = format!("{}{}", "[".repeat(2_000), "]".repeat(2_000));
    let text = plan().replace("\"postgres\"", &deep);
    with_app(&text, WIDE, |app| {
        assert_eq!(app.error, None);
        keys(app, "J");
        let error = app.error.clone().unwrap_or_default();
        assert!(error.contains("nest too deeply"), "{error}");
        assert!(screen(app).contains("error: plan.json"), "{}", screen(app));
        // It is unknown whether it matches.
        keys(app, "/nothing-like-this");
        wait(app);
        assert_eq!(labels(app).last().map(String::as_str), Some("aws_database.orders"));
    });
}

#[test]
fn nothing_of_a_document_moves_the_cursor_or_turns_text_around() {
    let hostile = "\u{1b}[2J\u{9b}1m\u{202e}\r\n\ttext\u{2066}";
    let text = json!({"format_version": "1.2", "resource_changes": [
        {"address": hostile, "module_address": format!("module.{hostile}"), "mode": "managed", "type": hostile,
         "name": hostile, "deposed": hostile, "action_reason": hostile,
         "change": {"actions": ["update"], "before": {hostile: hostile, "a": "x\ny"}, "after": {hostile: "b", "a": "x\tz\ny"}}}],
        "output_changes": {hostile: {"actions": ["create"], "before": null, "after": hostile}}});
    let settings = Settings { has_colour: true, warnings: vec![hostile.to_owned()] };
    with_settings(&text.to_string(), (120, 30), settings, |app| {
        let mut seen = 0;
        for _ in 0..8 {
            let terminal = drawn(app);
            for cell in terminal.backend().buffer().content() {
                let hidden = |c: char| {
                    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
                };
                assert!(!cell.symbol().contains(hidden), "{:?}", cell.symbol());
            }
            seen += screen(app).matches("\\x1b[2J").count();
            keys(app, "ju");
        }
        assert!(seen > 3, "it is escaped");
    });
}

#[test]
fn colours_are_used_only_where_they_are_wanted() {
    let colours = |has_colour| {
        with_settings(&plan(), WIDE, Settings { has_colour, warnings: Vec::new() }, |app| {
            keys(app, "JJJ/10\n");
            wait(app);
            let terminal = drawn(app);
            let cells = terminal.backend().buffer().content().iter();
            cells.filter(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset).count()
        })
    };
    assert_eq!(colours(false), 0);
    assert!(colours(true) > 10);
}

#[test]
fn the_keys_fit_on_a_screen_of_80_columns() {
    with_app(&plan(), (80, 24), |app| {
        keys(app, "?");
        insta::assert_snapshot!(screen(app));
        keys(app, "?");
        assert_eq!(app.popup, None);
    });
    // The page has the same keys.
    let page = include_str!("../../../docs/browse.md");
    for key in keys::KEYS.iter().flat_map(|(keys, _)| keys.split([' ', ','])).filter(|key| !key.is_empty()) {
        assert!(page.contains(&format!("`{key}`")), "{key}");
    }
    assert!(keys::lines().all(|line| line.chars().count() <= 78));
}

fn any_event() -> impl Strategy<Value = Event> {
    let key = prop::sample::select("jkhlgGJK!/nNfuwz<>ycm?q-+= ae0\n".chars().collect::<Vec<_>>());
    let code = prop_oneof![
        8 => key.prop_map(|c| if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) }),
        1 => prop::sample::select(vec![
            KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right, KeyCode::PageUp, KeyCode::PageDown,
            KeyCode::Home, KeyCode::End, KeyCode::Tab, KeyCode::Esc, KeyCode::Backspace,
        ]),
    ];
    let modifiers = prop_oneof![6 => Just(KeyModifiers::NONE), 1 => Just(KeyModifiers::CONTROL)];
    let kind = prop::sample::select(vec![
        MouseEventKind::Down(MouseButton::Left),
        MouseEventKind::Up(MouseButton::Left),
        MouseEventKind::Drag(MouseButton::Left),
        MouseEventKind::ScrollUp,
        MouseEventKind::ScrollDown,
    ]);
    let mouse = (kind, 0..130_u16, 0..40_u16).prop_map(|(kind, column, row)| {
        TerminalEvent::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })
    });
    prop_oneof![
        12 => (code, modifiers).prop_map(|(code, modifiers)| TerminalEvent::Key(KeyEvent::new(code, modifiers))),
        3 => mouse,
        1 => (0..130_u16, 0..40_u16).prop_map(|(columns, rows)| TerminalEvent::Resize(columns, rows)),
        1 => "\\PC{0,3}".prop_map(TerminalEvent::Paste),
    ]
    .prop_map(Event::Terminal)
    .boxed()
    .prop_union(Just(Event::Idle).boxed())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// In any case a node is selected and visible, and the screen can be drawn.
    #[test]
    fn any_keys_leave_a_screen_that_can_be_drawn(events in prop::collection::vec(any_event(), 0..60)) {
        with_app(&plan().replace("10.0.2.0", "世界\\u0301\\t\\u200b"), WIDE, |app| {
            for event in events {
                update(app, event);
                drawn(app);
                prop_assert!(app.tree.rows.contains(&app.tree.selected));
                prop_assert!(app.detail.cursor < app.detail.rows.len().max(1));
            }
            Ok(())
        })?;
    }
}
