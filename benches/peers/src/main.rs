//! Measures ours beside the peers, in one run, and writes the tables.

mod args;
mod counts;
mod footprint;
mod machine;
mod rounds;
mod scale;
mod sections;
mod statistics;
mod tables;
mod versions;
mod way;

use std::error::Error;

use clap::Parser;
use resilience_benches::contenders::{bare, groups};

fn main() -> Result<(), Box<dyn Error>> {
    let args = args::Args::parse();
    if args.count {
        counts::run();
        return Ok(());
    }
    let document = sections::Document::open(args.output().as_deref());
    let machine = machine::describe(&args);
    println!("{machine}");
    document.replace("machine", &machine)?;
    let other = tables::Other {
        footprints: &footprint::all(&args)?,
        counts: &counts::all(&args)?,
        versions: &versions::Versions::locked()?,
    };
    for group in groups().iter().filter(|group| args.wants(group.key)) {
        let text = tables::of(group, &rounds::measure(group, &bare(), &args), &other);
        println!("\n## {}\n\n{text}", group.title);
        document.replace(group.key, &text)?;
    }
    if args.wants(scale::KEY) {
        let text = scale::measure(&args)?;
        println!("\n## Scale\n\n{text}");
        document.replace(scale::KEY, &text)?;
    }
    Ok(())
}
