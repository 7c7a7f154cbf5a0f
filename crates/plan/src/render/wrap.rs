//! Wrapping prose.

/// Breaks prose at spaces so that no line is wider than `width` characters, unless a single word is.
///
/// Colour sequences count as characters: that is where Terraform breaks its lines.
pub(super) fn wrap(prose: &str, width: usize) -> String {
    let mut wrapped = String::with_capacity(prose.len());
    let mut column = 0;
    for word in prose.split(' ') {
        let length = word.chars().count();
        if column > 0 {
            if column + 1 + length > width {
                wrapped.push('\n');
                column = 0;
            } else {
                wrapped.push(' ');
                column += 1;
            }
        }
        wrapped.push_str(word);
        column += length;
    }
    wrapped
}
