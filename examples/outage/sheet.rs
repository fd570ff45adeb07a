//! The sheet the chart is drawn on: its measures, its letters, and the key at its right.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(crate) type Drawn = Result<(), Box<dyn Error>>;

pub(crate) const SIZE: (u32, u32) = (1280, 1006);
/// Where the time axis begins and ends, in pixels from the left.
pub(crate) const PLOT: Range<i32> = 90..1010;
/// Where the key to the right of it begins.
pub(crate) const LEGEND: i32 = PLOT.end + 22;
/// Room for the labels of a value axis.
pub(crate) const LABELS: u32 = 78;

pub(crate) const INK: RGBColor = RGBColor(38, 38, 38);
pub(crate) const FAINT: RGBColor = RGBColor(110, 110, 110);
pub(crate) const GRID: RGBColor = RGBColor(228, 228, 228);

/// Whatever plain face the viewer has.
const FACE: &str = "Helvetica, Arial, sans-serif";

pub(crate) fn font(size: u32) -> TextStyle<'static> {
    (FACE, size).into()
}

/// Writes a line that begins at that place (its upper left corner).
pub(crate) fn write(sheet: &Area<'_>, text: &str, at: (i32, i32), size: u32, colour: &RGBColor) -> Drawn {
    let style = font(size).color(colour).pos(Pos::new(HPos::Left, VPos::Top));
    sheet.draw(&Text::new(text, at, style))?;
    Ok(())
}

/// The same in bold.
pub(crate) fn title(sheet: &Area<'_>, text: &str, at: (i32, i32), size: u32) -> Drawn {
    let face = FontDesc::new(FontFamily::Name(FACE), size.into(), FontStyle::Bold);
    let style = TextStyle::from(face).color(&INK).pos(Pos::new(HPos::Left, VPos::Top));
    sheet.draw(&Text::new(text, at, style))?;
    Ok(())
}

/// The part of the sheet for a panel whose values are drawn between `top` and `top + height`, with room for the labels
/// to the left of it and so much `below`.
pub(crate) fn panel<'a>(sheet: &Area<'a>, top: i32, height: i32, below: i32) -> Area<'a> {
    let left = PLOT.start - LABELS as i32;
    sheet.clone().shrink((left, top), (PLOT.end - left, height + below))
}

/// The key beside a panel, written from top to bottom.
pub(crate) struct Legend<'a, 'b> {
    sheet: &'a Area<'b>,
    line: i32,
}

impl<'a, 'b> Legend<'a, 'b> {
    const LINE: i32 = 19;

    pub(crate) fn new(sheet: &'a Area<'b>, top: i32, heading: &str) -> Result<Self, Box<dyn Error>> {
        let mut legend = Self { sheet, line: top };
        legend.heading(heading)?;
        Ok(legend)
    }

    pub(crate) fn heading(&mut self, text: &str) -> Drawn {
        title(self.sheet, text, (LEGEND, self.line), 14)?;
        self.line += Self::LINE;
        Ok(())
    }

    pub(crate) fn gap(&mut self) {
        self.line += Self::LINE / 2;
    }

    pub(crate) fn patch(&mut self, colour: RGBAColor, text: &str) -> Drawn {
        let corners = [(LEGEND, self.line + 1), (LEGEND + 18, self.line + 13)];
        self.sheet.draw(&Rectangle::new(corners, colour.filled()))?;
        self.sheet.draw(&Rectangle::new(corners, FAINT.mix(0.5)))?;
        self.text(text)
    }

    pub(crate) fn dot(&mut self, colour: RGBColor, text: &str) -> Drawn {
        self.sheet.draw(&Circle::new((LEGEND + 9, self.line + 7), 4, colour.filled()))?;
        self.text(text)
    }

    pub(crate) fn dashes(&mut self, colour: RGBColor, text: &str) -> Drawn {
        for left in [LEGEND, LEGEND + 7, LEGEND + 14] {
            let ends = [(left, self.line + 7), (left + 4, self.line + 7)];
            self.sheet.draw(&PathElement::new(ends, colour))?;
        }
        self.text(text)
    }

    pub(crate) fn note(&mut self, text: &str) -> Drawn {
        write(self.sheet, text, (LEGEND + 26, self.line - 2), 13, &FAINT)?;
        self.line += Self::LINE - 2;
        Ok(())
    }

    fn text(&mut self, text: &str) -> Drawn {
        write(self.sheet, text, (LEGEND + 26, self.line), 14, &INK)?;
        self.line += Self::LINE;
        Ok(())
    }
}
