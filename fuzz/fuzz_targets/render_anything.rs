//! Renders whatever reads as a plan or state, in every way: it must end, and send no control sequence.

#![no_main]

use libfuzzer_sys::fuzz_target;
use objchange_document::{Document, Program, Schemas};
use objchange_plan::{Colour, Filter, Options, Report};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // A document, and perhaps schemas after a NUL, which JSON cannot hold.
    let (text, schemas) = text.split_once('\0').unwrap_or((text, ""));
    let Ok(document) = Document::parse(text) else { return };
    let schemas = Schemas::parse(schemas).unwrap_or_else(|_| Schemas::none());
    for (full, program) in [(false, None), (true, None), (false, Some(Program::OPENTOFU))] {
        let options = Options { full, program, ..Options::default() };
        let mut out = Vec::new();
        let Ok(report) = Report::of(&document, &schemas, &options, &Filter::default()) else { continue };
        _ = report.write_text(&mut out, &options);
        _ = report.write_json(&mut out);
        _ = report.write_summary(&mut out, Colour::Never, Default::default());
        let out = String::from_utf8(out).expect("what is written is text");
        assert!(!out.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')));
    }
});
