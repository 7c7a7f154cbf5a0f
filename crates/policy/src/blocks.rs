//! The blocks of a configuration that findings are about.

use objchange_document::PlanFile;
use objchange_finding::{Case, Location};

/// Names the block in the configuration that each finding of a case is about, where the plan comes with its configuration: plans of
/// directories and plan files do.
pub fn locate(case: &mut Case, plan: &PlanFile) {
    let Some(origin) = plan.origin() else { return };
    for finding in &mut case.findings {
        let block = finding.address.as_deref().and_then(|address| origin.block(address));
        finding.block = block.map(|block| Location::new(&*block.file, block.line));
    }
}
