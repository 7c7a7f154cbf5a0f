//! A text of JSON as a tree, with the place of each part.

use std::borrow::Cow;
use std::sync::Arc;

use super::{JsonError, Reader, Token};
use crate::Span;

/// A value in a text. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Node<'t> {
    /// Its place.
    pub span: Span,
    /// Its content.
    pub kind: NodeKind<'t>,
}

/// The content of a value.
#[derive(Debug, Clone)]
pub enum NodeKind<'t> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it is written.
    Number(&'t str),
    /// A string, its escapes resolved.
    String(Cow<'t, str>),
    /// The elements of an array.
    Array(Arc<[Node<'t>]>),
    /// The members of an object, in the order of the text, repeated names included.
    Object(Arc<[Property<'t>]>),
}

/// A member of an object.
#[derive(Debug, Clone)]
pub struct Property<'t> {
    /// Its name.
    pub name: Cow<'t, str>,
    /// The span of the name, with its quotes.
    pub name_span: Span,
    /// Its value.
    pub value: Node<'t>,
}

impl<'t> Node<'t> {
    /// Reads a whole text.
    ///
    /// ```
    /// use objchange_text::json::{Node, NodeKind, Reader};
    ///
    /// let node = Node::read_all(Reader::new(r#"{"size": 1.0}"#))?;
    /// let NodeKind::Object(members) = &node.kind else { panic!("an object") };
    /// assert!(matches!(members[0].value.kind, NodeKind::Number("1.0")));
    /// assert_eq!(members[0].value.span.range(), 9..12);
    /// # Ok::<(), objchange_text::json::JsonError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The text is not one JSON value.
    pub fn read_all(mut reader: Reader<'t>) -> Result<Self, JsonError> {
        let node = Self::read(&mut reader)?;
        reader.end()?;
        Ok(node)
    }

    /// Reads the value that comes next. The reader bounds how deep it nests.
    fn read(reader: &mut Reader<'t>) -> Result<Self, JsonError> {
        reader.peek();
        let start = reader.offset();
        let mut is_first = true;
        let kind = match reader.token()? {
            Token::Null => NodeKind::Null,
            Token::Bool(bool) => NodeKind::Bool(bool),
            Token::Number(text) => NodeKind::Number(text),
            Token::String(text) => NodeKind::String(text),
            Token::Array => {
                let mut elements = Vec::new();
                while reader.next_element(&mut is_first)? {
                    elements.push(Self::read(reader)?);
                }
                reader.leave();
                NodeKind::Array(elements.into())
            }
            Token::Object => {
                let mut properties = Vec::new();
                while reader.next_key(&mut is_first)? {
                    let start = reader.offset();
                    let name = reader.string()?;
                    let name_span = span(start, reader.offset());
                    reader.colon()?;
                    properties.push(Property { name, name_span, value: Self::read(reader)? });
                }
                reader.leave();
                NodeKind::Object(properties.into())
            }
        };
        Ok(Self { span: span(start, reader.offset()), kind })
    }

    /// The opening bracket of an array or object; all of any other value.
    pub fn open(&self) -> Span {
        match self.kind {
            NodeKind::Array(_) | NodeKind::Object(_) => Span::new(self.span.start, self.span.start + 1),
            _ => self.span,
        }
    }

    /// The noun for a sentence: `a number`.
    pub fn noun(&self) -> &'static str {
        match self.kind {
            NodeKind::Null => "null",
            NodeKind::Bool(_) => "a bool",
            NodeKind::Number(_) => "a number",
            NodeKind::String(_) => "a string",
            NodeKind::Array(_) => "an array",
            NodeKind::Object(_) => "an object",
        }
    }
}

fn span(start: usize, end: usize) -> Span {
    Span::new(start as u32, end as u32)
}
