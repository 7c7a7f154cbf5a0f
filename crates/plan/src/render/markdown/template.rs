//! Renders the page by a user's template, which gets the parts of the built-in page.

use std::collections::BTreeMap;
use std::time::Duration;

use minijinja::machinery::{Vm, make_string_output};
use minijinja::value::{Value, ValueKind};
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior};
use objchange_text::TimeLimit;

use super::bounded::{self, Budget};
use super::fitting::{FittingEntries, LISTED, ShownAs, address, folded_title, module_name};
use super::{LeftOut, MarkdownOptions, ReportBody, Room, escape, length, marker, target, title};
use crate::render::outline::{OutlineModule, sections};
use crate::render::overview::{Sentence, action_counts, counts, default_title, is_small, sentences};
use crate::report::TemplateError;
use crate::report::{Report, ShowError};

/// A template for Markdown pages, in the language of Jinja.
///
/// The template gets `page`, the parts of the built-in page, and `report`, the JSON form of the [`Report`]. Output is
/// never markup by accident: texts are escaped, and code, lines and diffs of the built-in page are Markdown already.
/// The filter `code` formats a text as code. An unknown name is an error.
///
/// ```
/// use std::time::Duration;
///
/// use objchange_document::{Plan, Schemas};
/// use objchange_plan::{Filter, Options, Report};
/// use objchange_plan::render::{MarkdownOptions, MarkdownTemplate};
///
/// let template = MarkdownTemplate::parse("{% for action in page.actions %}{{ action.count }} × {{ action.name }}\n{% endfor %}")?;
/// let plan = Plan::parse(
///     r#"{"format_version":"1.2","resource_changes":[{"address":"null_resource.a","mode":"managed",
///     "type":"null_resource","name":"a","provider_name":"registry.terraform.io/hashicorp/null",
///     "change":{"actions":["create"],"before":null,"after":{}}}]}"#,
/// )?;
/// let schemas = Schemas::none();
/// let report = Report::of_plan(&plan, &schemas, &Options::default(), &Filter::default())?;
/// let mut page = Vec::new();
/// report.write_markdown_template(&mut page, &MarkdownOptions::default(), &template, Duration::from_secs(60))?;
/// assert_eq!(page, "1 × Create\n".as_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MarkdownTemplate {
    text: String,
    uses_report: bool,
}

/// The name of the one template.
const NAME: &str = "page";

/// The maximum work for one page, in steps of the template: more than the longest page of a site takes.
const FUEL: u64 = 10_000_000;

/// The maximum number of attempts to make a page shorter.
const MAX_TRIES: usize = 12;

impl MarkdownTemplate {
    /// The template of the built-in page.
    pub const BUILT_IN: &'static str = include_str!("page.md.jinja");

    /// The maximum length of a template, in bytes.
    pub const MAX_LENGTH: u64 = 1 << 20;

    /// Reads a template.
    ///
    /// # Errors
    ///
    /// The text is not a template, or is longer than [`MAX_LENGTH`](Self::MAX_LENGTH), or nests too much in one tag.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        bounded::check_nesting(text)?;
        bounded::compile(NAME, text)?;
        let mut environment = Environment::new();
        environment.add_template(NAME, text)?;
        let uses_report = environment.get_template(NAME)?.undeclared_variables(false).contains("report");
        Ok(Self { text: text.to_owned(), uses_report })
    }

    fn render(&self, page: Value, report: &Value, budget: &Budget) -> Result<String, TemplateError> {
        let root = [("page", page), ("report", report.clone())].into_iter().collect::<BTreeMap<_, _>>();
        let (environment, instructions) = (environment(budget), bounded::compile(NAME, &self.text)?);
        let mut out = String::new();
        let output = &mut make_string_output(&mut out);
        let escaped = AutoEscape::Custom("markdown");
        Vm::new(&environment).eval(&instructions, root.into(), &BTreeMap::new(), output, escaped)?;
        Ok(out)
    }
}

/// How templates are evaluated, within this budget.
fn environment<'t>(budget: &Budget) -> Environment<'t> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    bounded::add_filters(&mut environment, budget);
    let output = budget.clone();
    environment.set_formatter(move |out, _, value| {
        output.pay_text(std::slice::from_ref(value))?;
        Ok(match (value.kind(), value.as_str()) {
            (_, Some(text)) if value.is_safe() => out.write_str(text),
            (_, Some(text)) => out.write_str(&escape::prose(text)),
            (ValueKind::None, _) => Ok(()),
            (ValueKind::Bool | ValueKind::Number, _) => write!(out, "{value}"),
            _ => out.write_str(&escape::code(&value.to_string())),
        }?)
    });
    let code = budget.clone();
    environment.add_filter("code", move |text: &str| {
        code.pay(text.len() as u64).map(|()| Value::from_safe_string(escape::code(text)))
    });
    environment
}

impl From<minijinja::Error> for TemplateError {
    fn from(error: minijinja::Error) -> Self {
        let message = match (error.kind(), error.detail()) {
            (ErrorKind::OutOfFuel, _) => "the template takes too many steps".to_owned(),
            (kind, Some(detail)) => format!("{kind}: {detail}"),
            (kind, None) => kind.to_string(),
        };
        Self { line: error.line(), message }
    }
}

impl Report<'_> {
    /// Writes a Markdown page by a template, in at most this time. Entries are left out, the least important first, until
    /// the page is within [`max_length`](MarkdownOptions::max_length).
    ///
    /// # Errors
    ///
    /// A change, or the schema of its type, cannot be read; the template fails or takes too long; the page is too long even
    /// without entries; or it cannot be written.
    pub fn write_markdown_template(
        &self,
        out: &mut dyn std::io::Write,
        options: &MarkdownOptions<'_>,
        template: &MarkdownTemplate,
        timeout: Duration,
    ) -> Result<(), ShowError> {
        let time = TimeLimit::begin(timeout);
        let report = match template.uses_report {
            true => Value::from_serialize(self),
            false => Value::from(()),
        };
        let (sections, items) = sections(self);
        let mut room = super::room(self, &LeftOut::all(&sections, &items), options);
        for _ in 0..MAX_TRIES {
            let part = ReportBody::new(self, &sections, &items, Room::of_page(room), options.plain)?;
            let page = template.render(page(self, &part, options), &report, &Budget::new(time))?;
            let too_much = length(&page).saturating_sub(options.max_length);
            if too_much == 0 {
                return Ok(out.write_all(page.as_bytes())?);
            }
            if room == 0 {
                break;
            }
            // The template's text around the entries may grow with them, so make some extra room.
            room = room.saturating_sub(too_much + room / 16);
        }
        let message =
            format!("the page is longer than {} characters, also without entries", options.max_length);
        Err(TemplateError { line: None, message }.into())
    }
}

fn safe(text: impl Into<String>) -> Value {
    Value::from_safe_string(text.into())
}

fn object<const N: usize>(members: [(&'static str, Value); N]) -> Value {
    members.into_iter().collect::<BTreeMap<_, _>>().into()
}

/// The parts of a page, for templates.
fn page(report: &Report<'_>, part: &ReportBody<'_, '_, '_>, options: &MarkdownOptions<'_>) -> Value {
    let note = |Sentence { important, rest }: Sentence| {
        object([("important", safe(important)), ("text", safe(rest))])
    };
    let ignored = super::ignored(report);
    let ignored =
        ignored.map(|rest| object([("important", safe(super::IGNORED)), ("text", safe(rest))])).into_iter();
    let action =
        |(name, count): (&'static str, usize)| object([("name", safe(name)), ("count", Value::from(count))]);
    let or_none = |text: Option<String>| text.map_or_else(|| Value::from(()), safe);
    object([
        ("marker", or_none(marker(options))),
        ("title", safe(title(options, &default_title(report)))),
        ("counts", safe(counts(report))),
        ("notes", sentences(report).into_iter().map(note).chain(ignored).collect()),
        ("link", or_none(target(options))),
        ("actions", action_counts(report).map(action).collect()),
        ("table", safe(&*part.table)),
        ("caution", safe(part.caution())),
        ("destroyed", part.destroyed.iter().cloned().map(safe).collect()),
        ("more_destroyed", Value::from(part.more_destroyed)),
        ("is_open", Value::from(is_small(report))),
        ("has_entries", Value::from(!part.fitting.items.is_empty())),
        ("sections", fitting_sections(&part.fitting)),
        ("left_out", safe(part.left_out().amounts())),
        ("max_length", Value::from(options.max_length)),
    ])
}

/// The sections of the entries that fit, after the one with addresses alone.
fn fitting_sections(fitting: &FittingEntries<'_, '_, '_>) -> Value {
    let listed = fitting.listed();
    let by_action = listed.chunk_by(|a, b| fitting.items[*a].action == fitting.items[*b].action);
    let list = |indices: &[usize]| {
        let lines = indices.iter().map(|index| entry(fitting, *index, &address(&fitting.items[*index]), ""));
        let action = fitting.items[indices[0]].action.unwrap_or_default();
        group("", "", action, lines.collect())
    };
    let lists: Vec<Value> = by_action.map(list).collect();
    let section = |title: &str, groups: Value| object([("title", safe(title)), ("groups", groups)]);
    let first = (!lists.is_empty()).then(|| section(LISTED, lists.into()));
    let shown = fitting.shown_as.iter().enumerate().filter_map(|(index, place)| match place {
        ShownAs::Entry(diff) => Some((index, &**diff)),
        ShownAs::LeftOut | ShownAs::Listed | ShownAs::Counted => None,
    });
    let shown: Vec<_> = shown.collect();
    let item = |(index, _): &(usize, &str)| &fitting.items[*index];
    let by_section = shown.chunk_by(|a, b| item(a).section == item(b).section);
    let rest = by_section.map(|shown| {
        let of = &fitting.sections[item(&shown[0]).section];
        let groups = shown.chunk_by(|a, b| item(a).group == item(b).group).map(|shown| {
            let entries =
                shown.iter().map(|(index, diff)| entry(fitting, *index, &fitting.lines[*index], diff));
            let module = of.groups[item(&shown[0]).group].as_ref();
            let (name, counts) = (module.map(module_name), module.map(OutlineModule::counts));
            let counts = counts.or_else(|| of.folded.as_ref().map(|folded| folded_title(folded, false)));
            group(&name.unwrap_or_default(), &counts.unwrap_or_default(), "", entries.collect())
        });
        section(of.title, groups.collect())
    });
    first.into_iter().chain(rest).collect()
}

/// Entries of a module, or addresses of objects to which the same happens; without either, its name is none.
fn group(module: &str, counts: &str, list: &str, entries: Value) -> Value {
    let or_none = |text: &str| if text.is_empty() { Value::from(()) } else { safe(text) };
    object([
        ("module", or_none(module)),
        ("counts", safe(counts)),
        ("list", or_none(list)),
        ("entries", entries),
    ])
}

fn entry(fitting: &FittingEntries<'_, '_, '_>, index: usize, line: &str, diff: &str) -> Value {
    let item = &fitting.items[index];
    object([
        ("line", safe(line)),
        ("action", item.action.map_or_else(|| Value::from(()), safe)),
        ("address", Value::from(item.name.clone())),
        ("deposed", item.deposed.clone().map_or_else(|| Value::from(()), Value::from)),
        ("diff", safe(diff.trim_end_matches('\n'))),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Why a template is refused that may make 2 MiB and look at 4 MiB.
    fn error(template: &str) -> String {
        let time = TimeLimit::begin(Duration::from_secs(600));
        let budget = Budget::of([2 << 20, 4 << 20], time);
        let nothing = || Value::from(());
        match MarkdownTemplate::parse(template).unwrap().render(nothing(), &nothing(), &budget) {
            Err(error) => error.message,
            Ok(page) => panic!("{template:.200}: {page:.200}"),
        }
    }

    /// A template that doubles a value forty times, by an expression with it in place of `@`.
    fn doubling(first: &str, step: &str) -> String {
        let step = step.replace('@', "ns.a");
        format!(
            "{{% set ns = namespace(a={first}) %}}{{% for i in range(40) %}}{{% set ns.a = {step} %}}{{% endfor %}}{{{{ ns.a }}}}"
        )
    }

    #[test]
    fn a_template_that_makes_too_much_is_refused() {
        let doubled = [
            (r#""x""#, "@ ~ @"),
            (r#""x""#, "@ + @"),
            (r#""x""#, "@ * 2"),
            (r#""x""#, "2 * @"),
            (r#""x""#, r#"@|replace("x", "xx")"#),
            (r#""x""#, "[@, @]|join(@)"),
            (r#""x""#, r#""%s%s"|format(@, @)"#),
            (r#""x""#, "[@, @]|string"),
            (r#""x""#, r#"["x"]|map("replace", "x", @ ~ @)|first"#),
            ("[1]", "@ + @"),
            ("[1]", "@ * 2"),
            ("[1]", "[@, @]"),
            ("[1]", "{1: @, 2: @}"),
            ("[1]", "dict(a=@, b=@)"),
            ("[1]", "@|zip(@)|list"),
            ("[1]", "@|chain(@)|list"),
            ("[1]", "[@, @]|pprint"),
            ("[1]", "(@, @)"),
        ];
        for (first, step) in doubled {
            assert_eq!(
                error(&doubling(first, step)),
                "invalid operation: the template makes more than 64 MiB",
                "{step}"
            );
        }
        let nested = format!(
            "{}{{{{ a }}}}{}",
            "{% for a in [(a|d('x')) ~ (a|d('x'))] %}".repeat(40),
            "{% endfor %}".repeat(40)
        );
        for format in [r#""%.70000f"|format(1.5)"#, r#""%.*e"|format(70000, 1.5)"#, r#""%70000d"|format(1)"#]
        {
            let message = error(&format!("{{{{ {format} }}}}"));
            assert_eq!(
                message, "invalid operation: `format` writes at most 65535 characters for one value",
                "{format}"
            );
        }
        let captured = "{% set ns = namespace(a='x') %}{% for i in range(40) %}{% set b %}{{ ns.a }}{{ ns.a }}{% endset %}{% set ns.a = b %}{% endfor %}";
        let raw = format!(
            "{{% set b %}}{{% for i in range(100000) %}}{}{{% endfor %}}{{% endset %}}",
            "raw ".repeat(1000)
        );
        for template in [
            r#"{{ range(10)|batch(1000000000, "x")|list|length }}"#,
            r#"{{ range(10)|slice(1000000000, "x")|list|length }}"#,
            r#"{{ "%1000000000d"|format(1) }}"#,
            r#"{{ "%*d"|format(1000000000, 1) }}"#,
            r#"{{ "a\nb"|indent(1000000000) }}"#,
            r#"{{ "a\nb"|indent(width=1000000000) }}"#,
            r#"{{ "x" * 1000000000 }}"#,
            "{{ ([1] * 1000000000)|list }}",
            r#"{{ ["a\nb"]|map("indent", 1000000000)|first }}"#,
            &nested,
            captured,
            &raw,
        ] {
            assert_eq!(
                error(template),
                "invalid operation: the template makes more than 64 MiB",
                "{template:.100}"
            );
        }
        for template in [
            "{% set ns = namespace(a=1) %}{% set ns.a = ns %}{{ ns }}",
            "{% set ns = namespace(a=1) %}{% set ns.a = [ns] %}{{ ns|upper }}",
        ] {
            assert_eq!(error(template), "invalid operation: a namespace cannot hold a namespace");
        }
        assert_eq!(
            error(
                "{% set ns = namespace(a=[1]) %}{% for i in range(10000) %}{% set ns.a = [ns.a] %}{% endfor %}"
            ),
            "invalid operation: lists and objects are within each other too deeply"
        );
    }

    /// A comparison makes little, and looks at all of its operands.
    #[test]
    fn a_template_looks_at_no_more_than_it_may() {
        let (text, list) = ("'é' * 100000", "range(9000)|list");
        for (made, looks) in [
            (text, "s == t"),
            (text, "s != t"),
            (text, "s < t"),
            (text, "s <= t <= s"),
            (text, "'xy' in s"),
            (text, "'xy' not in s"),
            (text, "s|length == 3"),
            (text, "s[-1] == 'x'"),
            (text, "s[1:] == 'x'"),
            (text, "s is lower"),
            (text, "s is startingwith(t)"),
            (text, "s is eq t"),
            (text, "'xy' is in s"),
            (list, "s < t"),
            (list, "-1 in s"),
            (list, "s|min == 1"),
            (list, "s|sum == 1"),
            (list, "s|sort|first == 1"),
            (list, "s|unique|first == 1"),
            (list, "s|select('eq', 1)|list"),
            (list, "loop.changed(s)"),
            (text, "loop.changed(1, s)"),
            ("[{'a': 'é' * 1000}] * 100", "s|sort(attribute='a')"),
            ("[{'a': 'é' * 1000}] * 100", "s|groupby('a')"),
            ("[{'a': 'é' * 1000}] * 100", "s|unique(attribute='a')"),
            ("[{'a': 'é' * 1000}] * 100", "s|selectattr('a', 'lower')|list"),
            ("['é' * 1000] * 100", "s|reject('lower')|list"),
            ("['é'] * 100", "s|select('in', ['é' * 10000])|list"),
            ("dict(a='é' * 100000, b='é' * 100000)", "s|dictsort(by='value')"),
            ("range(9000)", "s|last == 1"),
            ("[('x' * 1000) ~ 'y'] * 100", "s == t"),
        ] {
            let template = format!(
                "{{% set s = {made} %}}{{% set t = {made} %}}{{% for i in range(99999) %}}{{% if {looks} %}}{{% endif %}}{{% endfor %}}"
            );
            let message = error(&template);
            let is_refused =
                message.contains("looks at more than 256 MiB") || message.contains("makes more than 64 MiB");
            assert!(is_refused, "{looks}: {message}");
        }
    }
}
