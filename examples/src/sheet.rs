//! The sheet a chart is drawn on: its measures, its letters, and the key at its right.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A sheet, or a part of it.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// What drawing comes to.
pub type Drawn = Result<(), Box<dyn Error>>;

/// How wide a sheet is, in pixels.
pub const WIDTH: u32 = 1280;
/// Where the time axis begins and ends, in pixels from the left.
pub const PLOT: Range<i32> = 90..1010;
/// Where the key to the right of it begins.
pub const LEGEND: i32 = PLOT.end + 22;
/// Room for the labels of a value axis.
pub const LABELS: u32 = 78;

/// What is written.
pub const INK: RGBColor = RGBColor(38, 38, 38);
/// What is written beside it.
pub const FAINT: RGBColor = RGBColor(110, 110, 110);
/// The lines behind the values.
pub const GRID: RGBColor = RGBColor(228, 228, 228);

/// Whatever plain face the viewer has.
const FACE: &str = "Helvetica, Arial, sans-serif";

/// The face of all letters, so large.
#[must_use]
pub fn font(size: u32) -> TextStyle<'static> {
    (FACE, size).into()
}

/// Writes a line that begins at that place (its upper left corner).
pub fn write(sheet: &Area<'_>, text: &str, at: (i32, i32), size: u32, colour: &RGBColor) -> Drawn {
    let style = font(size).color(colour).pos(Pos::new(HPos::Left, VPos::Top));
    sheet.draw(&Text::new(text, at, style))?;
    Ok(())
}

/// The same in bold.
pub fn title(sheet: &Area<'_>, text: &str, at: (i32, i32), size: u32) -> Drawn {
    let face = FontDesc::new(FontFamily::Name(FACE), size.into(), FontStyle::Bold);
    let style = TextStyle::from(face).color(&INK).pos(Pos::new(HPos::Left, VPos::Top));
    sheet.draw(&Text::new(text, at, style))?;
    Ok(())
}

/// The part of the sheet for a panel whose values are drawn between `top` and `top + height`, with room for the labels
/// to the left of it and so much `below`.
#[must_use]
pub fn panel<'a>(sheet: &Area<'a>, top: i32, height: i32, below: i32) -> Area<'a> {
    let left = PLOT.start - LABELS as i32;
    sheet.clone().shrink((left, top), (PLOT.end - left, height + below))
}

/// The key beside a panel, written from top to bottom.
#[expect(missing_debug_implementations, reason = "a sheet does not print")]
pub struct Legend<'a, 'b> {
    sheet: &'a Area<'b>,
    line: i32,
}

impl<'a, 'b> Legend<'a, 'b> {
    const LINE: i32 = 19;

    /// Begins with a heading, level with the panel's top.
    ///
    /// # Errors
    ///
    /// As the sheet's; so in all that follows.
    pub fn new(sheet: &'a Area<'b>, top: i32, heading: &str) -> Result<Self, Box<dyn Error>> {
        let mut legend = Self { sheet, line: top };
        legend.heading(heading)?;
        Ok(legend)
    }

    /// A line in bold.
    pub fn heading(&mut self, text: &str) -> Drawn {
        title(self.sheet, text, (LEGEND, self.line), 14)?;
        self.line += Self::LINE;
        Ok(())
    }

    /// Leaves half a line free.
    pub fn gap(&mut self) {
        self.line += Self::LINE / 2;
    }

    /// What an area of that colour shows.
    pub fn patch(&mut self, colour: RGBAColor, text: &str) -> Drawn {
        let corners = [(LEGEND, self.line + 1), (LEGEND + 18, self.line + 13)];
        self.sheet.draw(&Rectangle::new(corners, colour.filled()))?;
        self.sheet.draw(&Rectangle::new(corners, FAINT.mix(0.5)))?;
        self.text(text)
    }

    /// What a dot of that colour shows.
    pub fn dot(&mut self, colour: RGBColor, text: &str) -> Drawn {
        self.sheet.draw(&Circle::new((LEGEND + 9, self.line + 7), 4, colour.filled()))?;
        self.text(text)
    }

    /// What a dashed line of that colour shows.
    pub fn dashes(&mut self, colour: RGBColor, text: &str) -> Drawn {
        for left in [LEGEND, LEGEND + 7, LEGEND + 14] {
            let ends = [(left, self.line + 7), (left + 4, self.line + 7)];
            self.sheet.draw(&PathElement::new(ends, colour))?;
        }
        self.text(text)
    }

    /// A line in small letters.
    pub fn note(&mut self, text: &str) -> Drawn {
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
