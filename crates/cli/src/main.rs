//! The program `objchange`.

fn main() {}
