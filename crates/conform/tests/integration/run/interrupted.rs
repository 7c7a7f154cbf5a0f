//! Created objects are not left behind, whenever the run ends.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use objchange::Value;
use objchange::change::{AppliedResource, Diagnostic};
use objchange_conform::kit::{Kit, ResourceType, trial_block};
use objchange_conform::{Options, Report, RunEnd, Stop};

use crate::run::provider::tried;

/// A provider whose objects are counted; after so many calls to apply something happens.
fn report(mut options: Options, calls: u64, event: fn(&Stop), refuses: bool) -> (Report, i64) {
    let there = Arc::new(Mutex::new(0_i64));
    let (asked, stop) = (Arc::new(AtomicU64::new(0)), options.stop.clone());
    (options.apply, options.cases, options.shrink) = (true, 10_000, 10);
    let counted = there.clone();
    let make = move || {
        let (there, asked, stop) = (counted.clone(), asked.clone(), stop.clone());
        let resource = ResourceType::new(trial_block(true)).on_apply(move |request| {
            if asked.fetch_add(1, Ordering::SeqCst) == calls {
                event(&stop);
            }
            let change = i64::from(request.prior.is_null()) - i64::from(request.planned.is_null());
            if refuses && change < 0 {
                let mut refused = AppliedResource::new(request.prior.clone());
                refused.diagnostics.push(Diagnostic::error("it is in use"));
                return refused;
            }
            *there.lock().unwrap() += change;
            let known = request.planned.transform(|_, part| {
                let id = || {
                    Value::from("made").convert(part.ty()).unwrap_or_else(|_| Value::null(part.ty().clone()))
                };
                Ok::<_, std::convert::Infallible>(if part.is_known() { part } else { id() })
            });
            AppliedResource::new(known.unwrap())
        });
        Kit::default().resource("kit_thing", resource)
    };
    let (report, _) = tried(make, options);
    let there = *there.lock().unwrap();
    (report, there)
}

#[test]
fn nothing_is_left_after_an_interrupt() {
    for calls in [0, 1, 2, 5, 6, 7, 40] {
        let (report, there) = report(Options::default(), calls, Stop::stop, false);
        assert_eq!((report.ended, there), (RunEnd::Stopped, 0), "{calls}");
        assert_eq!(report.left, []);
    }
}

#[test]
fn nothing_is_left_when_the_time_is_over() {
    let mut options = Options::default();
    options.time = Some(Duration::from_millis(300));
    let wait = |_: &Stop| std::thread::sleep(Duration::from_millis(400));
    for calls in [0, 1, 2] {
        let (report, there) = report(options.clone(), calls, wait, false);
        assert_eq!((report.ended, there), (RunEnd::Time, 0), "{calls}");
        assert_eq!(report.left, []);
    }
}

/// An object that cannot be destroyed is named, with its identifier.
#[test]
fn what_is_left_is_named() {
    let options = Options::default();
    let made = options.made.clone();
    let (report, there) = report(options, 0, Stop::stop, true);
    assert_eq!(there, 1);
    let [left] = &report.left[..] else { panic!("{:?}", report.left) };
    assert_eq!(
        (left.type_name.as_str(), left.reason, left.count),
        ("kit_thing", "the provider says that it still exists", 1)
    );
    assert!(left.id.is_some());
    assert_eq!(made.left(), report.left);
}

/// A provider that crashes after it made something is started again, to destroy it.
#[test]
fn what_a_crash_leaves_is_destroyed() {
    use async_trait::async_trait;
    use objchange_conform::run;
    use objchange_provider::{Call, ErrorKind, Provider, Reply, Result};

    /// It is gone with the first thing that it reads.
    struct Fragile(Kit, AtomicBool, Arc<Mutex<i64>>);

    #[async_trait]
    impl Provider for Fragile {
        async fn call(&self, call: Call<'_>) -> Result<Reply> {
            match call {
                Call::Read(_) => {
                    self.1.store(true, Ordering::SeqCst);
                    Err(ErrorKind::Crashed { status: "exit status: 2".into() }.into())
                }
                Call::Apply(_, request) => {
                    assert!(!self.1.load(Ordering::SeqCst));
                    let applied = self.0.call(call).await?;
                    *self.2.lock().unwrap() +=
                        i64::from(request.prior.is_null()) - i64::from(request.planned.is_null());
                    Ok(applied)
                }
                _ => self.0.call(call).await,
            }
        }
    }

    let there = Arc::new(Mutex::new(0_i64));
    let counted = there.clone();
    let start = move || {
        let kit = Kit::default().resource("kit_thing", ResourceType::new(trial_block(true)));
        let provider: Arc<dyn Provider> = Arc::new(Fragile(kit, AtomicBool::new(false), counted.clone()));
        async move { Ok(provider) }
    };
    let mut options = Options::default();
    (options.apply, options.cases) = (true, 5);
    let (report, _) = crate::run::provider::wait(run(start, options, |_| {})).unwrap();
    assert_eq!((*there.lock().unwrap(), report.left), (0, vec![]));
}
