//! Problems that keep Terraform from calling a provider, or from reading stored objects. They break no
//! clause of the contract, but are reported beside those that do.

use crate::Advice;

/// Each trouble: its stable name, a sentence, words of its message, and advice.
macro_rules! troubles {
    ($($(#[doc = $doc:literal])* $trouble:ident, $kind:literal, $sentence:literal, [$($words:literal)*], $advice:ident;)*) => {
        /// A problem that breaks no clause of the contract.
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

            /// The problem as a sentence.
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$trouble => $sentence,)* }
            }

            /// The advice.
            pub const fn advice(self) -> &'static Advice {
                match self { $(Self::$trouble => &$advice,)* }
            }

            /// A message about the trouble contains one of these, in any letter case.
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
    /// The machine has no room for the provider's program.
    MachineLimit, "machine_limit", "The machine has reached a limit, and cannot start the provider's program.",
        ["resource temporarily unavailable" "too many open files" "cannot allocate memory" "not enough memory"], MACHINE_LIMIT;
    /// Something ended the provider's program.
    Killed, "killed", "The provider's program was killed from outside.",
        ["signal: killed"], KILLED;
    /// The folder of the provider has no program in it.
    NoExecutable, "no_executable", "The provider's program is not in the folder where it should be: it was not built or not installed.",
        ["could not find executable file"], NO_EXECUTABLE;
    /// The provider's program cannot be executed.
    NotExecutable, "not_executable", "The provider's program cannot be executed here.",
        ["fork/exec" "exec format error" "executable file not found" "not a valid win32 application" "bad cpu type in executable"
         "cannot run executable found relative to current directory" "no such file or directory to obtain schema"], NOT_EXECUTABLE;
    /// The provider's program does not start in time.
    StartTimeout, "start_timeout", "The provider's program did not start in time.",
        ["timeout while waiting for plugin to start"], START_TIMEOUT;
    /// The provider's program does not start as a plugin.
    NoHandshake, "no_handshake", "The provider's program does not start as a plugin.",
        ["unrecognized remote plugin message" "failed to read any lines from plugin's stdout"
         "plugin exited before we could connect"
         "failed to negotiate the initial go-plugin protocol handshake"], NO_HANDSHAKE;
    /// The provider's program is not the one that was chosen.
    OtherChecksum, "other_checksum", "The provider's program is not one that the lock file allows: its checksum is another one.",
        ["match any of the checksums"], OTHER_CHECKSUM;
    /// The provider's program is not there.
    NotInstalled, "not_installed", "The provider is not installed in this folder.",
        ["unavailable provider \"" "unknown provider \"" "required plugins are not installed" "there is no package for"
         "plugin reinitialization required" "required by this configuration but no version is selected"], NOT_INSTALLED;
    /// The provider does not start, for a reason that is not known here.
    NotStarted, "not_started", "The provider's program does not start.",
        [], NOT_STARTED;
    /// Terraform itself crashed.
    CoreCrash, "core_crash", "Terraform or OpenTofu itself crashed, and not a provider.",
        [], CORE_CRASH;
    /// Terraform stopped waiting for the provider.
    Cancelled, "cancelled", "The call was cancelled: the provider crashed during another one, or somebody stopped the run.",
        [], CANCELLED;
    /// The state was written by a newer version of the provider.
    NewerState, "newer_state", "An object in the state was written by a newer version of the provider.",
        ["managed by newer provider version" "created by a newer provider version"], NEWER_STATE;
    /// The state holds an object of a type that the provider does not have.
    NoSchema, "no_schema", "The state holds an object of a type that this version of the provider does not have any more.",
        ["no schema available for"], NO_SCHEMA;
    /// The state has another version of the schema than the provider.
    SchemaVersion, "schema_version", "An object in the state is of another version of the schema than the provider has.",
        ["in state does not match version"], SCHEMA_VERSION;
    /// The provider is asked before it is configured.
    Unconfigured, "unconfigured", "Terraform asks the provider for something before it configures it.",
        ["on an unconfigured provider" "because this provider is not configured"], UNCONFIGURED;
    /// An object in the state does not fit the provider's schema.
    StateNotDecoded, "state_not_decoded", "An object in the state does not fit the schema of this version of the provider.",
        ["failed to decode resource from state" "data could not be decoded from the state" "invalid resource instance data in state"
         "error decoding " "failed to decode identity"
         "state to json: unsupported attribute" "marshaling prior state: unsupported attribute"], STATE_NOT_DECODED;
    /// A read has stored an unknown value.
    UnknownStored, "unknown_stored", "The provider stored a value that is not known when it read an object.",
        ["value is not known"], UNKNOWN_STORED;
    /// The provider's code cannot take a value of Terraform's.
    ValueConversion, "value_conversion", "The provider's own code cannot take a value: its types do not fit its schema.",
        ["value conversion error" "error was encountered trying to build a value" "error was encountered trying to convert"
         "error was encountered while verifying an attribute value"],
        VALUE_CONVERSION;
    /// The provider's code stores a value for which its schema has no place.
    SetFailed, "set_failed", "The provider's own code stores a value for which its schema has no place, or of another type.",
        ["invalid address to set: []string" "got unconvertible type"], SET_FAILED;
    /// The provider has no such type.
    NoSuchType, "no_such_type", "This version of the provider does not have the type that the configuration names.",
        ["invalid resource type" "invalid data source" "resource type not found" "data source type not found"], NO_SUCH_TYPE;
    /// Objects of the type cannot be imported.
    NoImport, "no_import", "The provider cannot import objects of this type.",
        ["resource import not implemented" "doesn't support import"], NO_IMPORT;
    /// The SDK of the provider reports a bug of the provider that is not known here.
    OwnFault, "own_fault", "The SDK of the provider reports a bug in the provider's own code.",
        ["this is always an error in the provider" "this is always an issue in the provider"
         "this is always a problem with the provider" "please report this issue to the provider developer"
         "please report this to the provider developer"], OWN_FAULT;
}

/// The words before the reason why a provider does not start.
const START: [&str; 2] = ["nstantiate provider \"", "\" to obtain schema:"];

impl Trouble {
    /// The trouble in a message.
    pub(super) fn find(text: &str) -> Option<Self> {
        let text = text.to_lowercase();
        let is_it = |trouble: &Self| trouble.words().iter().any(|words| text.contains(words));
        let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
        let is_start = has(&["instantiate provider", "terraform-provider-", "load plugin"]);
        // Importing has a sentence of its own, which names no provider.
        let is_no_type = text.contains("the provider ")
            && has(&[" does not support resource type", " does not support data source"]);
        let found = Self::ALL.iter().copied().filter(is_it).find(|trouble| match trouble {
            // Services report these words of their own, so they count only where a program is started.
            Self::MachineLimit | Self::Killed | Self::NoExecutable | Self::NotExecutable => is_start,
            // The framework says it in a heading of its own.
            Self::NoSuchType => {
                has(&["provider"]) || trouble.words()[2..].iter().any(|words| text.starts_with(words))
            }
            Self::NotInstalled => !has_started(&text),
            Self::StateNotDecoded => has(&["state", "identity"]),
            Self::UnknownStored => has(&["plan to json:", "state to json:"]),
            _ => true,
        });
        found.or_else(|| is_no_type.then_some(Self::NoSuchType))
    }

    /// Whether it is about the provider's package or its program.
    pub(super) const fn is_of_package(self) -> bool {
        matches!(
            self,
            Self::MachineLimit
                | Self::Killed
                | Self::NoExecutable
                | Self::NotExecutable
                | Self::StartTimeout
                | Self::NoHandshake
                | Self::OtherChecksum
                | Self::NotStarted
        )
    }

    /// Why a provider does not start: its address, what Terraform says of it, and the trouble.
    pub(super) fn find_start(text: &str) -> Option<(&str, &str, Self)> {
        let (_, rest) = text.split_once(START[0])?;
        let (provider, reason) = rest.split_once(START[1])?;
        let reason = reason.trim().trim_end_matches(['.', '`']);
        let trouble = Self::find(text).unwrap_or(Self::NotStarted);
        (!has_started(&reason.to_lowercase())).then_some((provider, reason, trouble))
    }
}

/// Whether the provider started: its schemas are not well-formed, or it fails later.
fn has_started(text: &str) -> bool {
    ["invalid schema", "internal validation", "(*grpcprovider)."].iter().any(|words| text.contains(words))
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

const MACHINE_LIMIT: Advice = Advice {
    meaning: "The operating system refused to start one more program: a limit of processes, open files or memory is reached. Neither the provider nor its file is wrong.",
    workaround: "Run fewer plans at the same time on this machine, with a smaller `-parallelism`, or raise what the message names: processes (`ulimit -u`, the limit of the container), open files (`ulimit -n`), memory. Each configuration of a provider is a process of its own: fewer aliases help, too.",
    cause: "Many providers, or many runs on one machine or in one container with tight limits; processes that earlier runs left behind.",
    framework: NOTHING_TO_FIX,
    sdk_v2: NOTHING_TO_FIX,
    others: NOTHING_TO_FIX,
};

const KILLED: Advice = Advice {
    meaning: "The system killed the provider's program. It did not fail by itself.",
    workaround: "Give the machine or container more memory, or run less at a time. On macOS a program whose signature is not valid is killed, too: install the provider again with `terraform init`.",
    cause: "The kernel or the container ended it because memory ran out, or a security program did.",
    framework: NOTHING_TO_FIX,
    sdk_v2: NOTHING_TO_FIX,
    others: NOTHING_TO_FIX,
};

const NO_EXECUTABLE: Advice = Advice {
    meaning: "Terraform looked into the folder of the provider and found no file whose name begins with `terraform-provider-` and the provider's name. The schema of the provider was never asked for.",
    workaround: "Where the CLI configuration has `dev_overrides`, build the provider into the folder that it names: `go build -o FOLDER`, or `go install` where that is `$GOBIN`. Where it has none, remove the folder from `.terraform/providers` and run `terraform init` again.",
    cause: "The provider was not built yet, was built into another folder, or under another name; or the folder was copied in part.",
    framework: NOTHING_TO_FIX,
    sdk_v2: NOTHING_TO_FIX,
    others: "In an archive for a release the program's name begins with `terraform-provider-NAME`.",
};

const START_TIMEOUT: Advice = Advice {
    meaning: "Terraform started the provider's program and heard nothing from it for a minute. Most often the machine is too slow or too busy for it.",
    workaround: "Run again; with more processors or memory, a smaller `-parallelism`, or fewer providers at a time. An antivirus program or a slow network disk keeps large programs from starting: exclude `.terraform` from scans, or put it on a local disk.",
    cause: "Many large programs start at once on a machine with few processors or little memory. Rarely the program itself waits for something, such as the network, before it serves.",
    framework: "Do nothing slow before `providerserver.Serve`.",
    sdk_v2: "Do nothing slow before `plugin.Serve`.",
    others: "Write the handshake first, and do all else when you are asked.",
};

const OTHER_CHECKSUM: Advice = Advice {
    meaning: "The provider that is installed has a checksum that `.terraform.lock.hcl` does not list. Terraform does not run it.",
    workaround: "Where the lock file was made on another system, add the checksums of all that are used: `terraform providers lock -platform=linux_amd64 -platform=darwin_arm64` and so on, and commit the lock file. Where it should fit, remove `.terraform` or the plugin cache, and run `terraform init` again: the package may have been changed.",
    cause: "The lock file has checksums of one platform only, or of a mirror or plugin cache that packs otherwise.",
    framework: NOTHING_TO_FIX,
    sdk_v2: NOTHING_TO_FIX,
    others: "Do not replace the files of a version that was released.",
};

const NOT_STARTED: Advice = Advice {
    meaning: "Terraform could not start the provider's program. The schema of the provider was never asked for.",
    workaround: "Read the reason in the message. Start the program by hand, which shows whether it runs on this machine; remove `.terraform` and run `terraform init` again.",
    cause: "The reason is in the message; the file, the system or its limits.",
    framework: NOTHING_TO_FIX,
    sdk_v2: NOTHING_TO_FIX,
    others: NOTHING_TO_FIX,
};

const CORE_CRASH: Advice = Advice {
    meaning: "The stack trace is one of Terraform or OpenTofu, and not of a provider.",
    workaround: "Report it to Terraform or OpenTofu with the trace, and try another version of it. Look whether the state has what the run did before the crash.",
    cause: "A bug in Terraform or OpenTofu. What a provider did before may have led there.",
    framework: NOTHING_TO_FIX,
    sdk_v2: NOTHING_TO_FIX,
    others: NOTHING_TO_FIX,
};

const NEWER_STATE: Advice = Advice {
    meaning: "The object was stored by a version of the provider whose schema is newer than the one that is selected. Terraform has no way back.",
    workaround: "Select at least the version of the provider that wrote the state: raise the version in `required_providers` and run `terraform init -upgrade`. If the newer version must not be used, restore an older state, or remove the object from the state and import it again.",
    cause: "Somebody ran a newer version of the provider, and the lock file or the constraint of this run names an older one.",
    framework: "Never lower the schema's `Version`, in a later release either.",
    sdk_v2: "Never lower `SchemaVersion`, in a later release either.",
    others: "Never lower the version of a schema.",
};

const NO_SCHEMA: Advice = Advice {
    meaning: "The state holds an object whose type the selected version of the provider does not have. Terraform calls it a bug of its own, and most often it is only an old state.",
    workaround: "Remove the object from the state (`terraform state rm`), or select the last version of the provider that has the type, and take the object away with it.",
    cause: "The provider was upgraded to a version that dropped or renamed the type.",
    framework: "Keep a removed type for one major version, with a `DeprecationMessage`, and give its successor `MoveState`.",
    sdk_v2: "Keep a removed type for one major version, with a `DeprecationMessage`.",
    others: "Keep a removed type for one major version.",
};

const SCHEMA_VERSION: Advice = Advice {
    meaning: "Terraform will not write the state: the object in it has another version of the schema than the provider that runs.",
    workaround: "Run `terraform plan` with refreshing and the same version of the provider everywhere, so that the object is upgraded first. Do not mix versions within one run or one state.",
    cause: "The object was read from the state without being upgraded, because it was not refreshed or belongs to no configuration, while the provider is of another version.",
    framework: "Implement `ResourceWithUpgradeState` for each earlier version.",
    sdk_v2: "Add a `StateUpgrader` for each earlier version.",
    others: "Answer UpgradeResourceState with an object of the present schema, whatever version is stored.",
};

const UNCONFIGURED: Advice = Advice {
    meaning: "Terraform asked the provider for something before it was configured. That is a bug of Terraform or OpenTofu, and not of the provider.",
    workaround: "Use another version of Terraform or OpenTofu, and report it there. Give the provider's configuration values that are known when the plan is made.",
    cause: "The provider's configuration failed or was put off, and Terraform went on.",
    framework: NOTHING_TO_FIX,
    sdk_v2: NOTHING_TO_FIX,
    others: NOTHING_TO_FIX,
};

/// The advice for a value conversion of an unknown value.
pub(super) const UNKNOWN_CONVERSION: Advice = Advice {
    meaning: "The provider's own code cannot take a value that is not known yet. Nothing was changed by this call.",
    workaround: "Give the attribute of the path a value that is known when it is planned, or apply what it depends on first (`-target`). Then report the error to the authors of the provider.",
    cause: "A field of a Go struct is a plain type (`string`, `[]string`), which cannot be unknown, and the configuration refers to something that does not exist yet.",
    framework: "Use the types of the framework in models, here the suggested one (`types.String`, `types.List`), and look at `IsUnknown()` before the value is used. Test with unknown values.",
    ..VALUE_CONVERSION
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

const UNKNOWN_STORED: Advice = Advice {
    meaning: "The state holds a value that is not known, which only plans may. Terraform does not notice until it writes the object as JSON.",
    workaround: "Use the version of the provider before, and refresh; the next read of a version without the error stores a value.",
    cause: "Read has set an attribute to an unknown value: a computed attribute of the model that nothing fills.",
    framework: "At the end of Read each attribute of the model needs a value or null (`types.StringNull()`, not `types.StringUnknown()`).",
    sdk_v2: "The SDK makes them null by itself; look at what a bridge or mux adds.",
    others: "Answer ReadResource without unknown values.",
};

pub(super) const VALUE_CONVERSION: Advice = Advice {
    meaning: "The provider fails in its own code, before it asks its service. Nothing was changed by this call.",
    workaround: "Use the version of the provider before, and report the error to its authors.",
    cause: "A field of a Go struct has a type that cannot hold null or unknown (`string` in place of `types.String`), or the struct does not have the attributes of the schema.",
    framework: "Use the types of the framework in models (`types.String`, `types.List`), name every attribute of the schema in the struct, and test with unknown values.",
    sdk_v2: "It comes from terraform-plugin-framework: the provider uses both.",
    others: "Take null and unknown for every attribute.",
};

const SET_FAILED: Advice = Advice {
    meaning: "The provider fails in its own code when it stores what its service answered: it names an attribute that its schema does not have, or gives it a value of another type.",
    workaround: "Use the version of the provider before or after, and report the error to its authors. Where it began without a new version, the service answers with something new.",
    cause: "The schema and the code that fills it were not changed together, or the service answers with a field that the schema does not list.",
    framework: "It comes from terraform-plugin-sdk: the provider uses both.",
    sdk_v2: "Set only attributes of the schema, with the types of the schema, and check the error of every `d.Set` in a test. Build nested objects member by member, rather than from all that the service answers.",
    others: "Answer with objects of the schema's type only.",
};

const OWN_FAULT: Advice = Advice {
    meaning: "The SDK found a mistake in the provider's own code and stopped the call. The configuration is not wrong.",
    workaround: "Use the version of the provider before, and report the error to its authors with the whole message.",
    cause: "The message tells: most often the code reads or writes an attribute that the schema does not have, or a type other than the one that it gets.",
    framework: "Name only attributes of the schema in paths and models, and test each call.",
    sdk_v2: "Name only attributes of the schema, and test each call.",
    others: NOTHING_TO_FIX,
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
                let text = format!(
                    "failed to marshal plan to json: could not load plugin of a provider, its state: {words}"
                );
                assert_eq!(Trouble::find(&text), Some(*trouble), "{words}");
            }
        }
    }
}
