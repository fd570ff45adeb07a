//! The chart: the load on the server, a panel for each strategy, all with the same scales.

use std::path::Path;
use std::time::Duration;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use resilience_examples::sheet::{
    Area, Drawn, FAINT, GRID, INK, LABELS, LEGEND, PLOT, WIDTH, font, panel, title, write,
};
use resilience_examples::text::{count, time};

use crate::record::STRETCH;
use crate::script::{FAILURE, RECOVERY};
use crate::simulation::Plan;
use crate::strategies::Strategy;
use crate::summary::Summary;

/// All that the chart shows.
pub(crate) struct Chart<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) runs: &'a [(&'a Strategy, Summary)],
}

const LOAD: RGBColor = RGBColor(213, 94, 0);
const USEFUL: RGBColor = RGBColor(0, 158, 115);
const CAPACITY: RGBColor = RGBColor(38, 38, 38);
const FAILING: RGBColor = RGBColor(236, 236, 240);

/// The panels, from the top; then the time axis.
const TOP: i32 = 142;
const PANEL: i32 = 108;
const GAP: i32 = 16;
const AXIS: i32 = 46;

/// The load axis, in times the capacity.
const LOWEST: f64 = 0.05;
const HIGHEST: f64 = 150.0;

impl Chart<'_> {
    /// Writes the chart as SVG.
    pub(crate) fn draw(&self, file: &Path) -> Drawn {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let height = TOP + self.runs.len() as i32 * (PANEL + GAP) - GAP + AXIS + 8;
        let sheet = SVGBackend::new(file, (WIDTH, height as u32)).into_drawing_area();
        sheet.fill(&WHITE)?;
        self.header(&sheet)?;
        for (row, (strategy, run)) in self.runs.iter().enumerate() {
            let top = TOP + row as i32 * (PANEL + GAP);
            self.panel(&sheet, top, run, row + 1 == self.runs.len())?;
            legend(&sheet, top, strategy, run)?;
        }
        sheet.present()?;
        Ok(())
    }

    fn header(&self, sheet: &Area<'_>) -> Drawn {
        title(sheet, "A retry storm, and what calms it", (PLOT.start, 16), 26)?;
        let what = format!(
            "{} clients of one server, which fails for {} seconds and is then as good as new. Each panel is the same \
             script with another way to retry.",
            count(self.plan.clients as usize),
            (RECOVERY - FAILURE).as_secs(),
        );
        write(sheet, &what, (PLOT.start, 56), 15, &FAINT)?;
        let mut left = PLOT.start;
        for (colour, text) in [(LOAD, "calls that reach the server"), (USEFUL, "calls that are answered in time")] {
            sheet.draw(&Rectangle::new([(left, 85), (left + 18, 97)], colour.mix(0.75).filled()))?;
            write(sheet, text, (left + 26, 84), 14, &INK)?;
            left += 60 + 7 * text.len() as i32;
        }
        for dash in [0, 7, 14] {
            sheet.draw(&PathElement::new([(left + dash, 91), (left + dash + 4, 91)], CAPACITY))?;
        }
        let capacity = format!("what the server can do: {} calls a second", count(self.plan.capacity() as usize));
        write(sheet, &capacity, (left + 26, 84), 14, &INK)?;

        write(sheet, "load ÷ capacity", (PLOT.start - LABELS as i32, TOP - 20), 13, &FAINT)?;
        let middle = (self.pixel(FAILURE) + self.pixel(RECOVERY)) / 2;
        let style = font(14).color(&INK).pos(Pos::new(HPos::Center, VPos::Bottom));
        sheet.draw(&Text::new("the server fails", (middle, TOP - 4), style))?;
        Ok(())
    }

    /// The load over time. The scale is logarithmic: between a calm server and a storm lies a factor of a hundred.
    fn panel(&self, sheet: &Area<'_>, top: i32, run: &Summary, last: bool) -> Drawn {
        let below = if last { AXIS } else { 0 };
        let area = panel(sheet, top, PANEL, below);
        let end = self.plan.length.as_secs_f64();
        let mut plot = ChartBuilder::on(&area)
            .set_label_area_size(LabelAreaPosition::Left, LABELS)
            .set_label_area_size(LabelAreaPosition::Bottom, below as u32)
            .build_cartesian_2d(0.0..end, (LOWEST..HIGHEST).log_scale())?;
        let failing = [(FAILURE.as_secs_f64(), LOWEST), (RECOVERY.as_secs_f64(), HIGHEST)];
        plot.plotting_area().draw(&Rectangle::new(failing, FAILING.filled()))?;
        plot.configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(FAINT)
            .x_labels(if last { 13 } else { 0 })
            .x_label_formatter(&|value| format!("{value:.0} s"))
            .x_desc(if last { "virtual time" } else { "" })
            .y_labels(4)
            .y_label_formatter(&|value| format!("{value} ×"))
            .axis_desc_style(font(14).color(&INK))
            .label_style(font(13).color(&INK))
            .draw()?;
        for (series, colour) in [(&run.load, LOAD), (&run.useful, USEFUL)] {
            let style = colour.mix(0.75);
            plot.draw_series(AreaSeries::new(steps(series), LOWEST, style).border_style(style.stroke_width(1)))?;
        }
        // No load is no line.
        plot.draw_series([PathElement::new([(0.0, LOWEST), (end, LOWEST)], FAINT)])?;
        plot.draw_series(DashedLineSeries::new([(0.0, 1.0), (end, 1.0)], 5, 4, CAPACITY.stroke_width(1)))?;
        Ok(())
    }

    fn pixel(&self, time: Duration) -> i32 {
        PLOT.start + (PLOT.len() as f64 * time.div_duration_f64(self.plan.length)) as i32
    }
}

/// What a panel shows, in numbers.
fn legend(sheet: &Area<'_>, top: i32, strategy: &Strategy, run: &Summary) -> Drawn {
    title(sheet, strategy.name, (LEGEND, top), 15)?;
    let verdict = match run.drained {
        _ if run.collapsed => "the collapse outlives its trigger".to_owned(),
        None => "calls fail until the end".to_owned(),
        Some(Duration::ZERO) => "no call failed after the recovery".to_owned(),
        Some(after) => format!("no call failed from {} after the recovery on", time(after)),
    };
    let peaks = format!("peak {:.1} × failing, {:.1} × recovered", run.peak_failing, run.peak_after);
    let calls = format!("{} calls, {} of them wasted", count(run.calls as usize), count(run.wasted as usize));
    for (line, text) in [verdict, peaks, calls].iter().enumerate() {
        write(sheet, text, (LEGEND, top + 24 + 19 * line as i32), 13, if line == 0 { &INK } else { &FAINT })?;
    }
    Ok(())
}

/// Each stretch from its begin to its end.
fn steps(series: &[f64]) -> impl Iterator<Item = (f64, f64)> {
    series.iter().enumerate().flat_map(|(index, &load)| {
        let begin = STRETCH.as_secs_f64() * index as f64;
        [begin, begin + STRETCH.as_secs_f64()].map(|time| (time, load.max(LOWEST)))
    })
}
