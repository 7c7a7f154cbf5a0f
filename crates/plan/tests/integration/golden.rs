//! Output for which Terraform is not a guide: without schemas, with escaped text, in summaries, and in errors.

use objchange_document::changes::ResourceActions;
use objchange_document::{Document, Schemas};
use objchange_plan::{Colour, Filter, Options, Report};

const PLAN: &str = r#"{"format_version":"1.2","resource_changes":[
{"address":"aws_instance.web[\"a\u001b[31m\"]","mode":"managed","type":"aws_instance","name":"web",
 "index":"a\u001b[31m","provider_name":"aws","action_reason":"replace_because_cannot_update",
 "change":{"actions":["delete","create"],
  "before":{"ami":"ami-1","disk":[{"size":8}],"id":"i-1","note":"one\ntwo \u001b[2J","password":"hunter2"},
  "after":{"ami":"ami-2","disk":[{"size":16}],"note":"one\nthree","password":"hunter3"},
  "after_unknown":{"id":true},"before_sensitive":{"password":true},"after_sensitive":{"password":true},
  "replace_paths":[["ami"],["disk",0,"size"]]}},
{"address":"aws_eip.ip","previous_address":"aws_eip.old","mode":"managed","type":"aws_eip","name":"ip",
 "provider_name":"aws","change":{"actions":["no-op"],"before":{"id":"e"},"after":{"id":"e"}}},
{"address":"aws_vpc.gone","mode":"managed","type":"aws_vpc","name":"gone","provider_name":"aws",
 "action_reason":"delete_because_no_resource_config",
 "change":{"actions":["delete"],"before":{"id":"v"},"after":null}}],
"output_changes":{"ip":{"actions":["create"],"before":null,"after":"1.2.3.4","after_unknown":false}}}"#;

fn render(options: &Options, filter: &Filter, write: impl FnOnce(&mut Vec<u8>, &Report<'_>)) -> String {
    let mut out = Vec::new();
    let (document, schemas) = (Document::parse(PLAN).unwrap(), Schemas::none());
    write(&mut out, &Report::new(&document, &schemas, options, filter).unwrap());
    String::from_utf8(out).unwrap()
}

fn text(options: &Options, filter: &Filter) -> String {
    render(options, filter, |out, report| report.write_text(out, options).unwrap())
}

fn summary(colour: Colour, filter: &Filter) -> String {
    render(&Options::default(), filter, |out, report| {
        report.write_summary(out, colour, Default::default()).unwrap();
    })
}

#[test]
fn a_plan_without_schemas() {
    insta::assert_snapshot!(text(&Options::default(), &Filter::default()));
}

#[test]
fn the_same_plan_in_full_and_in_part() {
    let options = Options { full: true, ..Options::default() };
    let filter = Filter::default().address("aws_e*").actions(&[ResourceActions::NoOp]);
    insta::assert_snapshot!(text(&options, &filter));
}

#[test]
fn a_summary() {
    insta::assert_snapshot!(summary(Colour::Never, &Filter::default()));
}

#[test]
fn a_summary_in_colour() {
    let filter = Filter::default().actions(&[ResourceActions::Delete]);
    assert_eq!(
        summary(Colour::Always, &filter),
        "\u{1b}[1mDestroy\u{1b}[0m (1)\n  \u{1b}[31m-\u{1b}[0m\u{1b}[0m aws_vpc.gone: not in configuration\n\
         \u{1b}[1mTotal:\u{1b}[0m 1 to destroy.\nOnly what was chosen is counted.\n"
    );
}

#[test]
fn a_report_as_json() {
    let filter = Filter::default().actions(&[ResourceActions::DeleteThenCreate]);
    let json = render(&Options::default(), &filter, |out, report| report.write_json(out).unwrap());
    insta::assert_snapshot!(json);
}

#[test]
fn errors_say_where_and_what_to_do() {
    let errors: Vec<String> = [
        "",
        "terraform {}",
        r#"{"version":3,"lineage":"x"}"#,
        r#"{"a":1}"#,
        r#"{"format_version":"1.0","valid":true,"error_count":0}"#,
        r#"{"format_version":"2.0","resource_changes":[]}"#,
        "{\"format_version\":\"1.2\",\n\"resource_changes\":[{\"address\":\"a\",\"change\":{\"actions\":[\"create\"]}},{\"change\":{\"actions\":[\"cre",
        r#"{"format_version":"1.2","resource_changes":[{"change":{"actions":[7]}}]}"#,
        r#"{"format_version":"1.2","resource_changes":[{"address":7}]}"#,
        r#"{"format_version":"1.0","values":{"root_module":[]}}"#,
    ]
    .into_iter()
    .map(|text| Document::parse(text).unwrap_err().to_string())
    .collect();
    insta::assert_snapshot!(errors.join("\n"));
}
