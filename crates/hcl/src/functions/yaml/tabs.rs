//! Tabs in YAML, where they cannot be indentation: Terraform's reader refuses some that others take.

use saphyr_parser::{Event, ScalarStyle, Span};

/// Facts about tabs, collected while events are read.
#[derive(Default)]
pub(super) struct Tabs<'t> {
    /// None if there are no tabs.
    lines: Vec<&'t str>,
    /// One entry per open collection: its first line if it is the outermost one in brackets.
    open: Vec<Option<usize>>,
    /// The number of open collections that are in brackets, or inside of brackets.
    in_brackets: usize,
    /// First and last line of ranges that may begin with tabs in all lines but the first.
    free: Vec<(usize, usize)>,
    /// First and last line of ranges that are wholly text of a scalar.
    texts: Vec<(usize, usize)>,
}

/// Where a tab is that cannot be there.
pub(super) struct Misplaced {
    pub(super) line: usize,
}

impl<'t> Tabs<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        if !text.contains('\t') {
            return Self::default();
        }
        let lines = text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'));
        Self { lines: lines.collect(), ..Self::default() }
    }

    /// Looks at one event and where it is.
    pub(super) fn see(&mut self, event: &Event<'_>, span: Span) -> Result<(), Misplaced> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let (first, last) = (span.start.line(), span.end.line());
        match event {
            Event::Alias(_) => self.check(span),
            Event::Scalar(text, ScalarStyle::Literal | ScalarStyle::Folded, anchor, tag) => {
                let begins_with_tab = text.trim_start_matches('\n').starts_with('\t');
                if begins_with_tab && !self.has_indentation(first, *anchor > 0 || tag.is_some()) {
                    return Err(Misplaced { line: first });
                }
                // Its first line is that of an anchor or tag, if there is one.
                let has_properties = *anchor > 0 || tag.is_some();
                self.texts.push((first + usize::from(has_properties), last));
                self.check(span)
            }
            Event::Scalar(_, style, ..) => {
                let is_quoted = matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
                // Nothing around the document's own text asks for indentation.
                if self.in_brackets == 0 && (is_quoted || self.open.is_empty()) {
                    self.free.push((first, last));
                }
                self.texts.push((first + 1, last));
                self.check(span)
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                let is_checked = self.check(span);
                let is_bracket = self.from(span).is_some_and(|text| text.starts_with(['[', '{']));
                self.open.push((is_bracket && self.in_brackets == 0).then_some(first));
                self.in_brackets += usize::from(is_bracket || self.in_brackets > 0);
                is_checked
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.in_brackets = self.in_brackets.saturating_sub(1);
                if let Some(Some(first)) = self.open.pop() {
                    self.free.push((first, last));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// All has been seen.
    pub(super) fn end(&self) -> Result<(), Misplaced> {
        let (mut free, mut texts) = (self.free.iter().peekable(), self.texts.iter().peekable());
        for (number, line) in std::iter::zip(1.., &self.lines).filter(|(_, line)| line.contains('\t')) {
            while free.next_if(|(_, last)| *last < number).is_some() {}
            while texts.next_if(|(_, last)| *last < number).is_some() {}
            let is_free = free.peek().is_some_and(|(first, _)| *first < number);
            let is_text = texts.peek().is_some_and(|(first, _)| *first <= number);
            if !is_free && (line.starts_with('\t') || (!is_text && is_behind_mark(line))) {
                return Err(Misplaced { line: number });
            }
        }
        Ok(())
    }

    /// Between the beginning of the line, or the mark of an entry, and what the entry is, there is no tab.
    fn check(&self, span: Span) -> Result<(), Misplaced> {
        let Some(line) = self.lines.get(span.start.line().wrapping_sub(1)).filter(|_| self.in_brackets == 0)
        else {
            return Ok(());
        };
        let end = line.char_indices().nth(span.start.col()).map_or(line.len(), |(at, _)| at);
        let before = &line[..end];
        let mark = before.trim_end_matches([' ', '\t']);
        let is_value = mark.trim_start_matches(' ') == ":";
        let is_indented = mark.is_empty() || is_value || mark.ends_with(['-', '?']) && mark != "---";
        if is_indented && before[mark.len()..].contains('\t') {
            return Err(Misplaced { line: span.start.line() });
        }
        Ok(())
    }

    /// Whether a block scalar states its indentation, so that a tab at its beginning is content. `line` is the line of
    /// its first content, or of its anchor or tag.
    fn has_indentation(&self, line: usize, has_properties: bool) -> bool {
        let (above, below) = self.lines.split_at(line.saturating_sub(1).min(self.lines.len()));
        let without_comment = |line: &&'t str| line.split(" #").next().unwrap_or_default();
        let header = match has_properties {
            true => below.iter().map(without_comment).find(|line| line.contains(['|', '>'])),
            false => above.iter().rev().find(|line| !line.trim().is_empty()).map(without_comment),
        };
        let indicators = header.and_then(|header| header.rsplit(['|', '>']).next());
        indicators.is_some_and(|indicators| indicators.contains(|c: char| c.is_ascii_digit()))
    }

    fn from(&self, span: Span) -> Option<&'t str> {
        let line = self.lines.get(span.start.line().checked_sub(1)?)?;
        line.char_indices().nth(span.start.col()).map(|(at, _)| &line[at..])
    }
}

/// Whether a tab is behind one of the marks of entries at the beginning of a line, whatever is behind it.
fn is_behind_mark(line: &str) -> bool {
    let mut rest = line.trim_start_matches(' ');
    while let Some(after) = rest.strip_prefix(['-', '?', ':']).filter(|after| after.starts_with([' ', '\t']))
    {
        rest = after.trim_start_matches(' ');
        if rest.starts_with('\t') {
            return true;
        }
    }
    false
}
