//! Runs case files and prints which ones differ.
use objchange_plan::*;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

fn main() {
    let show: usize = std::env::var("SHOW").ok().and_then(|s| s.parse().ok()).unwrap_or(3);
    let mut bad = 0;
    let mut total = 0;
    for file in std::env::args().skip(1) {
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let case: BTreeMap<String, &RawValue> = serde_json::from_str(line).unwrap();
            let id = case["id"].get();
            let want: BTreeMap<String, serde_json::Value> = serde_json::from_str(case["want"].get()).unwrap();
            let schemas = Schemas::parse(case["schemas"].get()).unwrap();
            let render = |colour| {
                let options = Options { colour, ..Options::default() };
                match case["op"].get() {
                    "\"render_plan\"" => render_plan(&Plan::parse(case["plan"].get())?, &schemas, &options),
                    "\"render_state\"" => {
                        render_state(&State::parse(case["state"].get())?, &schemas, &options)
                    }
                    op => panic!("{op}"),
                }
            };
            total += 1;
            let mut wrong = false;
            for (key, colour) in [("text", Colour::Never), ("color", Colour::Always)] {
                let got = match render(colour) {
                    Ok(t) => t,
                    Err(e) => format!("ERROR {e}"),
                };
                let Some(want) = want.get(key) else {
                    if key == "text" && bad < show {
                        println!("PANIC CASE {id}:\n{}", &got[..got.len().min(3000)]);
                    }
                    continue;
                };
                if got != want.as_str().unwrap() {
                    if !wrong {
                        bad += 1;
                        if bad <= show {
                            println!("=== {id} {key} {}", case.get("note").map_or("", |n| n.get()));
                            std::fs::write("/tmp/got.txt", &got).unwrap();
                            std::fs::write("/tmp/want.txt", want.as_str().unwrap()).unwrap();
                            let out = std::process::Command::new("diff")
                                .args(["-U4", "/tmp/want.txt", "/tmp/got.txt"])
                                .output()
                                .unwrap();
                            let s = String::from_utf8_lossy(&out.stdout).into_owned();
                            for l in s.lines().take(60) {
                                println!("{}", if key == "color" { format!("{l:?}") } else { l.to_owned() });
                            }
                        } else {
                            println!("bad {id} {key}");
                        }
                    }
                    wrong = true;
                }
            }
        }
    }
    println!("{bad} bad of {total}");
}
