use objchange_plan::*;
use std::time::Instant;
fn main() {
    let dir = std::env::args().nth(1).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    for path in names {
        let plan = std::fs::read_to_string(path.join("plan.json")).unwrap();
        let schemas = std::fs::read_to_string(path.join("schemas.json")).unwrap();
        let mut best = f64::MAX;
        let mut parse = f64::MAX;
        let mut len = 0;
        for _ in 0..15 {
            let t = Instant::now();
            let s = Schemas::parse(schemas.as_str()).unwrap();
            let p = Plan::parse(&plan).unwrap();
            parse = parse.min(t.elapsed().as_secs_f64());
            let text = render_plan(&p, &s, &Options::default()).unwrap();
            best = best.min(t.elapsed().as_secs_f64());
            len = text.len();
        }
        println!(
            "{:28} {:9.3} ms (parse {:.3}) out {len}",
            path.file_name().unwrap().to_string_lossy(),
            best * 1e3,
            parse * 1e3
        );
    }
}
