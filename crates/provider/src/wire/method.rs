//! The names of the calls.

use super::Protocol;
use crate::Component;

/// A call of the protocol by its two names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Method {
    v5: &'static str,
    v6: &'static str,
}

impl Method {
    const fn same(name: &'static str) -> Self {
        Self { v5: name, v6: name }
    }

    /// Protocol 5 has no such call; calling it returns an error.
    const fn only_6(name: &'static str) -> Self {
        Self { v5: "", v6: name }
    }

    pub(crate) const SCHEMA: Self = Self { v5: "GetSchema", v6: "GetProviderSchema" };
    pub(crate) const IDENTITY_SCHEMAS: Self = Self::same("GetResourceIdentitySchemas");
    // In protocol 5 the answer has a `prepared_config`, which Terraform ignores.
    pub(crate) const VALIDATE_PROVIDER: Self =
        Self { v5: "PrepareProviderConfig", v6: "ValidateProviderConfig" };
    pub(crate) const VALIDATE_RESOURCE: Self =
        Self { v5: "ValidateResourceTypeConfig", v6: "ValidateResourceConfig" };
    pub(crate) const VALIDATE_DATA: Self =
        Self { v5: "ValidateDataSourceConfig", v6: "ValidateDataResourceConfig" };
    pub(crate) const VALIDATE_EPHEMERAL: Self = Self::same("ValidateEphemeralResourceConfig");
    pub(crate) const VALIDATE_LIST: Self = Self::same("ValidateListResourceConfig");
    pub(crate) const VALIDATE_ACTION: Self = Self::same("ValidateActionConfig");
    pub(crate) const UPGRADE: Self = Self::same("UpgradeResourceState");
    pub(crate) const UPGRADE_IDENTITY: Self = Self::same("UpgradeResourceIdentity");
    pub(crate) const CONFIGURE: Self = Self { v5: "Configure", v6: "ConfigureProvider" };
    pub(crate) const READ: Self = Self::same("ReadResource");
    pub(crate) const PLAN: Self = Self::same("PlanResourceChange");
    pub(crate) const APPLY: Self = Self::same("ApplyResourceChange");
    pub(crate) const IMPORT: Self = Self::same("ImportResourceState");
    pub(crate) const MOVE: Self = Self::same("MoveResourceState");
    pub(crate) const GENERATE: Self = Self::same("GenerateResourceConfig");
    pub(crate) const READ_DATA: Self = Self::same("ReadDataSource");
    pub(crate) const OPEN: Self = Self::same("OpenEphemeralResource");
    pub(crate) const RENEW: Self = Self::same("RenewEphemeralResource");
    pub(crate) const CLOSE: Self = Self::same("CloseEphemeralResource");
    pub(crate) const LIST: Self = Self::same("ListResource");
    pub(crate) const FUNCTIONS: Self = Self::same("GetFunctions");
    pub(crate) const CALL_FUNCTION: Self = Self::same("CallFunction");
    pub(crate) const PLAN_ACTION: Self = Self::same("PlanAction");
    pub(crate) const INVOKE_ACTION: Self = Self::same("InvokeAction");
    pub(crate) const METADATA: Self = Self::same("GetMetadata");
    pub(crate) const VALIDATE_STORE: Self = Self::only_6("ValidateStateStoreConfig");
    pub(crate) const CONFIGURE_STORE: Self = Self::only_6("ConfigureStateStore");
    pub(crate) const READ_STATE: Self = Self::only_6("ReadStateBytes");
    pub(crate) const WRITE_STATE: Self = Self::only_6("WriteStateBytes");
    pub(crate) const LOCK_STATE: Self = Self::only_6("LockState");
    pub(crate) const UNLOCK_STATE: Self = Self::only_6("UnlockState");
    pub(crate) const STATES: Self = Self::only_6("GetStates");
    pub(crate) const DELETE_STATE: Self = Self::only_6("DeleteState");
    pub(crate) const STOP: Self = Self { v5: "Stop", v6: "StopProvider" };

    /// All calls that are made here.
    const ALL: [Self; 36] = [
        Self::SCHEMA,
        Self::IDENTITY_SCHEMAS,
        Self::VALIDATE_PROVIDER,
        Self::VALIDATE_RESOURCE,
        Self::VALIDATE_DATA,
        Self::VALIDATE_EPHEMERAL,
        Self::VALIDATE_LIST,
        Self::VALIDATE_ACTION,
        Self::UPGRADE,
        Self::UPGRADE_IDENTITY,
        Self::CONFIGURE,
        Self::READ,
        Self::PLAN,
        Self::APPLY,
        Self::IMPORT,
        Self::MOVE,
        Self::GENERATE,
        Self::READ_DATA,
        Self::OPEN,
        Self::RENEW,
        Self::CLOSE,
        Self::LIST,
        Self::FUNCTIONS,
        Self::CALL_FUNCTION,
        Self::PLAN_ACTION,
        Self::INVOKE_ACTION,
        Self::STOP,
        Self::METADATA,
        Self::VALIDATE_STORE,
        Self::CONFIGURE_STORE,
        Self::READ_STATE,
        Self::WRITE_STATE,
        Self::LOCK_STATE,
        Self::UNLOCK_STATE,
        Self::STATES,
        Self::DELETE_STATE,
    ];

    /// The call that validates a configuration.
    pub(crate) fn validation(component: Component) -> Self {
        match component {
            Component::Provider => Self::VALIDATE_PROVIDER,
            Component::Resource => Self::VALIDATE_RESOURCE,
            Component::DataSource => Self::VALIDATE_DATA,
            Component::EphemeralResource => Self::VALIDATE_EPHEMERAL,
            Component::ListResource => Self::VALIDATE_LIST,
            Component::Action => Self::VALIDATE_ACTION,
            Component::StateStore => Self::VALIDATE_STORE,
        }
    }

    /// Whether a version of the protocol has it.
    pub(crate) fn is_in(self, protocol: Protocol) -> bool {
        !self.name(protocol).is_empty()
    }

    /// Its name in a version of the protocol.
    pub(crate) fn name(self, protocol: Protocol) -> &'static str {
        match protocol {
            Protocol::V5 => self.v5,
            Protocol::V6 => self.v6,
        }
    }

    /// The path of the request.
    pub(crate) fn path(self, protocol: Protocol) -> String {
        format!("/{}/{}", protocol.service(), self.name(protocol))
    }

    /// The call that a path names, and the version of the protocol in whose service it is.
    pub(crate) fn of_path(path: &str) -> Option<(Self, Protocol)> {
        let (service, name) = path.strip_prefix('/')?.split_once('/')?;
        let protocol = [Protocol::V5, Protocol::V6].into_iter().find(|p| p.service() == service)?;
        let method =
            Self::ALL.into_iter().find(|method| method.is_in(protocol) && method.name(protocol) == name)?;
        Some((method, protocol))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names are those of the services in the `.proto` files.
    #[test]
    fn names_are_those_of_the_protocol() {
        let texts = [
            (Protocol::V5, include_str!("../../schema/tfplugin5.proto")),
            (Protocol::V6, include_str!("../../schema/tfplugin6.proto")),
        ];
        for (protocol, text) in texts {
            for method in Method::ALL.into_iter().filter(|method| method.is_in(protocol)) {
                let line = format!("rpc {}(", method.name(protocol));
                assert!(text.contains(&line), "{protocol:?} has no {line}");
                assert_eq!(Method::of_path(&method.path(protocol)), Some((method, protocol)));
            }
        }
        assert_eq!(Method::of_path("/tfplugin6.Provider/GetSchema"), None);
        assert_eq!(Method::of_path("tfplugin6.Provider/PlanResourceChange"), None);
    }
}
