//! Finds the block around a position, for messages.

use objchange_text::json::{Node, NodeKind, Reader};

use crate::hidden_source::HiddenSource;
use crate::syntax::ast::Block;
use crate::syntax::parse_body_partly;
use objchange_text::Span;

/// The blocks of a file at its top, to say which of them a place is in.
///
/// ```
/// use objchange_hcl::{HiddenSource, Outline};
///
/// let text = "a = 1\nresource \"test_disk\" \"data\" {\n  size = 1\n}\n";
/// let outline = Outline::new("main.tf", text);
/// let nothing = HiddenSource::default();
/// let around = |part: &str| outline.around(text.find(part).unwrap() as u32, &nothing, 0);
/// assert_eq!(around("size").as_deref(), Some("resource \"test_disk\" \"data\""));
/// assert_eq!(around("resource"), None);
///
/// let json = Outline::new("main.tf.json", r#"{"output": {"x": {"value": 1}}}"#);
/// assert_eq!(json.around(27, &nothing, 0).as_deref(), Some("output.x"));
/// ```
#[derive(Debug)]
pub struct Outline<'t>(Form<'t>);

#[derive(Debug)]
enum Form<'t> {
    /// All of each block, and its header with its place.
    Native(Vec<(Span, (Span, String))>),
    Json(Node<'t>),
    /// The file cannot be read, and so has no blocks.
    None,
}

impl<'t> Outline<'t> {
    /// The outline of a file. Its name says whether it is JSON.
    pub fn new(name: &str, text: &'t str) -> Self {
        if name.ends_with(".json") {
            return Self(Node::read_all(Reader::new(text)).map_or(Form::None, Form::Json));
        }
        let blocks = parse_body_partly(text).blocks;
        Self(Form::Native(blocks.iter().map(|block| (block.all(), (block.header, header(block)))).collect()))
    }

    /// The block around a place of the file that begins at this byte, unless its name is hidden. `start` is the byte in all of
    /// the sources at which the file begins. A
    /// block's own header is in none.
    pub fn around(&self, byte: u32, hidden: &HiddenSource, start: u32) -> Option<String> {
        // Terraform asks for the block around the byte before the place.
        let byte = byte.checked_sub(1)?;
        let is_hidden = |place: Span| {
            !hidden.within(start.saturating_add(place.start), place.end - place.start).is_empty()
        };
        match &self.0 {
            Form::Native(blocks) => {
                // Blocks are in source order and do not overlap, so a binary search finds the one that may have the byte.
                let first = blocks.partition_point(|(all, _)| all.end <= byte);
                let block = blocks.get(first).filter(|(all, _)| all.start <= byte);
                let (_, (place, header)) = block?;
                (!is_hidden(*place)).then(|| header.clone())
            }
            Form::Json(root) => {
                let mut path = String::new();
                steps(root, byte, &is_hidden, &mut path);
                Some(path.strip_prefix('.').unwrap_or(&path).to_owned()).filter(|path| !path.is_empty())
            }
            Form::None => None,
        }
    }
}

fn header(block: &Block) -> String {
    let mut header = block.kind.to_string();
    for label in &block.labels {
        header.push_str(&format!(" {:?}", label.text));
    }
    header
}

/// The objects and arrays from the outermost to the innermost one that has the byte, up to one with a hidden name.
fn steps(node: &Node<'_>, byte: u32, is_hidden: &dyn Fn(Span) -> bool, path: &mut String) {
    let has_it = |node: &Node<'_>| {
        let is_container = matches!(node.kind, NodeKind::Object(_) | NodeKind::Array(_));
        is_container && (node.span.start..node.span.end).contains(&byte)
    };
    match &node.kind {
        NodeKind::Object(properties) => {
            // Properties are in source order and do not overlap either.
            let first = properties.partition_point(|property| property.value.span.end <= byte);
            let around = properties.get(first).filter(|property| has_it(&property.value));
            if let Some(property) = around.filter(|property| !is_hidden(property.name_span)) {
                path.push('.');
                path.push_str(&property.name);
                steps(&property.value, byte, is_hidden, path);
            }
        }
        NodeKind::Array(elements) => {
            let i = elements.partition_point(|element| element.span.end <= byte);
            if let Some(element) = elements.get(i).filter(|element| has_it(element)) {
                path.push_str(&format!("[{i}]"));
                steps(element, byte, is_hidden, path);
            }
        }
        _ => {}
    }
}
