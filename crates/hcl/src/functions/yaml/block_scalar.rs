//! Block scalars, `|` and `>`: Terraform's reader follows YAML 1.1, the parser used here YAML 1.2.

use std::borrow::Cow;

/// A block scalar as the parser has read it.
pub(super) struct BlockScalar<'t> {
    pub(super) text: Cow<'t, str>,
    /// The document from the content on, or from the scalar on if there is no content, an anchor or a tag.
    pub(super) document: &'t str,
    pub(super) start: usize,
    /// An anchor or a tag comes before it.
    pub(super) has_properties: bool,
    pub(super) ends_the_document: bool,
}

impl<'t> BlockScalar<'t> {
    /// The text as YAML 1.1 has it.
    ///
    /// The last line has no line break if the document ends there without one; the parser adds one. A document that is a
    /// block scalar is indented by at least one space; the parser needs none.
    pub(super) fn corrected(mut self) -> Result<Cow<'t, str>, &'static str> {
        let breaks = self.text.bytes().take_while(|byte| *byte == b'\n').count();
        let mut from_last = self.document.split('\n').rev();
        let last = from_last.next().unwrap_or_default();
        let content = &self.text[breaks..];
        if content.is_empty() {
            // A line of spaces at the end, right behind the header, is not one that is kept.
            let is_header = from_last.next().is_some_and(|line| !line.trim().is_empty());
            let has_added = self.ends_the_document && breaks == 1 && is_header;
            return Ok(if has_added { Cow::Borrowed("") } else { self.text });
        }
        let line = self.content_line(breaks);
        let first = self.document[line..].lines().next().unwrap_or_default();
        let indent = spaces(first).saturating_sub(spaces(content));
        if indent == 0 {
            return self.without_content(line, breaks);
        }
        if self.ends_the_document && self.text.ends_with('\n') && last.chars().count() >= indent {
            self.text.to_mut().pop();
        }
        Ok(self.text)
    }

    /// The start of the line with the first content.
    fn content_line(&self, breaks: usize) -> usize {
        if self.has_properties {
            let header = self.document.len() - without_properties(&self.document[self.start..]).len();
            let mut ends = self.document[header..].match_indices('\n');
            return ends.nth(breaks).map_or(self.document.len(), |(at, _)| header + at + 1);
        }
        self.document[..self.start].rfind('\n').map_or(0, |at| at + 1)
    }

    /// The text of a scalar whose first line is not content, because it is not indented: only comments may
    /// follow.
    fn without_content(&self, line: usize, breaks: usize) -> Result<Cow<'t, str>, &'static str> {
        let mut after = self.document[line..].lines().take_while(|line| !line.starts_with("..."));
        let is_comment = |line: &str| matches!(line.trim_start_matches(' ').chars().next(), None | Some('#'));
        if !after.all(is_comment) {
            return Err("a block of text must be indented");
        }
        let header = self.document[..line].lines().rev().nth(breaks).unwrap_or_default();
        let header = header.split(" #").next().unwrap_or_default();
        let keeps_breaks =
            header.rsplit(['|', '>']).next().is_some_and(|indicators| indicators.contains('+'));
        Ok("\n".repeat(if keeps_breaks { breaks } else { 0 }).into())
    }
}

/// A node without what comes before its indicator.
fn without_properties(mut source: &str) -> &str {
    loop {
        source = source.trim_start();
        let end = match source.chars().next() {
            Some('!' | '&') => source.find(char::is_whitespace),
            Some('#') => source.find('\n'),
            _ => return source,
        };
        source = end.map_or("", |end| &source[end..]);
    }
}

fn spaces(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}
