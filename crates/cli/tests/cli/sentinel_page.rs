//! The page for people who write policies, and its examples.

use crate::folder::Folder;
use crate::program::{objchange, workspace};

fn page() -> String {
    std::fs::read_to_string(workspace().join("docs/sentinel.md")).unwrap()
}

/// The blocks of a language.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let begin = format!("```{language}\n");
    page.split(&*begin).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn policies_of_the_page_are_right_as_they_stand() {
    let page = page();
    let policies = blocks(&page, "sentinel");
    let verdicts = ["fail", "fail", "fail", "pass", "pass"];
    assert_eq!(policies.len(), verdicts.len());
    let folder = Folder::with("sentinel-page", &[]);
    for (policy, verdict) in std::iter::zip(policies, verdicts) {
        folder.write("policy.sentinel", policy);
        let path = folder.at("policy.sentinel");
        let path = path.to_str().unwrap();
        let output =
            objchange(["sentinel", "apply", path, "--plan", "examples/fleet/api.json", "--json"], "");
        assert!(output.stdout.contains(&format!("\"outcome\":\"{verdict}\"")), "{policy}\n{}", output.stdout);
        let output = objchange(["sentinel", "fmt", "--check", path], "");
        assert_eq!((output.code, &*output.stdout), (0, ""), "{policy}");
        let output = objchange(["sentinel", "check", path], "");
        assert_eq!(output.code, 0, "{policy}\n{}", output.stdout);
    }
}

#[test]
fn the_test_case_of_the_page_is_that_of_the_examples() {
    let page = page();
    let case = workspace().join("examples/sentinel/test/databases/public.hcl");
    assert_eq!(blocks(&page, "hcl"), [std::fs::read_to_string(case).unwrap()]);
}
