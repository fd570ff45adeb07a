//! The command line.

use clap::Parser;

/// Reads the command line. What is wrong with it is one line, and exit code 2.
#[must_use]
pub fn read<A: Parser>() -> A {
    A::try_parse().unwrap_or_else(|error| {
        if !error.use_stderr() {
            error.exit(); // `--help`: on stdout, exit code 0
        }
        let text = error.to_string();
        eprintln!("{} (see --help)", text.lines().next().unwrap_or("error: wrong arguments"));
        std::process::exit(2);
    })
}
