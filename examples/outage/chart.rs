//! The chart: what the upstream had to bear and how long the requests took, naive above guarded, on one time axis.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use resilience::circuit_breaker::State;
use resilience_examples::sheet::{
    Area, Drawn, FAINT, GRID, INK, LABELS, LEGEND, Legend, PLOT, WIDTH, font, panel, title, write,
};
use resilience_examples::text::time;

use crate::breaker::Stretch;
use crate::recorder::{Ending, GOOD_WITHIN};
use crate::script::{Behaviour, Script};
use crate::summary::Recording;

/// All that the chart shows.
pub(crate) struct Chart<'a> {
    pub(crate) script: &'a Script,
    pub(crate) rps: u32,
    pub(crate) capacity: u32,
    pub(crate) naive: &'a Recording,
    pub(crate) guarded: &'a Recording,
    pub(crate) breaker: &'a [Stretch],
}

type Plot<'a, Y> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, Y>>;

/// How high the sheet is.
const HEIGHT: u32 = 1006;

const LOAD: RGBColor = RGBColor(0, 114, 178);
const LIMIT: RGBColor = RGBColor(150, 0, 0);
const OPEN: RGBColor = RGBColor(250, 214, 208);
const HALF_OPEN: RGBColor = RGBColor(255, 240, 190);

/// A way in which requests end, as dots.
type Dots = (&'static str, RGBColor, fn(Ending) -> bool);

/// The hues are told apart by colour-blind readers too.
const ENDINGS: [Dots; 4] = [
    ("good answer", RGBColor(0, 158, 115), |ending| ending == Ending::Good),
    ("answer later than 1 s", RGBColor(230, 159, 0), |ending| ending == Ending::Late),
    ("refused: \"not now\"", RGBColor(130, 90, 190), |ending| ending == Ending::Refused),
    ("failed, or no answer at all", RGBColor(205, 60, 40), |ending| matches!(ending, Ending::Failed | Ending::Cut)),
];

/// One service's share of the sheet: where it begins, and what is drawn there.
struct Section<'a> {
    top: i32,
    title: &'a str,
    subtitle: &'a str,
    recording: &'a Recording,
    breaker: &'a [Stretch],
    last: bool,
}

impl Chart<'_> {
    /// Writes the chart as SVG.
    pub(crate) fn draw(&self, file: &Path) -> Drawn {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let sheet = SVGBackend::new(file, (WIDTH, HEIGHT)).into_drawing_area();
        sheet.fill(&WHITE)?;
        self.header(&sheet)?;
        self.section(
            &sheet,
            &Section {
                top: 124,
                title: "Naive",
                subtitle: "plain calls",
                recording: self.naive,
                breaker: &[],
                last: false,
            },
        )?;
        self.section(
            &sheet,
            &Section {
                top: 546,
                title: "Guarded",
                subtitle: "the same calls under #[retry], #[circuit_breaker], #[bulkhead] and #[timeout]",
                recording: self.guarded,
                breaker: self.breaker,
                last: true,
            },
        )?;
        sheet.present()?;
        Ok(())
    }

    fn header(&self, sheet: &Area<'_>) -> Drawn {
        title(sheet, "One outage, lived through twice", (PLOT.start, 16), 26)?;
        let what = format!(
            "Two services get the same {} requests per second. Each asks an upstream of its own, and both upstreams go \
             through the same outage:",
            self.rps
        );
        write(sheet, &what, (PLOT.start, 56), 15, &FAINT)?;

        for phase in self.script.phases() {
            let (left, right) = (self.pixel(phase.begin), self.pixel(phase.end));
            let colour = match phase.behaviour {
                Behaviour::Healthy => RGBColor(205, 232, 213),
                Behaviour::Slow(_) => RGBColor(252, 232, 178),
                Behaviour::Erroring(_) => RGBColor(250, 211, 170),
                Behaviour::Hanging => RGBColor(242, 180, 170),
                Behaviour::Recovering(_) => RGBColor(204, 222, 243),
            };
            sheet.draw(&Rectangle::new([(left + 1, 82), (right - 1, 106)], colour.filled()))?;
            let style = font(14).color(&INK).pos(Pos::new(HPos::Center, VPos::Center));
            sheet.draw(&Text::new(phase.name, ((left + right) / 2, 94), style))?;
        }
        write(sheet, "the upstream's phases", (LEGEND, 87), 14, &FAINT)
    }

    fn section(&self, sheet: &Area<'_>, section: &Section<'_>) -> Drawn {
        title(sheet, section.title, (PLOT.start, section.top), 20)?;
        let indent = 14 + 12 * section.title.len() as i32;
        let success = section.recording.whole().success().unwrap_or_default() * 100.0;
        let subtitle = format!("{}: {success:.0} % of the requests had a good answer", section.subtitle);
        write(sheet, &subtitle, (PLOT.start + indent, section.top + 4), 15, &FAINT)?;
        self.load(sheet, section, section.top + 28, 150)?;
        self.latency(sheet, section, section.top + 202, 200)
    }

    /// The calls in flight at the upstream. Both services' panels have the same scale.
    fn load(&self, sheet: &Area<'_>, section: &Section<'_>, top: i32, height: i32) -> Drawn {
        let peak = [self.naive, self.guarded].map(|side| side.peak(Duration::ZERO, Duration::MAX)).into_iter().max();
        let values = 0.0..f64::from(peak.unwrap_or(0).max(self.capacity)) * 1.15;
        let area = panel(sheet, top, height, 0);
        let mut plot = ChartBuilder::on(&area)
            .set_label_area_size(LabelAreaPosition::Left, LABELS)
            .build_cartesian_2d(self.times(), values.clone())?;
        self.background(&plot, section.breaker, values.clone())?;
        plot.configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(FAINT)
            .x_labels(0)
            .y_labels(4)
            .y_label_formatter(&|value| format!("{value:.0}"))
            .y_desc("calls in flight")
            .axis_desc_style(font(14).color(&INK))
            .label_style(font(13).color(&INK))
            .draw()?;

        let steps = self.steps(section.recording);
        plot.draw_series(AreaSeries::new(steps, 0.0, LOAD.mix(0.45)).border_style(LOAD.stroke_width(1)))?;
        let capacity = f64::from(self.capacity);
        let ends = [(0.0, capacity), (self.script.length().as_secs_f64(), capacity)];
        plot.draw_series(DashedLineSeries::new(ends, 5, 4, LIMIT.stroke_width(1)))?;
        self.phase_lines(&plot, values)?;

        let mut legend = Legend::new(sheet, top, "Upstream load")?;
        legend.patch(LOAD.mix(0.45), &format!("calls in flight (at most {})", section.recording.whole().peak))?;
        legend.note("given-up calls too, until they end")?;
        legend.dashes(LIMIT, &format!("its workers: {}", self.capacity))?;
        if !section.breaker.is_empty() {
            legend.gap();
            legend.heading("Circuit breaker (background)")?;
            legend.patch(WHITE.to_rgba(), "closed: calls go through")?;
            legend.patch(OPEN.to_rgba(), "open: calls are refused")?;
            legend.patch(HALF_OPEN.to_rgba(), "half-open: a few are tried")?;
        }
        Ok(())
    }

    /// The latency of each request, as a dot at the time when it was due.
    fn latency(&self, sheet: &Area<'_>, section: &Section<'_>, top: i32, height: i32) -> Drawn {
        let values = 3e-4..80.0;
        let below = if section.last { 46 } else { 0 };
        let area = panel(sheet, top, height, below);
        let mut plot = ChartBuilder::on(&area)
            .set_label_area_size(LabelAreaPosition::Left, LABELS)
            .set_label_area_size(LabelAreaPosition::Bottom, below as u32)
            .build_cartesian_2d(self.times(), values.clone().log_scale())?;
        self.background(&plot, section.breaker, values.clone())?;
        plot.configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(FAINT)
            .x_labels(if section.last { 10 } else { 0 })
            .x_label_formatter(&|value| format!("{value:.0} s"))
            .x_desc(if section.last { "time since the first request" } else { "" })
            .y_labels(6)
            .y_label_formatter(&|&value| power_of_ten(value))
            .y_desc("time to answer")
            .axis_desc_style(font(14).color(&INK))
            .label_style(font(13).color(&INK))
            .draw()?;

        let good = GOOD_WITHIN.as_secs_f64();
        let ends = [(0.0, good), (self.script.length().as_secs_f64(), good)];
        plot.draw_series(DashedLineSeries::new(ends, 5, 4, LIMIT.stroke_width(1)))?;
        self.phase_lines(&plot, values.clone())?;
        for (_, colour, belongs) in ENDINGS {
            let requests = section.recording.requests.iter().filter(|request| belongs(request.ending));
            plot.draw_series(requests.map(|request| {
                let latency = request.latency.as_secs_f64().max(values.start);
                Circle::new((request.due.as_secs_f64(), latency), 2, colour.mix(0.55).filled())
            }))?;
        }
        self.recovery(&plot, section.recording)?;

        let mut legend = Legend::new(sheet, top, "Each dot is a request")?;
        for (name, colour, belongs) in ENDINGS {
            let number = section.recording.requests.iter().filter(|request| belongs(request.ending)).count();
            legend.dot(colour, &format!("{name}: {number}"))?;
        }
        legend.dashes(LIMIT, "1 s: of no use after that")
    }

    /// How long it took from the upstream's recovery to the first good answer.
    fn recovery<Y>(&self, plot: &Plot<'_, Y>, recording: &Recording) -> Drawn
    where
        Y: Ranged<ValueType = f64>,
    {
        const LEVEL: f64 = 35.0;
        let begin = self.script.recovery().as_secs_f64();
        let first = recording.first_good_answer(self.script);
        let end = first.map_or(self.script.length().as_secs_f64(), |after| begin + after.as_secs_f64());
        let text = first.map_or("no good answer before the end".to_owned(), |after| {
            format!("first good answer {} after the recovery", time(after))
        });
        let area = plot.plotting_area();
        area.draw(&PathElement::new([(begin, LEVEL), (end, LEVEL)], INK.stroke_width(2)))?;
        for tick in [begin, end] {
            area.draw(&PathElement::new([(tick, LEVEL / 1.7), (tick, LEVEL * 1.7)], INK.stroke_width(2)))?;
        }
        // To the right of the line if there is room, else below it.
        let fits = end < self.script.length().as_secs_f64() * 0.7;
        let at = if fits { EmptyElement::at((end, LEVEL)) } else { EmptyElement::at((begin, LEVEL)) };
        let (offset, vertical) = if fits { ((8, 0), VPos::Center) } else { ((6, 10), VPos::Top) };
        let style = font(14).color(&INK).pos(Pos::new(HPos::Left, vertical));
        area.draw(&(at + Text::new(text, offset, style)))?;
        Ok(())
    }

    /// Shades the times in which the breaker was not closed.
    fn background<Y>(&self, plot: &Plot<'_, Y>, breaker: &[Stretch], values: Range<f64>) -> Drawn
    where
        Y: Ranged<ValueType = f64>,
    {
        for stretch in breaker {
            let colour = match stretch.state {
                State::Open => OPEN,
                State::HalfOpen => HALF_OPEN,
                _ => continue,
            };
            let [begin, end] = [stretch.begin, stretch.end.min(self.script.length())].map(|time| time.as_secs_f64());
            let corners = [(begin, values.start), (end, values.end)];
            plot.plotting_area().draw(&Rectangle::new(corners, colour.filled()))?;
        }
        Ok(())
    }

    /// A line where one phase ends and the next begins.
    fn phase_lines<Y>(&self, plot: &Plot<'_, Y>, values: Range<f64>) -> Drawn
    where
        Y: Ranged<ValueType = f64>,
    {
        for phase in &self.script.phases()[1..] {
            let at = phase.begin.as_secs_f64();
            let ends = [(at, values.start), (at, values.end)];
            plot.plotting_area().draw(&PathElement::new(ends, FAINT.mix(0.35)))?;
        }
        Ok(())
    }

    /// The load as a line of peaks: one point per pixel of the time axis is as much as can be seen.
    fn steps(&self, recording: &Recording) -> Vec<(f64, f64)> {
        let width = PLOT.len() as u32;
        let pixel = |index: u32| self.script.length() * index / width;
        (0..width)
            .map(|index| (pixel(index).as_secs_f64(), recording.peak(pixel(index), pixel(index + 1)).into()))
            .collect()
    }

    fn times(&self) -> Range<f64> {
        0.0..self.script.length().as_secs_f64()
    }

    fn pixel(&self, time: Duration) -> i32 {
        PLOT.start + (PLOT.len() as f64 * time.div_duration_f64(self.script.length())) as i32
    }
}

/// "1 ms", "10 s": the labels of an axis of powers of ten.
fn power_of_ten(seconds: f64) -> String {
    if seconds < 0.999 { format!("{:.0} ms", seconds * 1e3) } else { format!("{seconds:.0} s") }
}
