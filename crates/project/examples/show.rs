//! Prints the plan or state in a file as `terraform show` does, whether it is a document or a plan file of `terraform plan -out`:
//!
//! ```sh
//! cargo run --release -p objchange-project --features plan-file --example show -- tfplan
//! ```

use std::error::Error;
use std::io::{self, BufWriter, Write};

use objchange_document::Schemas;
use objchange_files::input::{MAX_DOCUMENT, Source};
use objchange_plan::{Filter, Options, Report};
use objchange_project::PlanFileReader;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a file")?;
    let file = PlanFileReader::default().read_changes(&Source::new(path.as_ref()), MAX_DOCUMENT)?;
    let (schemas, options) = (Schemas::none(), Options::default());
    let report = Report::of_file(&file, &schemas, &options, &Filter::default())?;
    let mut out = BufWriter::new(io::stdout().lock());
    report.write_text(&mut out, &options)?;
    out.flush()?;
    Ok(())
}
