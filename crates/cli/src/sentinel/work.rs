//! Work that is spread over the cores, and answers in the order of the work.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Does something with each item, and hands over what comes of it in their order.
pub(crate) fn in_order<I: Sync, A: Send>(
    items: &[I],
    work: impl Fn(&I) -> A + Sync,
    mut handle: impl FnMut(A) -> io::Result<()>,
) -> io::Result<()> {
    let workers = thread::available_parallelism().map_or(1, NonZero::get).min(items.len());
    let next = AtomicUsize::new(0);
    let (send, answers) = mpsc::channel();
    thread::scope(|scope| {
        // When `handle` fails, the receiver goes away, which ends the workers.
        let answers = answers;
        for _ in 0..workers {
            let (send, next, work) = (send.clone(), &next, &work);
            scope.spawn(move || {
                while let Some((index, item)) = at(items, next.fetch_add(1, Ordering::Relaxed)) {
                    if send.send((index, work(item))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let (mut due, mut early) = (0, BTreeMap::new());
        for (index, answer) in answers {
            early.insert(index, answer);
            while let Some(answer) = early.remove(&due) {
                due += 1;
                handle(answer)?;
            }
        }
        Ok(())
    })
}

fn at<I>(items: &[I], index: usize) -> Option<(usize, &I)> {
    Some((index, items.get(index)?))
}
