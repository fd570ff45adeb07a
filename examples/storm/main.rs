//! A retry storm on virtual time.
mod args;
mod client;
mod record;
mod script;
mod server;
mod simulation;
mod strategies;
mod summary;

use crate::args::Args;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args = resilience_examples::args::read::<Args>();
    let plan = simulation::Plan { clients: args.clients, seed: args.seed, length: args.length() };
    for s in &strategies::STRATEGIES {
        #[allow(clippy::disallowed_methods)]
        let t = std::time::Instant::now();
        let pages = plan.run(s)?;
        let m = summary::Summary::new(&plan, &pages);
        println!("{:24} peak {:6.1} {:6.1} calls {:8} wasted {:7} drained {:?} back {:?} req {} ans {} {:.3}",
            s.name, m.peak_failing, m.peak_after, m.calls, m.wasted, m.drained, m.back, m.requests, m.answered, m.answered as f64/m.requests as f64);
        eprintln!("{:?}", t.elapsed());
        let a: Vec<u32> = pages.series(record::Count::Answered).collect();
        let o: Vec<u32> = pages.series(record::Count::Offered).collect();
        let sum = |v:&[u32]| v.chunks(50).map(|c| format!("{:.1}", c.iter().sum::<u32>() as f64/5.0/plan.capacity())).collect::<Vec<_>>().join(" ");
        eprintln!("  answered/5s {}\n  offered/5s  {}", sum(&a), sum(&o));
    }
    Ok(())
}
