//! Makes the messages of the protocol from its `.proto` files, without a compiler that would have to be installed.

use std::path::Path;
use std::{env, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=schema");
    let files = ["schema/tfplugin5.proto", "schema/tfplugin6.proto", "schema/plugin.proto"];
    let descriptors = protox::compile(files, ["schema"]).map_err(io::Error::other)?;
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    prost_build::Config::new()
        .out_dir(Path::new(&out))
        .include_file("protocol.rs")
        // The messages may hold secrets.
        .skip_debug(["."])
        .btree_map(["."])
        .compile_fds(descriptors)
}
