//! Stands in for what other rooms bring.
use super::input::Target;
use crate::config::Config;
use crate::providers::Providers;
use crate::state::PriorState;
use crate::{Diagnostics, Schemas};
use objchange::address::InstanceAddress;
use std::collections::BTreeMap;

pub(crate) struct MovedState {
    pub(crate) state: PriorState,
    pub(crate) moved: BTreeMap<InstanceAddress, InstanceAddress>,
    pub(crate) diagnostics: Diagnostics,
}

pub(crate) fn apply_moves(
    state: &PriorState,
    _: &Config,
    _: &Schemas,
    _: &[Target],
    _: &mut dyn Providers,
) -> MovedState {
    MovedState { state: state.clone(), moved: BTreeMap::new(), diagnostics: Diagnostics::default() }
}

pub(crate) struct Removals;

impl Removals {
    pub(crate) fn new(_: &Config) -> Self {
        Self
    }
    pub(crate) fn forgets(&self, _: &InstanceAddress) -> bool {
        false
    }
    pub(crate) fn warning(&self, _: &[InstanceAddress]) -> Diagnostics {
        Diagnostics::default()
    }
}
