//! Cases about what people see: the operations that begin with `render_`.

use objchange::case::{Case, CaseError, Difference, Outcome};
use objchange_plan::{Colour, Options, Plan, PlanMode, Schemas, ShowError, State};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Want {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    color: Option<String>,
    #[serde(default)]
    panic: bool,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct RawOptions {
    #[serde(default)]
    mode: Mode,
    #[serde(default)]
    width: Option<usize>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    Normal,
    Destroy,
    #[serde(alias = "refresh-only")]
    RefreshOnly,
}

/// Renders what the case says and compares the text, byte for byte.
pub(super) fn run(case: &Case<'_>) -> Outcome {
    match rendered(case) {
        Ok(outcome) => outcome,
        Err(error) => Outcome::Unusable(error),
    }
}

fn rendered(case: &Case<'_>) -> Result<Outcome, CaseError> {
    let want: Want = case.parsed("want")?;
    if want.text.is_none() && want.color.is_none() && !want.panic {
        return Err(case.wrong_field("want", "it needs `text`, `color` or `panic`"));
    }
    let options = options(case)?;
    let texts = [(Colour::Never, want.text, "text"), (Colour::Always, want.color, "color")];
    for (colour, want_text, name) in texts {
        let Some(got) = render(case, &Options { colour, ..options })? else {
            return Ok(Outcome::UnknownOperation);
        };
        match (got, want_text) {
            // Where the reference crashes, any text is right.
            (Ok(_), None) => {}
            (Ok(got), Some(want)) if got == want => {}
            (Ok(got), Some(want)) => return Ok(Outcome::Failed(difference(name, &got, &want))),
            (Err(_), None) if !want.panic => {}
            (Err(error), want) => {
                let want = want.unwrap_or_else(|| "a text".to_owned());
                return Ok(Outcome::Failed(Difference::whole(format!("refused: {error}"), want)));
            }
        }
    }
    Ok(Outcome::Passed)
}

fn options(case: &Case<'_>) -> Result<Options, CaseError> {
    let raw = match case.optional_field("options") {
        Some(_) => case.parsed::<RawOptions>("options")?,
        None => RawOptions::default(),
    };
    let default = Options::default();
    Ok(Options {
        mode: match raw.mode {
            Mode::Normal => PlanMode::Normal,
            Mode::Destroy => PlanMode::Destroy,
            Mode::RefreshOnly => PlanMode::RefreshOnly,
        },
        width: raw.width.unwrap_or(default.width),
        ..default
    })
}

/// The text, or why there is none; `None` if the operation is not known.
fn render(case: &Case<'_>, options: &Options) -> Result<Option<Result<String, ShowError>>, CaseError> {
    Ok(Some(match case.op() {
        "render_plan" => {
            let (plan, schemas) = (case.field("plan")?, case.field("schemas")?);
            Plan::parse(plan)
                .map_err(ShowError::from)
                .and_then(|plan| objchange_plan::render_plan(&plan, &Schemas::parse(schemas)?, options))
        }
        "render_state" => {
            let (state, schemas) = (case.field("state")?, case.field("schemas")?);
            State::parse(state)
                .map_err(ShowError::from)
                .and_then(|state| objchange_plan::render_state(&state, &Schemas::parse(schemas)?, options))
        }
        "render_resource_change" => {
            let schema = case.schema()?;
            objchange_plan::render_resource_change(case.field("change")?, Some(&schema), options)
        }
        _ => return Ok(None),
    }))
}

/// The `want` of a case that has the answer that this one gets; `None` if there is no text. With colour where the case
/// wants it.
pub(super) fn want(case: &Case<'_>) -> Option<String> {
    let options = options(case).ok()?;
    let text = |colour| render(case, &Options { colour, ..options }).ok()??.ok();
    let mut want = serde_json::Map::new();
    want.insert("text".to_owned(), text(Colour::Never)?.into());
    if case.parsed::<Want>("want").is_ok_and(|want| want.color.is_some()) {
        want.insert("color".to_owned(), text(Colour::Always)?.into());
    }
    Some(serde_json::Value::from(want).to_string())
}

/// The first line that differs.
fn difference(name: &str, got: &str, want: &str) -> Difference {
    let (mut got, mut want) = (got.split('\n'), want.split('\n'));
    let mut line = 1;
    loop {
        match (got.next(), want.next()) {
            (g, w) if g == w && g.is_some() => line += 1,
            (g, w) => {
                let text = |side: Option<&str>| {
                    side.map_or("(end of the text)".to_owned(), |line| format!("{line:?}"))
                };
                return Difference {
                    note: Some(format!("`{name}`, line {line}")),
                    ..Difference::whole(text(g), text(w))
                };
            }
        }
    }
}
