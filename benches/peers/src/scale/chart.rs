//! The chart: a panel for each thing that grows, with logarithmic scales.

use std::error::Error;
use std::ops::Range;
use std::path::Path;

use plotters::prelude::*;

use super::{Line, Panel};

const WIDTH: u32 = 1100;
const PANEL: u32 = 270;
/// Room for the key, right of the lines.
const KEY: u32 = 330;

const INK: RGBColor = RGBColor(38, 38, 38);
const GRID: RGBColor = RGBColor(228, 228, 228);
/// Told apart by people who do not see all colours.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];
const FACE: &str = "Helvetica, Arial, sans-serif";

/// Writes the chart as SVG.
pub(super) fn draw(file: &Path, panels: &[Panel]) -> Result<(), Box<dyn Error>> {
    let sheet = SVGBackend::new(file, (WIDTH, PANEL * panels.len() as u32)).into_drawing_area();
    sheet.fill(&WHITE)?;
    for (area, panel) in sheet.split_evenly((panels.len(), 1)).iter().zip(panels) {
        let (left, key) = area.split_horizontally(WIDTH - KEY);
        let lines: Vec<&Line> = panel.lines.iter().filter(|line| line.drawn).collect();
        let mut plot = ChartBuilder::on(&left)
            .margin(12)
            .caption(panel.title, (FACE, 15))
            .x_label_area_size(40)
            .y_label_area_size(64)
            .build_cartesian_2d(
                range(&lines, |point| point.0).log_scale(),
                range(&lines, |point| point.1).log_scale(),
            )?;
        plot.configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .x_desc(panel.across)
            .y_desc("ns")
            .x_label_formatter(&|value| super::short(*value))
            .y_label_formatter(&|value| super::short(*value))
            .label_style((FACE, 12).into_font().color(&INK))
            .axis_desc_style((FACE, 13).into_font().color(&INK))
            .draw()?;
        for (index, (line, colour)) in lines.iter().zip(COLOURS).enumerate() {
            plot.draw_series(LineSeries::new(line.points.iter().copied(), colour.stroke_width(2)))?;
            plot.draw_series(line.points.iter().map(|&point| Circle::new(point, 3, colour.filled())))?;
            let top = 44 + 20 * index as i32;
            key.draw(&Rectangle::new([(0, top), (16, top + 10)], colour.filled()))?;
            key.draw(&Text::new(line.name, (24, top), (FACE, 13).into_font().color(&INK)))?;
        }
    }
    sheet.present()?;
    Ok(())
}

/// From the power of ten below the least value to the one above the greatest: noise shall not look like growth.
fn range(lines: &[&Line], value: fn(&(f64, f64)) -> f64) -> Range<f64> {
    let values = || lines.iter().flat_map(|line| line.points.iter().map(value));
    let (least, greatest) = (values().fold(f64::INFINITY, f64::min), values().fold(1.0, f64::max));
    let power = |exponent: f64| 10_f64.powf(exponent.clamp(-1.0, 9.0));
    power(least.max(0.1).log10().floor())..power(greatest.log10().ceil())
}
