//! Handles interrupts: no process and no created object is left behind.

use std::time::Duration;
use std::{io, process};

use objchange_conform::{CreatedObjects, LeftoverObject, Stop};
use objchange_project::on_signals;
use objchange_provider::client::Children;

use crate::exit::{INTERRUPTED, note, warn};

/// How long the work may take to notice that it was interrupted.
const GRACE: Duration = Duration::from_secs(3);

/// How long the created objects may take to be destroyed.
// Longer than the 20 s that a run itself takes for this, so that the run ends first.
const TIDY: Duration = Duration::from_secs(25);

/// Stops the run on a signal. If objects may exist, the run gets time to destroy them, until the next signal.
pub(super) fn listen(children: Children, stop: Stop, made: Option<CreatedObjects>) -> io::Result<()> {
    on_signals(async move |mut signals| {
        signals.next().await;
        stop.stop();
        if let Some(made) = made {
            note("interrupted: destroying created objects; interrupt again to leave them");
            // If all objects are destroyed before that, the run returns, and the program ends while this task still
            // waits.
            let _ = tokio::time::timeout(TIDY, signals.next()).await;
            left_behind(&made.left());
        } else {
            children.kill_all();
            tokio::time::sleep(GRACE).await;
        }
        children.kill_all();
        process::exit(INTERRUPTED.into());
    })
}

/// The maximum number of things to name one by one.
const NAMED: usize = 50;

/// Lists the objects that may still exist.
pub(super) fn left_behind(left: &[LeftoverObject]) {
    for left in left.iter().take(NAMED) {
        let id = left.id.as_ref().map(|id| format!(" {id:?}")).unwrap_or_default();
        let times = if left.count > 1 { format!(" ({} of them)", left.count) } else { String::new() };
        warn(&format!("left behind: {}{id}{times}: {}", left.type_name, left.reason));
    }
    if let Some(more) = left.len().checked_sub(NAMED).filter(|more| *more > 0) {
        warn(&format!("left behind: {more} more, see --json"));
    }
}
