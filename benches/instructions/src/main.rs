//! Counts the instructions of guarded calls, and holds them against the baseline: a call that has become dearer fails
//! the step `instructions` of `.ci/run`, where nanoseconds on a shared machine would tell nothing.
//!
//! `resilience-instructions CASE MILLIONS` makes so many million calls of one case, for a profiler to look at.

mod baseline;
mod cases;
mod count;

use std::error::Error;
use std::process::ExitCode;

use baseline::Baseline;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    if std::env::var_os(count::INSIDE).is_some() {
        count::run()?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut arguments = std::env::args().skip(1);
    if let Some(case) = arguments.next() {
        return count::repeat(&case, arguments.next().unwrap_or_default().parse()?);
    }
    let counts = count::all()?;
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        Baseline::write(&counts)?;
        println!("benches/instructions/baseline.txt is written: commit it with the reason");
        return Ok(ExitCode::SUCCESS);
    }
    compare(&counts, &Baseline::read()?)
}

fn compare(counts: &[(&'static str, f64)], baseline: &Baseline) -> Result<ExitCode, Box<dyn Error>> {
    let mut off = 0;
    for (name, count) in counts {
        let verdict = match baseline.of(name) {
            Some(held) if baseline::holds(*count, held) => format!("{held:8.1}"),
            Some(held) => {
                off += 1;
                let change = (count / held - 1.0) * 100.0;
                format!("{held:8.1}  {change:+.1} %  {}", if count > &held { "DEARER" } else { "cheaper" })
            }
            None => {
                off += 1;
                "   not in the baseline".to_owned()
            }
        };
        println!("{name:<28} {count:8.1} {verdict}");
    }
    for name in baseline.gone(counts) {
        off += 1;
        println!("{name:<28}        – in the baseline, and no longer counted");
    }
    if off == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    if !baseline.is_ours()? {
        println!("\nThe baseline is of {}: with another compiler this is only a hint.", baseline.compiler());
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "\n{off} of these are more than 2 % off benches/instructions/baseline.txt, in instructions per call.\n\
         Where that is not meant, find what costs it: `valgrind --tool=callgrind` on the same program shows the lines.\n\
         Where it is, also where calls have become cheaper: UPDATE_EXPECT=1 .ci/run instructions, and commit the \
         baseline with the reason."
    );
    Ok(ExitCode::FAILURE)
}
