//! The clauses of the contract between a provider and Terraform.

use serde::{Serialize, Serializer};

/// Each clause: its code, the heading of Terraform's message about a violation, and the requirement.
macro_rules! clauses {
    ($($clause:ident, $summary:expr, $sentence:literal;)*) => {
        /// A clause of the contract. The letter says what the provider was asked for: a schema, a plan, the final plan, to
        /// apply, to read, to upgrade a stored object, to import, to move an object from another type, to generate its
        /// configuration, data, an ephemeral resource, the result of a function, a list, to invoke an action (`X`), to validate a configuration (`V`); `K` is about keeping secrets, `C` is what
        /// only many calls together show, and `T` is about the connection.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Clause {
            $(#[doc = $sentence] $clause,)*
        }

        impl Clause {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$clause),*];

            /// Its name, such as `P5`.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$clause => stringify!($clause),)* }
            }

            /// The summary of Terraform's message about a violation; `None` if Terraform does not check the
            /// clause, or repeats the provider's message.
            pub const fn terraform_summary(self) -> Option<&'static str> {
                match self { $(Self::$clause => $summary,)* }
            }

            /// The rule, as a sentence.
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$clause => $sentence,)* }
            }
        }
    };
}

clauses! {
    S0, Some("Failed to load plugin schemas"), "The provider has a schema for its own configuration and for each of its types.";
    S1, Some("Failed to load plugin schemas"), "An attribute must be required, optional or computed, without a combination that excludes itself.";
    S2, Some("Failed to load plugin schemas"), "An attribute must have either a type or a nested type.";
    S3, Some("Failed to load plugin schemas"), "A deprecation message needs a deprecation.";
    S4, Some("Failed to load plugin schemas"), "A name must be valid in a configuration, and must not be used twice.";
    S5, Some("Failed to load plugin schemas"), "Limits on the number of blocks must fit their nesting mode.";
    S6, Some("Failed to load plugin schemas"), "Values inside of a set must not be dynamic or write-only.";
    S7, Some("Failed to load plugin schemas"), "Everything inside of a computed block must be computed, and such a block must not be required.";
    S8, Some("Failed to load plugin schemas"), "A nesting mode must be one of the protocol's.";
    V1, None, "A valid configuration must stay valid while parts of it are unknown.";
    K1, None, "A write-only value must not be repeated in another attribute of a plan or an object.";
    K2, None, "A diagnostic must not contain a sensitive value.";
    P2, Some("Provider deferred changes when Terraform did not allow deferrals"), "A plan may only be deferred if Terraform allows it.";
    P3, Some("Provider produced invalid plan"), "A write-only attribute must be null in a plan.";
    P4, Some("Provider produced invalid plan"), "A planned object must be of the schema's type.";
    P5, Some("Provider produced invalid plan"), "The plan must equal the configuration, except for computed attributes.";
    P6, Some("Provider produced invalid plan"), "A path that requires a replacement must lead to a part of the object.";
    P7, Some("Provider produced invalid identity"), "A planned identity must be of its schema's type, and known unless the object is created.";
    P8, Some("Provider produced invalid plan"), "The plan to destroy an object must be null.";
    P9, None, "Planning an object again with its own configuration must not fail.";
    F1, Some("Provider produced inconsistent final plan"), "The final plan must have the action of the first plan.";
    F2, Some("Provider produced inconsistent final plan"), "The final plan must keep the known values of the first plan.";
    F3, Some("Resource deferred during apply, but not during plan"), "The final plan must not be deferred.";
    A1, Some("Provider produced inconsistent result after apply"), "Apply must return an object or an error.";
    A2, Some("Provider produced invalid object"), "An applied object must be of the schema's type.";
    A3, Some("Provider produced invalid object"), "A write-only attribute must be null after apply.";
    A4, Some("Provider returned invalid result object after apply"), "All values must be known after apply.";
    A5, Some("Provider produced inconsistent result after apply"), "The applied object must match the plan.";
    A6, Some("Provider produced inconsistent result after apply"), "After apply an object must exist, unless it was destroyed: then it must be gone.";
    A7, Some("Provider produced invalid identity"), "The identity of an applied object must be of its schema's type, and known.";
    A8, None, "Destroying an object must not fail.";
    A9, None, "A destroyed object must not be readable.";
    R1, Some("Provider produced invalid object"), "All values of a read object must be known.";
    R2, Some("Provider produced invalid object"), "A read object must be of the schema's type.";
    R3, Some("Provider produced invalid object"), "A write-only attribute must be null in a read object.";
    R4, Some("Provider produced invalid identity"), "The identity of a read object must be of its schema's type, and known.";
    R5, None, "A read right after apply must return the applied object.";
    R6, None, "Reading an object must not fail.";
    U1, Some("Invalid resource state upgrade"), "All values of an upgraded object must be known.";
    U2, Some("Invalid resource state upgrade"), "An upgraded object must be of the schema's type.";
    U3, Some("Invalid resource state upgrade"), "A write-only attribute must be null in an upgraded object.";
    U4, None, "Upgrading an object of the current version must not change it.";
    U5, None, "Upgrading an object of the current version must not fail.";
    I1, Some("Import returned no resources"), "An import must return exactly one object.";
    I2, Some("provider does not support resource type"), "An imported object must be of a type that the provider has.";
    I3, Some("Provider produced invalid identity"), "An object imported by identity must have an identity of its schema's type, and known.";
    I4, Some("Import returned a non-null value for a write-only attribute"), "A write-only attribute of an imported object must be null.";
    I5, Some("Import returned null resource"), "An imported object must not be null.";
    I6, Some("Cannot import non-existent remote object"), "An imported object must be readable.";
    I7, None, "An imported object must equal the applied one after it is read.";
    I8, None, "All values of an imported object must be known.";
    I9, Some("Provider produced invalid object"), "An imported object must be of the schema's type.";
    M1, Some("Provider returned invalid value"), "A moved object must exist, and all of its values must be known.";
    M2, Some("Provider returned invalid value"), "A moved object must be of the schema's type.";
    M3, Some("Provider returned invalid value"), "A write-only attribute of a moved object must be null.";
    M4, Some("Provider produced invalid identity"), "The identity of a moved object must be of its schema's type, and known.";
    G1, Some("Provider produced invalid object"), "A generated configuration must be of the schema's type.";
    G2, None, "Planning an object with its generated configuration must change nothing.";
    D1, Some("Provider produced invalid object"), "A data source must return an object of the schema's type.";
    D2, Some("Provider produced null object"), "A data source must return an object.";
    D3, Some("Provider produced invalid object"), "All values of a data source must be known.";
    D4, None, "A data source must equal its configuration, except for computed attributes.";
    D5, None, "A data source must return equal results for equal configurations.";
    E1, Some("Provider produced invalid ephemeral resource instance"), "An opened ephemeral resource must equal its configuration, except for computed attributes.";
    E2, Some("Provider produced invalid ephemeral resource instance"), "An opened ephemeral resource must exist, be of the schema's type, and be known.";
    E3, None, "Renewing and closing an ephemeral resource must not fail.";
    N1, Some("Error in function call"), "A function must return a value of its declared type.";
    N2, None, "A function must return a result or an error.";
    N3, Some("Error in function call"), "A function must return equal results for equal arguments.";
    N4, None, "A function must return a known result for known arguments.";
    L1, Some("Provider produced invalid identity"), "A listed object must have an identity of its schema's type, and known.";
    L2, None, "A list must return objects of the schema's type, only if requested, and no more than the limit.";
    X1, None, "An action must send one \"completed\" event, at the end.";
    X2, None, "Invoking a planned action must not fail.";
    C1, None, "A provider must return equal plans for equal requests.";
    C2, None, "Planning again after apply must change nothing.";
    T1, Some("Plugin error"), "A provider must report errors in diagnostics.";
    T2, Some("Plugin did not respond"), "A provider must not crash.";
    T3, None, "A provider must answer in time.";
}

impl std::fmt::Display for Clause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Clause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}
