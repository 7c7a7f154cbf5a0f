//! Work that is spread over the cores, and answers in the order of the work.

use std::num::NonZero;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many threads work side by side.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Where work is handed in.
#[derive(Debug)]
pub struct Queue<J, A> {
    answers: SyncSender<Pending<A>>,
    jobs: Sender<(J, Sender<A>)>,
}

#[derive(Debug)]
enum Pending<A> {
    Ready(A),
    Later(Receiver<A>),
}

/// The receiver of answers is gone.
#[derive(Debug, Clone, Copy)]
pub struct Abandoned;

impl<J, A> Queue<J, A> {
    /// Hands in some work.
    ///
    /// # Errors
    ///
    /// The receiver of answers is gone.
    pub fn job(&self, job: J) -> Result<(), Abandoned> {
        let (done, answer) = mpsc::channel();
        // The bounded channel is the first, so that no more jobs are in the other one.
        self.answers.send(Pending::Later(answer)).map_err(|_| Abandoned)?;
        self.jobs.send((job, done)).map_err(|_| Abandoned)
    }

    /// Hands in an answer that needs no work, for its place in the order.
    ///
    /// # Errors
    ///
    /// The receiver of answers is gone.
    pub fn answer(&self, answer: A) -> Result<(), Abandoned> {
        self.answers.send(Pending::Ready(answer)).map_err(|_| Abandoned)
    }
}

/// Does the work that `produce` hands in on this many threads, and hands over the answers in that order, until `handle` fails.
/// At most `ahead` jobs wait for each thread.
///
/// # Errors
///
/// Those of `handle`.
///
/// # Panics
///
/// `work` panics.
pub fn in_order<J: Send, A: Send, E>(
    threads: usize,
    ahead: usize,
    produce: impl FnOnce(&Queue<J, A>) -> Result<(), Abandoned> + Send,
    work: impl Fn(J) -> A + Sync,
    mut handle: impl FnMut(A) -> Result<(), E>,
) -> Result<(), E> {
    let (answers_in, answers) = mpsc::sync_channel(threads * ahead);
    let (jobs_in, jobs) = mpsc::channel::<(J, Sender<A>)>();
    // A receiver of the standard library has one owner, so the workers take turns.
    let jobs = Mutex::new(jobs);
    thread::scope(|scope| {
        // When `handle` fails, the receiver goes away, which ends the producer and then the workers.
        let answers = answers;
        scope.spawn(move || produce(&Queue { answers: answers_in, jobs: jobs_in }));
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((job, done)) = job else { return };
                    // The receiver may have given up.
                    let _ = done.send(work(job));
                }
            });
        }
        for answer in answers {
            match answer {
                Pending::Ready(answer) => handle(answer)?,
                // A worker that is gone has panicked, which the scope tells.
                Pending::Later(answer) => answer.recv().map_or(Ok(()), &mut handle)?,
            }
        }
        Ok(())
    })
}

/// Does work for each item of a list, and hands over the answers in that order, until `handle` fails.
///
/// # Errors
///
/// Those of `handle`.
///
/// # Panics
///
/// `work` panics.
///
/// ```
/// let mut squares = Vec::new();
/// objchange_project::pool::each(&[1, 2, 3], |n| n * n, |square| {
///     squares.push(square);
///     Ok::<_, std::convert::Infallible>(())
/// })?;
/// assert_eq!(squares, [1, 4, 9]);
/// # Ok::<_, std::convert::Infallible>(())
/// ```
pub fn each<'i, I: Sync, A: Send, E>(
    items: &'i [I],
    work: impl Fn(&'i I) -> A + Sync,
    handle: impl FnMut(A) -> Result<(), E>,
) -> Result<(), E> {
    each_on(cores(), items, work, handle)
}

/// Like [`each`], on this many threads.
///
/// # Errors
///
/// Those of `handle`.
///
/// # Panics
///
/// `work` panics.
pub fn each_on<'i, I: Sync, A: Send, E>(
    threads: usize,
    items: &'i [I],
    work: impl Fn(&'i I) -> A + Sync,
    handle: impl FnMut(A) -> Result<(), E>,
) -> Result<(), E> {
    let produce = |queue: &Queue<&'i I, A>| items.iter().try_for_each(|item| queue.job(item));
    // More threads than items would have nothing to do, and a user may ask for a million.
    in_order(threads.min(items.len()).max(1), 16, produce, work, handle)
}
