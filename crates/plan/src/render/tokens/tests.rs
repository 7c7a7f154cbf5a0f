//! The tokens that sinks get.

use std::fmt::Write;

use super::{Role, Tokens};
use crate::render::Writer;
use crate::{Filter, Options, Report};
use objchange_document::{Document, Schemas};

const PLAN: &str = r#"{"format_version":"1.2","resource_changes":[
{"address":"t.a","mode":"managed","type":"t","name":"a","change":{"actions":["update"],
 "before":{"id":"i","pin":"1","size":8},"after":{"pin":"2","size":null},"after_unknown":{"id":true},
 "before_sensitive":{"pin":true},"after_sensitive":{"pin":true}}},
{"address":"t.b[\"<\"]","mode":"managed","type":"t","name":"b","change":{"actions":["create"],
 "before":null,"after":{"items":["x"]}}}]}"#;

/// Renders a page through a sink.
fn page(sink: impl Fn(&Tokens, &mut String)) -> String {
    let (document, schemas) = (Document::parse(PLAN).unwrap(), Schemas::none());
    let report = Report::new(&document, &schemas, &Options::default(), &Filter::default()).unwrap();
    let mut out = String::new();
    let mut sink = |tokens: &Tokens| {
        sink(tokens, &mut out);
        Ok(())
    };
    let mut writer = Writer::new(&mut sink, report.program);
    writer.page(&report).unwrap();
    writer.flush().unwrap();
    drop(writer);
    out
}

#[test]
fn each_piece_has_a_role() {
    let pieces = page(|tokens, out| {
        for (role, piece) in tokens.pieces().filter(|_| tokens.address == "t.a") {
            _ = writeln!(out, "{role:?} {:?}", &tokens.text[piece]);
        }
    });
    let is_of_values = |piece: &&str| {
        ["Sign", "Key", "Value", "Marker", "Null", "Arrow", "Entry"]
            .iter()
            .any(|role| piece.starts_with(role))
    };
    insta::assert_snapshot!(pieces.lines().filter(is_of_values).collect::<Vec<_>>().join("\n"));
}

/// As a comment on a pull request would have it.
#[test]
fn a_sink_can_have_the_signs_in_column_one() {
    let diff = page(|tokens, out| {
        for (role, piece) in tokens.pieces().filter(|_| !tokens.address.is_empty()) {
            let text = &tokens.text[piece];
            match role {
                Role::EntryStart => _ = write!(out, "[{}]", tokens.address),
                Role::EntryEnd => out.push_str("[end]\n"),
                Role::Sign => {
                    let line = out.rfind('\n').map_or(0, |line_break| line_break + 1);
                    out.insert_str(line, text.trim());
                    out.push_str(&" ".repeat(text.len() - text.trim().len()));
                }
                _ => out.push_str(text),
            }
        }
    });
    insta::assert_snapshot!(diff);
}
