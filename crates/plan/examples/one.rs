use objchange_plan::*;
fn main() {
    let path = std::path::PathBuf::from(std::env::args().nth(1).unwrap());
    let n: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let plan = std::fs::read_to_string(path.join("plan.json")).unwrap();
    let schemas = std::fs::read_to_string(path.join("schemas.json")).unwrap();
    for _ in 0..n {
        let s = Schemas::parse(schemas.as_str()).unwrap();
        let p = Plan::parse(&plan).unwrap();
        std::hint::black_box(render_plan(&p, &s, &Options::default()).unwrap());
    }
}
