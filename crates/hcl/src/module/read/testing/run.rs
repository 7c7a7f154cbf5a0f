//! `run` blocks.

use objchange_text::VersionConstraints;

use super::super::super::testing::{RunCommand, RunModule, RunPlanOptions, TestRun};
use super::super::references::keyword;
use super::super::{BAD_NAME, Reader};
use super::{SingleBlocks, shapes};
use crate::decode::raw::{Content, RawBlock};
use crate::syntax::is_name;

impl Reader<'_> {
    pub(super) fn run(&mut self, block: RawBlock<'_>) -> Option<TestRun> {
        let RawBlock { labels, header, body, .. } = block;
        let content = body.read(&shapes::RUN, &mut self.problems);
        let label = labels.first()?;
        if !is_name(&label.text) {
            self.problems.error("Invalid run block name", label.span, BAD_NAME);
        }
        let mut run = TestRun {
            name: label.text.clone(),
            name_span: label.span,
            header,
            command: self.command(&content),
            variables: Vec::new(),
            plan_options: RunPlanOptions::default(),
            module: None,
            asserts: Vec::new(),
            expect_failures: Vec::new(),
            providers: Vec::new(),
            state_key: self.string(&content, "state_key").map(|(key, _)| key),
            parallel: self.bool(&content, "parallel"),
            overrides: Vec::new(),
        };
        if let Some(list) = content.attribute("expect_failures") {
            run.expect_failures = self.reference_list(&list.expr);
        }
        if let Some(map) = content.attribute("providers") {
            run.providers = self.passed_providers(&map.expr);
        }
        if let Some(kept) = content.attribute("skip_cleanup") {
            let detail = "The skip_cleanup attribute is only available in experimental builds of Terraform.";
            let place = kept.name_span.to(kept.expr.span);
            self.problems.error("Invalid attribute", place, detail);
        }
        let mut single_blocks = SingleBlocks::new("run block");
        let mut overrides = Vec::new();
        for block in content.blocks {
            match &*block.kind {
                "backend" => {
                    let detail = "The backend block is only available within run blocks in experimental builds of Terraform.";
                    self.problems.error("Invalid block", block.header, detail);
                }
                "assert" => run.asserts.extend(self.condition(block, None)),
                "variables" => {
                    if single_blocks.is_first(&block, self) {
                        run.variables = block.body.arguments(&mut self.problems);
                    }
                }
                "plan_options" => {
                    if single_blocks.is_first(&block, self) {
                        run.plan_options = self.run_plan_options(block);
                    }
                }
                "module" => {
                    if single_blocks.is_first(&block, self) {
                        run.module = self.run_module(block);
                    }
                }
                _ => overrides.push(block),
            }
        }
        run.overrides = self.overrides(overrides);
        Some(run)
    }

    fn command(&mut self, content: &Content<'_>) -> RunCommand {
        let Some(attribute) = content.attribute("command") else { return RunCommand::Apply };
        match keyword(&attribute.expr) {
            Some("plan") => return RunCommand::Plan,
            Some("apply") => {}
            _ => {
                let detail = "The \"command\" argument requires one of the following keywords without quotes: apply or plan.";
                self.problems.error("Invalid \"command\" keyword", attribute.expr.span, detail);
            }
        }
        RunCommand::Apply
    }

    fn run_plan_options(&mut self, block: RawBlock<'_>) -> RunPlanOptions {
        let content = block.body.read(&shapes::PLAN_OPTIONS, &mut self.problems);
        let mut options = RunPlanOptions::default();
        if let Some(mode) = content.attribute("mode") {
            match keyword(&mode.expr) {
                Some("refresh-only") => options.refresh_only = true,
                Some("normal") => {}
                _ => {
                    let detail = "The \"mode\" argument requires one of the following keywords without quotes: normal or \
                                  refresh-only";
                    self.problems.error("Invalid \"mode\" keyword", mode.expr.span, detail);
                }
            }
        }
        options.refresh = self.bool(&content, "refresh").unwrap_or(true);
        if let Some(list) = content.attribute("replace") {
            options.replace = self.reference_list(&list.expr);
        }
        if let Some(list) = content.attribute("target") {
            options.target = self.reference_list(&list.expr);
        }
        if let Some(refresh) =
            content.attribute("refresh").filter(|_| options.refresh_only && !options.refresh)
        {
            let place = refresh.name_span.to(refresh.expr.span);
            let detail =
                "The \"refresh\" option cannot be set to false when running a test in \"refresh-only\" mode.";
            self.problems.error("Incompatible plan options", place, detail);
        }
        options
    }

    fn run_module(&mut self, block: RawBlock<'_>) -> Option<RunModule> {
        let header = block.header;
        let content = block.body.read(&shapes::MODULE, &mut self.problems);
        let version = self.string(&content, "version");
        if let Some((_, place)) =
            version.as_ref().filter(|(version, _)| VersionConstraints::parse(version).is_none())
        {
            let detail = "This string does not use correct version constraint syntax.";
            self.problems.error("Invalid version constraint", *place, detail);
        }
        if content.attribute("source").is_none() {
            let detail = "You must specify a source attribute when executing alternate modules during test executions.";
            self.problems.error("Missing \"source\" attribute for module block", header, detail);
        }
        let source = self.string(&content, "source")?;
        Some(RunModule { header, source, version })
    }
}
