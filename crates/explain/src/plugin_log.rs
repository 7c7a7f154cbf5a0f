//! The lines that the SDKs write into a provider's log for each error.

use super::page::{Message, Page, is_logged};

/// The maximum number of lines of one entry.
const MAX_LINES: usize = 200;

/// The message in an entry of a log that begins at the first of these lines, and how many lines it has.
///
/// `… Response contains error diagnostic: tf_provider_addr=… diagnostic_summary="…"`; a text of several lines is below its
/// name, each line behind `|`.
pub(super) fn message(lines: &[&str]) -> Option<(Message, usize)> {
    let first = lines.first().filter(|line| is_logged(line))?;
    let is_it =
        ["Response contains error diagnostic", "diagnostic_summary="].iter().any(|it| first.contains(it));
    if !is_it {
        return None;
    }
    let is_below = |line: &&&str| line.starts_with([' ', '\t']) && !line.trim().is_empty();
    let count = 1 + lines[1..].iter().take(MAX_LINES).take_while(is_below).count();
    let entry = &lines[..count];
    let summary = value(entry, "diagnostic_summary")?;
    let provider = value(entry, "tf_provider_addr").filter(|provider| provider.contains('/'));
    let mut page = Page::from_summary(summary.trim());
    value(entry, "diagnostic_detail").unwrap_or_default().lines().for_each(|line| page.text(line.trim()));
    Some((Message { provider, is_log: true, ..page.message }, count))
}

/// The value behind `name=`: a word, a text in quotes, or the lines below it.
fn value(lines: &[&str], name: &str) -> Option<String> {
    let (at, rest) = lines.iter().enumerate().find_map(|(at, line)| {
        let (_, rest) = line.match_indices(name).find_map(|(start, _)| {
            // The name may be the end of a longer one.
            let is_whole = line[..start].chars().next_back().is_none_or(char::is_whitespace);
            Some((start, line[start + name.len()..].strip_prefix('=').filter(|_| is_whole)?))
        })?;
        Some((at, rest))
    })?;
    if rest.starts_with('"') {
        let mut texts = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        return texts.next()?.ok();
    }
    if !rest.trim().is_empty() {
        return rest.split_whitespace().next().map(str::to_owned);
    }
    let below = lines[at + 1..].iter().map_while(|line| line.trim_start().strip_prefix('|'));
    Some(below.collect::<Vec<_>>().join("\n"))
}

/// The messages without those of the log that Terraform prints, too; these get the provider from there.
pub(super) fn joined(messages: Vec<Message>) -> Vec<Message> {
    let (logged, mut printed): (Vec<_>, Vec<_>) =
        messages.into_iter().enumerate().partition(|(_, message)| message.is_log);
    let mut rest = Vec::new();
    for (at, log) in logged {
        let is_same = |printed: &Message| {
            printed.summary == log.summary
                && log.paragraphs.iter().all(|paragraph| printed.paragraphs.contains(paragraph))
        };
        // A title is not what Terraform printed, where it printed more.
        let has_more = printed.iter().any(|(_, message)| is_same(message) && !message.is_title);
        let mut found = false;
        let same = |message: &Message| is_same(message) && !(has_more && message.is_title);
        for (_, message) in printed.iter_mut().filter(|(_, message)| same(message)) {
            found = true;
            if message.provider.is_none() {
                message.provider.clone_from(&log.provider);
            }
        }
        if !found {
            rest.push((at, log));
        }
    }
    printed.append(&mut rest);
    printed.sort_by_key(|(at, _)| *at);
    printed.into_iter().map(|(_, message)| message).collect()
}
