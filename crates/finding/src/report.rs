//! Writes all cases of a command, in all requested forms.

use crate::junit::Junit;
use crate::sarif::{Rule, Sarif};
use crate::{Case, Finding, Location, Outcome, Verdict};

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Nothing fails.
    Success,
    /// Something fails.
    Failed,
    /// Something could not be judged.
    NotJudged,
}

impl Exit {
    /// The exit code.
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failed => 1,
            Self::NotJudged => 2,
        }
    }
}

/// The requested forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forms {
    /// JUnit's XML.
    pub junit: bool,
    /// SARIF 2.1.0.
    pub sarif: bool,
}

/// All cases of a command. The exit code and all forms agree on which of them fail.
#[derive(Debug)]
pub struct Report {
    worst: Verdict,
    junit: Option<Junit>,
    sarif: Option<Sarif>,
}

/// The rule of what could not be judged.
const NOT_JUDGED: &str = "not-judged";

impl Report {
    /// A report of this command without cases. The version is one of the fingerprints in SARIF.
    pub fn new(command: &str, fingerprint: &'static str, forms: Forms) -> Self {
        Self {
            worst: Verdict::Passed,
            junit: forms.junit.then(|| Junit::new(command)),
            sarif: forms.sarif.then(|| Sarif::new(fingerprint)),
        }
    }

    /// Adds a rule, whether or not it finds anything.
    pub fn rule(&mut self, rule: &Rule) {
        if let Some(sarif) = &mut self.sarif {
            sarif.rule(rule);
        }
    }

    /// Begins a suite. If its cases are about a plan, this is the file of it.
    pub fn suite(&mut self, name: &str, plan: Option<&str>) {
        if let Some(junit) = &mut self.junit {
            junit.suite(name);
        }
        if let Some(sarif) = &mut self.sarif {
            sarif.suite(plan);
        }
    }

    /// Adds a case to the last suite.
    pub fn case(&mut self, case: &Case) {
        self.worst = self.worst.max(case.verdict());
        if let Some(junit) = &mut self.junit {
            junit.case(case);
        }
        if let Some(sarif) = &mut self.sarif {
            sarif.case(case);
        }
    }

    /// Adds what could not be judged, with a sentence for each that begins with the file, and why that is accepted if it is.
    pub fn not_judged(&mut self, sentences: &[String], accepted: Option<&str>) {
        if sentences.is_empty() {
            return;
        }
        self.rule(&Rule::new(
            NOT_JUDGED,
            objchange_text::Severity::Error,
            "A document that could not be judged",
        ));
        self.suite("not judged", None);
        for sentence in sentences {
            // A document that cannot be read has no better place, and viewers of SARIF want one.
            let location = Location::new(named_file(sentence), 1_u64);
            let finding = Finding {
                rule: Some(NOT_JUDGED.into()),
                accepted: accepted.map(str::to_owned),
                ..Finding::new("not_judged", Outcome::NotJudged, &**sentence, location)
            };
            self.case(&Case::new(&**sentence).with(finding));
        }
    }

    /// How the command ends.
    pub fn exit(&self) -> Exit {
        match self.worst {
            Verdict::NotJudged => Exit::NotJudged,
            worst if worst.fails() => Exit::Failed,
            _ => Exit::Success,
        }
    }

    /// The report in JUnit's XML; empty if it was not asked for.
    pub fn junit(&mut self) -> String {
        self.junit.take().map(Junit::finish).unwrap_or_default()
    }

    /// The report in SARIF; empty if it was not asked for.
    pub fn sarif(&mut self) -> String {
        self.sarif.take().map(Sarif::finish).unwrap_or_default()
    }
}

/// The file that a sentence is about. It begins with its name, perhaps with a line and column: `a.json:1:5: …`.
fn named_file(sentence: &str) -> &str {
    let mut file = sentence.split_once(": ").map_or(sentence, |(place, _)| place);
    while let Some((name, _)) = file.rsplit_once(':').filter(|(_, number)| number.parse::<u64>().is_ok()) {
        file = name;
    }
    file
}
