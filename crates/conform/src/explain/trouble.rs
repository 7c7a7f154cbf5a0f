//! What keeps Terraform from asking a provider, or from reading what it has stored: no clause of the contract, but told beside
//! the messages about those.

use crate::Advice;

/// Each trouble: its stable name, what it is, what its message holds, and what to do.
macro_rules! troubles {
    ($($(#[doc = $doc:literal])* $trouble:ident, $kind:literal, $sentence:literal, [$($words:literal)*], $advice:ident;)*) => {
        /// What is wrong where no clause of the contract is broken.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Trouble {
            $($(#[doc = $doc])* $trouble,)*
        }

        impl Trouble {
            const ALL: &[Self] = &[$(Self::$trouble),*];

            /// Its stable name.
            pub const fn kind(self) -> &'static str {
                match self { $(Self::$trouble => $kind,)* }
            }

            /// What it is, in a sentence.
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$trouble => $sentence,)* }
            }

            /// What to do about it.
            pub const fn advice(self) -> &'static Advice {
                match self { $(Self::$trouble => &$advice,)* }
            }

            /// What a message about it holds, one of these in any letter case.
            const fn words(self) -> &'static [&'static str] {
                match self { $(Self::$trouble => &[$($words),*],)* }
            }
        }
    };
}

troubles! {
    /// The provider was made for another version of Terraform.
    WrongProtocol, "wrong_protocol", "The provider speaks a version of the plugin protocol that this Terraform does not.",
        ["incompatible api version with plugin" "incompatible plugin api version"], WRONG_PROTOCOL;
    /// The provider's program cannot be executed.
    NotExecutable, "not_executable", "The provider's program cannot be executed here.",
        ["fork/exec" "exec format error" "executable file not found" "not a valid win32 application" "bad cpu type in executable"
         "cannot run executable found relative to current directory" "no such file or directory to obtain schema"], NOT_EXECUTABLE;
    /// The provider's program does not start as a plugin.
    NoHandshake, "no_handshake", "The provider's program does not start as a plugin.",
        ["unrecognized remote plugin message" "failed to read any lines from plugin's stdout"
         "timeout while waiting for plugin to start" "plugin exited before we could connect"
         "failed to negotiate the initial go-plugin protocol handshake"], NO_HANDSHAKE;
    /// The provider's program is not there.
    NotInstalled, "not_installed", "The provider is not installed in this folder.",
        ["unavailable provider \"" "unknown provider \"" "required plugins are not installed" "plugin reinitialization required"], NOT_INSTALLED;
    /// Terraform stopped waiting for the provider.
    Cancelled, "cancelled", "The call was cancelled: the provider crashed during another one, or somebody stopped the run.",
        ["request cancelled" "request canceled" "request was cancelled" "request was canceled"
         "code = canceled desc = context canceled" "code = canceled desc = grpc: the client connection is closing"], CANCELLED;
    /// An object in the state does not fit the provider's schema.
    StateNotDecoded, "state_not_decoded", "An object in the state does not fit the schema of this version of the provider.",
        ["failed to decode resource from state" "data could not be decoded from the state" "invalid resource instance data in state"
         "error decoding "], STATE_NOT_DECODED;
    /// The provider's code cannot take a value of Terraform's.
    ValueConversion, "value_conversion", "The provider's own code cannot take a value: its types do not fit its schema.",
        ["value conversion error"], VALUE_CONVERSION;
    /// The provider has no such type.
    NoSuchType, "no_such_type", "This version of the provider does not have the type that the configuration names.",
        ["invalid resource type" "invalid data source"], NO_SUCH_TYPE;
    /// Objects of the type cannot be imported.
    NoImport, "no_import", "The provider cannot import objects of this type.",
        ["resource import not implemented" "doesn't support import"], NO_IMPORT;
}

impl Trouble {
    /// The trouble that a message is about.
    pub(super) fn find(text: &str) -> Option<Self> {
        let text = text.to_lowercase();
        let is_it = |trouble: &Self| trouble.words().iter().any(|words| text.contains(words));
        let is_of_provider = || ["plugin", "provider"].iter().any(|word| text.contains(word));
        Self::ALL.iter().copied().find(is_it).filter(|trouble| match trouble {
            Self::NotExecutable | Self::NoSuchType => is_of_provider(),
            Self::NotInstalled => !text.contains("invalid schema") && !text.contains("internal validation"),
            Self::StateNotDecoded => text.contains("state"),
            _ => true,
        })
    }
}

const NOTHING_TO_FIX: &str = "Nothing is wrong with the code of the provider.";

const NOT_EXECUTABLE: Advice = Advice {
    meaning: "Terraform found the provider's program and could not execute it. The schema of the provider was never asked for.",
    workaround: "Run `terraform init` again on the machine that runs the plan, rather than copying the folder `.terraform`. Look at the path in the message: the file must be there, be executable (`chmod +x`), be on a file system that allows execution, and be built for this system and processor. An antivirus program may block it.",
    cause: "The file lost its permission to be executed, is for another system, or is missing because the folder was copied or cached in part.",
    framework: NOTHING_TO_FIX,
    sdk_v2: NOTHING_TO_FIX,
    others: "Release archives must keep the file mode 0755, and there must be one for each system and processor.",
};

const NOT_INSTALLED: Advice = Advice {
    meaning: "Terraform looked for the provider's program in `.terraform` and did not find the version that the lock file names. The schema of the provider was never asked for.",
    workaround: "Run `terraform init`, and `terraform init -upgrade` where versions were changed, in the same folder and on the same machine as the plan. Where the state needs a provider that the configuration does not name any more, `terraform providers` shows which one; rename it with `terraform state replace-provider`.",
    cause: "`terraform init` was not run since the configuration or the lock file changed, the folder `.terraform` was not carried from one step of the build to the next, or the plugin cache was emptied.",
    framework: NOTHING_TO_FIX,
    sdk_v2: NOTHING_TO_FIX,
    others: NOTHING_TO_FIX,
};

const NO_HANDSHAKE: Advice = Advice {
    meaning: "The provider's program ended, or wrote something else, before it said where it listens. The schema of the provider was never asked for.",
    workaround: "Start the program by hand: it should say that it is a plugin. If it does not start, it is broken or for another system: remove it from the cache and run `terraform init` again. If it does, too little memory, a full temporary folder, an antivirus program or a slow disk may keep it from starting in time.",
    cause: "The program is damaged or for another system, ends at once, or writes to standard output before the plugin does.",
    framework: "Write nothing to standard output before `providerserver.Serve`; logs belong to standard error.",
    sdk_v2: "Write nothing to standard output before `plugin.Serve`; logs belong to standard error.",
    others: "The first line on standard output must be the handshake.",
};

const WRONG_PROTOCOL: Advice = Advice {
    meaning: "The provider and Terraform have no version of the plugin protocol in common.",
    workaround: "Get a newer version of the provider, or the version of Terraform that it was made for. Version 4 of the protocol is that of Terraform 0.11 and older.",
    cause: "One of the two is much older than the other.",
    framework: "A provider made with the framework speaks version 5 or 6 of the protocol; version 6 needs Terraform 1.0.",
    sdk_v2: "Move from the SDK inside of Terraform's own repository to terraform-plugin-sdk/v2, which speaks version 5.",
    others: "Serve version 5 or 6 of the protocol.",
};

const CANCELLED: Advice = Advice {
    meaning: "Terraform gave up this call. It is a consequence: the reason is in another message, or outside.",
    workaround: "Look for a crash of the provider in the same output (`Plugin did not respond`, a stack trace): that is the error to report. Where there is none, the run was stopped or ran out of time.",
    cause: "The provider crashed during another call, or the run was interrupted.",
    framework: "Look at the stack trace of the crash.",
    sdk_v2: "Look at the stack trace of the crash.",
    others: "Look at the stack trace of the crash.",
};

const STATE_NOT_DECODED: Advice = Advice {
    meaning: "The state holds an object that was written by another version of the provider, and the present schema has no place for a part of it.",
    workaround: "Plan with refreshing, which brings the object up to date (not `-refresh=false`, and not `-destroy` alone). Where that does not help, use the version of the provider that wrote the state, or remove the object from the state and import it again.",
    cause: "An attribute was removed or got another type, and the object was not refreshed since.",
    framework: "Raise the schema's `Version` and write an `UpgradeState` for the one before, when an attribute is removed or changes its type.",
    sdk_v2: "Raise `SchemaVersion` and add a `StateUpgrader`, when an attribute is removed or changes its type.",
    others: "Answer UpgradeResourceState with an object of the present schema, whatever version is stored.",
};

const VALUE_CONVERSION: Advice = Advice {
    meaning: "The provider fails in its own code, before it asks its service. Nothing was changed by this call.",
    workaround: "Where the message says that it received an unknown value, give the attribute a value that is known when it is planned, or apply what it depends on first (`-target`). Otherwise use the version of the provider before, and report the error to its authors.",
    cause: "A field of a Go struct has a type that cannot hold null or unknown (`string` in place of `types.String`), or the struct does not have the attributes of the schema.",
    framework: "Use the types of the framework in models (`types.String`, `types.List`), name every attribute of the schema in the struct, and test with unknown values.",
    sdk_v2: "It comes from terraform-plugin-framework: the provider uses both.",
    others: "Take null and unknown for every attribute.",
};

const NO_SUCH_TYPE: Advice = Advice {
    meaning: "The configuration names a type that the chosen version of the provider does not have.",
    workaround: "Check the spelling, and whether the type came with a later version of the provider, or went with it: `terraform providers` shows which provider is asked, `terraform init -upgrade` gets a newer version.",
    cause: "The name is misspelt, the provider is too old or too new, or another provider is asked because `required_providers` does not name the right one.",
    framework: "Keep a removed type for one major version, with a `DeprecationMessage`.",
    sdk_v2: "Keep a removed type for one major version, with a `DeprecationMessage`.",
    others: NOTHING_TO_FIX,
};

const NO_IMPORT: Advice = Advice {
    meaning: "The provider does not know how to import objects of this type.",
    workaround: "Create the object with Terraform, or ask the authors of the provider for it.",
    cause: "Importing was not written for this type.",
    framework: "Implement `ResourceWithImportState`; `resource.ImportStatePassthroughID` is often enough.",
    sdk_v2: "Set `Importer`; `schema.ImportStatePassthroughContext` is often enough.",
    others: "Answer ImportResourceState.",
};

#[cfg(test)]
mod tests {
    use super::Trouble;

    #[test]
    fn words_are_in_lower_case_and_of_one_trouble() {
        for trouble in Trouble::ALL {
            for words in trouble.words() {
                assert_eq!(*words, words.to_lowercase());
                let text = format!("the plugin of a provider, its state: {words}");
                assert_eq!(Trouble::find(&text), Some(*trouble), "{words}");
            }
        }
    }
}
