//! Tables of `objchange query`: Parquet and Arrow.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_ipc::reader::StreamReader;
use objchange_document::{PlanFile, Schemas};
use objchange_policy::columns::{RowKind, RowsBuilder, rows};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::json;

use crate::program::{Output, objchange, workspace};

const FLEET: &str = "examples/fleet";

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("query_columns").join(name);
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn query(arguments: &[&str]) -> Output {
    objchange(["query"].iter().chain(arguments), "")
}

/// The bytes of the program's standard output.
fn stdout(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_objchange"))
        .arg("query")
        .args(arguments)
        .current_dir(workspace())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    output.stdout
}

/// The rows of a Parquet file.
fn parquet(file: &Path) -> RecordBatch {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(file).unwrap()).unwrap();
    let schema = reader.schema().clone();
    let mut batches = reader.build().unwrap();
    match batches.next() {
        Some(batch) => {
            assert!(batches.next().is_none());
            batch.unwrap()
        }
        None => RecordBatch::new_empty(schema),
    }
}

#[track_caller]
fn arrow(bytes: &[u8]) -> RecordBatch {
    let mut batches = StreamReader::try_new(bytes, None).unwrap();
    let batch = batches.next().unwrap().unwrap();
    assert!(batches.next().is_none());
    batch
}

fn texts(batch: &RecordBatch, column: &str) -> Vec<String> {
    let column = batch.column_by_name(column).unwrap().as_string::<i32>();
    column.iter().map(|text| text.unwrap_or("none").to_owned()).collect()
}

/// The table that the library makes of these files.
fn expected(files: &[&str], of: RowKind) -> RecordBatch {
    let mut builder = RowsBuilder::new(of);
    for file in files {
        let text = fs::read_to_string(workspace().join(file)).unwrap();
        rows(&PlanFile::parse(*file, text).unwrap(), of, &Schemas::none())
            .unwrap()
            .iter()
            .for_each(|row| builder.push(row));
    }
    builder.finish().unwrap()
}

#[test]
fn tables_have_the_columns_of_the_library() {
    let files = ["examples/fleet/api.json", "examples/fleet/old.json", "examples/fleet/web.json"];
    for (of, kind) in
        [("changes", RowKind::Changes), ("drift", RowKind::Drift), ("outputs", RowKind::Outputs)]
    {
        let file = folder(of).join("fleet.parquet");
        let out = file.to_str().unwrap();
        let output = query(&[FLEET, "true", "--of", of, "--output", "parquet", "--out", out]);
        let expected = expected(&files, kind);
        let code = if expected.num_rows() == 0 { 1 } else { 0 };
        assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (code, "", ""));
        assert_eq!(parquet(&file).columns(), expected.columns());
        assert_eq!(parquet(&file).schema().fields(), expected.schema().fields());
        if expected.num_rows() > 0 {
            assert_eq!(arrow(&stdout(&[FLEET, "true", "--of", of, "--output", "arrow"])), expected);
        }
    }
}

#[test]
fn rows_are_the_changes_that_match() {
    let table = arrow(&stdout(&[FLEET, "replaced(rc) || rc.deposed != \"\"", "--output", "arrow"]));
    let keys = query(&[FLEET, "replaced(rc) || rc.deposed != \"\"", "--output", "keys"]).stdout;
    let addresses: Vec<_> = texts(&table, "file").into_iter().zip(texts(&table, "address")).collect();
    let keys: Vec<_> = keys
        .lines()
        .map(|line| line.split_once(": ").unwrap())
        .map(|(file, key)| {
            (file.to_owned(), key.rsplit_once(':').map_or(key, |(address, _)| address).to_owned())
        })
        .collect();
    assert_eq!(addresses, keys);
    assert!(!keys.is_empty());
}

#[test]
fn what_schemas_call_sensitive_is_hidden() {
    let folder = folder("schemas");
    let plan = json!({"format_version": "1.2", "resource_changes": [{"address": "disk.a", "mode": "managed",
        "type": "disk", "name": "a", "provider_name": "registry.terraform.io/example/disks",
        "change": {"actions": ["create"], "before": null, "after": {"token": "hunter2"}, "after_unknown": {}}}]});
    let schemas = json!({"format_version": "1.0", "provider_schemas": {"registry.terraform.io/example/disks":
        {"resource_schemas": {"disk": {"version": 0, "block": {"attributes":
            {"token": {"type": "string", "optional": true, "sensitive": true}}}}}}}});
    let (plan_file, schemas_file) = (folder.join("plan.json"), folder.join("schemas.json"));
    fs::write(&plan_file, plan.to_string()).unwrap();
    fs::write(&schemas_file, schemas.to_string()).unwrap();
    let plan = plan_file.to_str().unwrap();
    let open = arrow(&stdout(&[plan, "true", "--output", "arrow"]));
    assert_eq!(texts(&open, "after"), [r#"{"token":"hunter2"}"#]);
    let hidden = stdout(&[plan, "true", "--output", "arrow", "--schemas", schemas_file.to_str().unwrap()]);
    assert!(arrow(&hidden).column_by_name("has_sensitive").unwrap().as_boolean().value(0));
    assert!(!hidden.windows(7).any(|bytes| bytes == b"hunter2"));
}

#[test]
fn broken_plans_are_reported_and_the_others_written() {
    let folder = folder("broken");
    fs::copy(workspace().join("examples/fleet/web.json"), folder.join("web.json")).unwrap();
    fs::write(folder.join("cut.json"), r#"{"format_version":"1.2","resource_changes":["#).unwrap();
    // Somebody has removed the changes.
    let partial = json!({"format_version": "1.2", "planned_values": {"root_module": {"resources": [
        {"address": "a.b", "mode": "managed", "type": "a", "name": "b", "values": {}}]}}});
    fs::write(folder.join("partial.json"), partial.to_string()).unwrap();
    let file = folder.join("table.parquet");
    let output =
        query(&[folder.to_str().unwrap(), "true", "--output", "parquet", "--out", file.to_str().unwrap()]);
    assert_eq!(output.code, 2);
    assert!(
        output.stderr.contains("cut.json") && output.stderr.contains("partial.json"),
        "{}",
        output.stderr
    );
    let files = texts(&parquet(&file), "file");
    assert!(!files.is_empty() && files.iter().all(|file| file.ends_with("web.json")), "{files:?}");
}

#[test]
fn what_does_not_fit_is_refused_and_leaves_the_old_file() {
    let file = folder("refused").join("old.parquet");
    fs::write(&file, "old").unwrap();
    let out = file.to_str().unwrap();
    for (options, message) in [
        (&["--select", "rc.type"][..], "--select"),
        (&["--count"], "--count"),
        (&["--group-by", "rc.type"], "--group-by"),
        (&["--undecided"], "--undecided"),
        (&["--of", "state"], "--of changes, drift or outputs"),
    ] {
        let all = [&[FLEET, "true", "--output", "parquet", "--out", out], options].concat();
        let output = query(&all);
        assert_eq!((output.code, output.stderr.contains(message)), (2, true), "{}", output.stderr);
    }
    let output = query(&[FLEET, "rc.typ == 1", "--output", "parquet", "--out", out]);
    assert_eq!(output.code, 2);
    let output = query(&[FLEET, "true", "--out", out]);
    assert_eq!((output.code, output.stderr.contains("--out needs")), (2, true));
    let output = query(&[FLEET, "true", "--output", "arrow", "--out", "no/such/folder/x"]);
    assert_eq!((output.code, output.stderr.contains("no/such/folder/x")), (2, true), "{}", output.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");
    // Nothing is left beside it.
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
}
