//! Counts the work of operations for each part of their input, beside the least that must be done.
//!
//! Instructions are counted by valgrind's callgrind, in processes of their own: `OPERATION SHAPE N TIMES`. Two numbers of times
//! tell the operation from its inputs. Nothing is timed.

use std::process::{Command, ExitCode};

use allocation_counter::measure;

/// The counts.
pub(crate) struct Counted {
    /// The shapes of inputs, each with its sizes.
    pub(crate) shapes: &'static [(&'static str, &'static [usize])],
    pub(crate) operations: &'static [&'static str],
    /// How many members and elements an input has, at any depth.
    pub(crate) parts: fn(&str, usize) -> Option<usize>,
    /// Makes an input of a shape and a size, and does an operation so many times. `None` for names that there are not.
    pub(crate) run: fn(&str, &str, usize, usize) -> Option<()>,
}

impl Counted {
    /// Prints the table, or does one operation for a count.
    pub(crate) fn main(&self) -> ExitCode {
        let arguments: Vec<String> =
            std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
        let done = match arguments.as_slice() {
            [] => self.table(),
            [operation, shape, n, times] => n
                .parse()
                .ok()
                .zip(times.parse().ok())
                .and_then(|(n, times)| (self.run)(operation, shape, n, times)),
            _ => None,
        };
        if done.is_none() {
            eprintln!("no arguments, or OPERATION SHAPE N TIMES; valgrind must be installed");
            return ExitCode::FAILURE;
        }
        ExitCode::SUCCESS
    }

    fn table(&self) -> Option<()> {
        println!(
            "{:<9} {:>7} {:>8}  {:<25} {:>13} {:>9} {:>11} {:>13}",
            "shape", "n", "parts", "operation", "instructions", "per part", "allocations", "bytes"
        );
        for (shape, sizes) in self.shapes {
            for &n in *sizes {
                let parts = (self.parts)(shape, n)?;
                for operation in self.operations {
                    let [once, thrice] = [1, 3].map(|times| instructions(operation, shape, n, times));
                    let instructions = (thrice? - once?) / 2;
                    let [none, one] = [0, 1].map(|times| {
                        measure(|| {
                            (self.run)(operation, shape, n, times);
                        })
                    });
                    println!(
                        "{shape:<9} {n:>7} {parts:>8}  {operation:<25} {instructions:>13} {:>9} {:>11} {:>13}",
                        instructions / parts as u64,
                        one.count_total - none.count_total,
                        one.bytes_total - none.bytes_total,
                    );
                }
            }
        }
        Some(())
    }
}

/// Runs one operation under callgrind, and returns the number of instructions of the whole process.
fn instructions(operation: &str, shape: &str, n: usize, times: usize) -> Option<u64> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(std::env::current_exe().ok()?);
    let output = command.args([operation, shape, &n.to_string(), &times.to_string()]).output().ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let collected = said.lines().find_map(|line| line.split_once("Collected : "))?;
    collected.1.trim().parse().ok()
}
