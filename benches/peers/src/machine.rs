//! What was measured on, with what.

use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use crate::args::Args;

pub(crate) fn describe(args: &Args) -> String {
    let wanted =
        RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()).with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(wanted);
    let cpu = system.cpus().first().map_or("unknown processor", |cpu| cpu.brand());
    format!(
        "{} × {cpu} ({}), {} GB, {} {}, rustc {}, release profile with `lto = \"thin\"`, `codegen-units = 1`; {} rounds of \
         {} ms for each contender; load average when it began: {:.1}.",
        system.cpus().len(),
        generation().unwrap_or_else(|| "unknown family".to_owned()),
        (system.total_memory() as f64 / 1e9).round(),
        System::name().unwrap_or_default(),
        System::kernel_version().unwrap_or_default(),
        rustc_version_runtime::version(),
        args.rounds(),
        args.slice().as_millis(),
        System::load_average().one,
    )
}

/// A processor's brand may say little; its family and model name the design.
fn generation() -> Option<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let field = |name: &str| {
        let line = info.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name))?;
        Some(line.split(':').nth(1)?.trim().to_owned())
    };
    Some(format!("family {}, model {}", field("cpu family")?, field("model")?))
}
