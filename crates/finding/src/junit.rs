//! Reports in JUnit's XML: a suite for each document, a test case for each thing that was checked in it.
//!
//! XML cannot hold every character, not even escaped, so all that is not printable is written as in the text report.

use objchange_text::{visible, visible_colored, visible_lines};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use crate::{Case, Finding, Outcome, Verdict};

/// Holds every case until the end, because the head of the report says how many there are.
#[derive(Debug)]
pub(crate) struct Junit {
    name: String,
    suites: Vec<Suite>,
}

#[derive(Debug)]
struct Suite {
    name: String,
    cases: Vec<TestCase>,
}

#[derive(Debug)]
struct TestCase {
    attributes: Vec<(&'static str, String)>,
    /// Absent where the case passed.
    status: Option<Status>,
    /// Its `system-out`, where it is not empty.
    output: String,
}

/// Why a case did not pass.
#[derive(Debug)]
struct Status {
    kind: StatusKind,
    attributes: Vec<(&'static str, String)>,
    text: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StatusKind {
    Skipped,
    Failure,
    Error,
}

impl StatusKind {
    fn tag(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::Failure => "failure",
            Self::Error => "error",
        }
    }
}

impl Junit {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), suites: Vec::new() }
    }

    pub(crate) fn suite(&mut self, name: &str) {
        self.suites.push(Suite { name: visible(name).into_owned(), cases: Vec::new() });
    }

    /// Adds a case to the last suite.
    pub(crate) fn case(&mut self, case: &Case) {
        if let Some(suite) = self.suites.last_mut() {
            suite.cases.push(test_case(case));
        }
    }

    pub(crate) fn finish(self) -> String {
        let mut xml = Xml(Writer::new_with_indent(Vec::new(), b' ', 4));
        xml.event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
        let all = self.suites.iter().flat_map(|suite| &suite.cases);
        xml.element("testsuites", &name_and_counts(&self.name, all), |xml| {
            for suite in &self.suites {
                suite.write(xml);
            }
        });
        let text = String::from_utf8(xml.0.into_inner()).unwrap_or_default() + "\n";
        visible_colored(&text).into_owned()
    }
}

/// The attributes that the report and each suite have.
fn name_and_counts<'c>(name: &str, cases: impl Iterator<Item = &'c TestCase>) -> Vec<(&'static str, String)> {
    let [mut tests, mut skipped, mut failures, mut errors] = [0_usize; 4];
    for case in cases {
        tests += 1;
        match case.status.as_ref().map(|status| status.kind) {
            None => {}
            Some(StatusKind::Skipped) => skipped += 1,
            Some(StatusKind::Failure) => failures += 1,
            Some(StatusKind::Error) => errors += 1,
        }
    }
    let counts = [("tests", tests), ("skipped", skipped), ("failures", failures), ("errors", errors)];
    let counts = counts.map(|(name, count)| (name, count.to_string()));
    [("name", name.to_owned())].into_iter().chain(counts).collect()
}

impl Suite {
    fn write(&self, xml: &mut Xml) {
        let attributes = name_and_counts(&self.name, self.cases.iter());
        if self.cases.is_empty() {
            return xml.empty("testsuite", &attributes);
        }
        xml.element("testsuite", &attributes, |xml| {
            for case in &self.cases {
                case.write(xml);
            }
        });
    }
}

impl TestCase {
    fn write(&self, xml: &mut Xml) {
        if self.status.is_none() && self.output.is_empty() {
            return xml.empty("testcase", &self.attributes);
        }
        xml.element("testcase", &self.attributes, |xml| {
            if let Some(Status { kind, attributes, text }) = &self.status {
                match text {
                    Some(text) => xml.element(kind.tag(), attributes, |xml| xml.text(text)),
                    None => xml.empty(kind.tag(), attributes),
                }
            }
            if !self.output.is_empty() {
                xml.element("system-out", &[], |xml| xml.text(&self.output));
            }
        });
    }
}

/// A writer of elements into memory.
struct Xml(Writer<Vec<u8>>);

impl Xml {
    fn event(&mut self, event: Event<'_>) {
        // To write to memory does not fail.
        let _ = self.0.write_event(event);
    }

    fn empty(&mut self, tag: &str, attributes: &[(&str, String)]) {
        self.event(Event::Empty(start(tag, attributes)));
    }

    fn element(&mut self, tag: &str, attributes: &[(&str, String)], content: impl FnOnce(&mut Self)) {
        self.event(Event::Start(start(tag, attributes)));
        content(self);
        self.event(Event::End(BytesEnd::new(tag)));
    }

    fn text(&mut self, text: &str) {
        self.event(Event::Text(BytesText::new(text)));
    }
}

fn start<'t>(tag: &'t str, attributes: &[(&str, String)]) -> BytesStart<'t> {
    BytesStart::new(tag).with_attributes(attributes.iter().map(|(name, value)| (*name, value.as_str())))
}

fn test_case(case: &Case) -> TestCase {
    let mut attributes = vec![("name", visible(&case.name).into_owned())];
    if let Some(class) = &case.class {
        attributes.push(("classname", visible(class).into_owned()));
    }
    if let Some(time) = case.time {
        attributes.push(("time", format!("{:.3}", time.as_secs_f64())));
    }
    if let Some(location) = &case.location {
        attributes.push(("file", visible(&location.file).into_owned()));
        attributes.push(("line", location.line.to_string()));
    }
    let output = output(case);
    let output = if output.is_empty() { output } else { lines(&output) };
    TestCase { attributes, status: status(case), output }
}

/// The printed text of the check, and findings that the status does not have.
fn output(case: &Case) -> String {
    // Asked once: with a rule of 8,000 messages, asking for each took 3.2 s, and four times as long for twice as many.
    let verdict = case.verdict();
    let others = case.findings.iter().filter(|finding| match verdict {
        Verdict::Passed | Verdict::Skipped => finding.outcome == Outcome::Note,
        _ => !finding.fails(),
    });
    let others = others.map(|finding| format!("{}\n", visible(&finding.message)));
    case.output.iter().cloned().chain(others).collect()
}

fn status(case: &Case) -> Option<Status> {
    let kind = match case.verdict() {
        Verdict::Passed => return None,
        Verdict::Skipped => {
            let Some(first) = case.accepted().next() else {
                let reason = visible(case.skipped.as_deref().unwrap_or_default()).into_owned();
                let attributes = vec![("message", reason)];
                return Some(Status { kind: StatusKind::Skipped, attributes, text: None });
            };
            let reason = first.accepted.as_deref().unwrap_or_default();
            let message = format!("{reason}: {}", summary(case, first));
            return Some(Status {
                kind: StatusKind::Skipped,
                attributes: message_and_type(&message, first),
                text: text(case, first, case.accepted()).map(|text| lines(&text)),
            });
        }
        Verdict::Undecided | Verdict::Failed => StatusKind::Failure,
        Verdict::Error | Verdict::NotJudged => StatusKind::Error,
    };
    let Some(worst) = case.worst() else {
        return Some(Status { kind, attributes: Vec::new(), text: None });
    };
    Some(Status {
        kind,
        attributes: message_and_type(summary(case, worst), worst),
        text: text(case, worst, case.failing()).map(|text| lines(&text)),
    })
}

fn message_and_type(message: &str, finding: &Finding) -> Vec<(&'static str, String)> {
    vec![("message", visible(message).into_owned()), ("type", finding.kind.clone())]
}

fn summary<'c>(case: &'c Case, first: &'c Finding) -> &'c str {
    case.summary.as_deref().unwrap_or(&first.message)
}

/// Everything that the message does not say yet: details, and the other findings. Readers show both, one below the other.
fn text<'c>(case: &Case, first: &Finding, findings: impl Iterator<Item = &'c Finding>) -> Option<String> {
    if let Some(text) = &case.text {
        return Some(text.clone());
    }
    let said = findings.filter_map(|finding| {
        let is_said = case.summary.is_none() && std::ptr::eq(finding, first);
        match (&finding.details, is_said) {
            (None, true) => None,
            (Some(details), true) => Some(details.clone()),
            (Some(details), false) => Some(format!("{}\n{details}", visible(&finding.message))),
            (None, false) => Some(visible(&finding.message).into_owned()),
        }
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| said.join("\n"))
}

/// Lines with everything escaped that is not to be seen, and the line end of the last one, if it has one.
fn lines(text: &str) -> String {
    // Terraform writes U+FFFE into the CDATA of its report, which no XML parser accepts. Here it is escaped.
    let end = if text.ends_with('\n') { "\n" } else { "" };
    visible_lines(text) + end
}
