//! The clauses of the contract between a provider and Terraform.

use serde::{Serialize, Serializer};

/// Each clause: its code, what Terraform's message is headed with where it is broken, and what it asks for.
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
    S0, Some("Failed to load plugin schemas"), "There is a schema of the provider's own configuration, and of all that it has.";
    S1, Some("Failed to load plugin schemas"), "An attribute is required, optional or computed, and not two of them that exclude each other.";
    S2, Some("Failed to load plugin schemas"), "An attribute has a type or a nested type, and not both.";
    S3, Some("Failed to load plugin schemas"), "What has a message about its deprecation is deprecated.";
    S4, Some("Failed to load plugin schemas"), "A name can be written in a configuration, and stands for one thing.";
    S5, Some("Failed to load plugin schemas"), "The number of blocks is limited as their nesting mode allows.";
    S6, Some("Failed to load plugin schemas"), "Nothing inside of a set is dynamic or write-only.";
    S7, Some("Failed to load plugin schemas"), "All that is inside of a computed block is computed, and such a block need not be configured.";
    S8, Some("Failed to load plugin schemas"), "A nesting mode is one that there is.";
    V1, None, "A configuration that is valid when all of it is known is valid while some of it is unknown.";
    K1, None, "What is write-only is in no other attribute of a plan or an object.";
    K2, None, "Nothing that is sensitive is in a diagnostic.";
    P2, Some("Provider deferred changes when Terraform did not allow deferrals"), "A plan is deferred only where that is allowed.";
    P3, Some("Provider produced invalid plan"), "A write-only attribute is null in a plan.";
    P4, Some("Provider produced invalid plan"), "A planned object is of the type that the schema says.";
    P5, Some("Provider produced invalid plan"), "The plan must equal the configuration, except for computed attributes.";
    P6, Some("Provider produced invalid plan"), "What requires a replacement is a part of the object.";
    P7, Some("Provider produced invalid identity"), "A planned identity is of the type that its schema says, and known unless the object is created.";
    P8, Some("Provider produced invalid plan"), "Nothing is planned where the object is to be destroyed.";
    P9, None, "An object is planned again with the configuration that it has, without an error.";
    F1, Some("Provider produced inconsistent final plan"), "The final plan has the action of the first.";
    F2, Some("Provider produced inconsistent final plan"), "The final plan has what the first knew already.";
    F3, Some("Resource deferred during apply, but not during plan"), "The final plan is not deferred.";
    A1, Some("Provider produced inconsistent result after apply"), "Applying gives an object or an error.";
    A2, Some("Provider produced invalid object"), "An applied object is of the type that the schema says.";
    A3, Some("Provider produced invalid object"), "A write-only attribute is null after apply.";
    A4, Some("Provider returned invalid result object after apply"), "Nothing is unknown after apply.";
    A5, Some("Provider produced inconsistent result after apply"), "The applied object must match the plan.";
    A6, Some("Provider produced inconsistent result after apply"), "An object is there after apply unless it was to be destroyed, and gone then.";
    A7, Some("Provider produced invalid identity"), "The identity of an applied object is of the type that its schema says, and known.";
    A8, None, "An object is destroyed without an error.";
    A9, None, "An object that was destroyed cannot be read any more.";
    R1, Some("Provider produced invalid object"), "Nothing that is read is unknown.";
    R2, Some("Provider produced invalid object"), "An object that is read is of the type that the schema says.";
    R3, Some("Provider produced invalid object"), "A write-only attribute is null in what is read.";
    R4, Some("Provider produced invalid identity"), "The identity that is read is of the type that its schema says, and known.";
    R5, None, "A read right after apply must return the applied object.";
    R6, None, "An object is read without an error.";
    U1, Some("Invalid resource state upgrade"), "Nothing of an upgraded object is unknown.";
    U2, Some("Invalid resource state upgrade"), "An upgraded object is of the type that the schema says.";
    U3, Some("Invalid resource state upgrade"), "A write-only attribute is null in an upgraded object.";
    U4, None, "A stored object of the present version is upgraded to itself.";
    U5, None, "A stored object of the present version is upgraded without an error.";
    I1, Some("Import returned no resources"), "Exactly one object is imported.";
    I2, Some("provider does not support resource type"), "An imported object is of a type that the provider has.";
    I3, Some("Provider produced invalid identity"), "What is imported by its identity has one, of the type that its schema says, and known.";
    I4, Some("Import returned a non-null value for a write-only attribute"), "A write-only attribute of an imported object is null.";
    I5, Some("Import returned null resource"), "An imported object is not null.";
    I6, Some("Cannot import non-existent remote object"), "An imported object can be read.";
    I7, None, "An imported object must equal the applied one after it is read.";
    I8, None, "Nothing of an imported object is unknown.";
    I9, Some("Provider produced invalid object"), "An imported object is of the type that the schema says.";
    M1, Some("Provider returned invalid value"), "Nothing of a moved object is unknown, and it is there.";
    M2, Some("Provider returned invalid value"), "A moved object is of the type that the schema says.";
    M3, Some("Provider returned invalid value"), "A write-only attribute of a moved object is null.";
    M4, Some("Provider produced invalid identity"), "The identity of a moved object is of the type that its schema says, and known.";
    G1, Some("Provider produced invalid object"), "A generated configuration is of the type that the schema says.";
    G2, None, "With the configuration that is generated for an object there is nothing to do.";
    D1, Some("Provider produced invalid object"), "What a data source answers is of the type that the schema says.";
    D2, Some("Provider produced null object"), "A data source answers with an object.";
    D3, Some("Provider produced invalid object"), "Nothing of what a data source answers is unknown.";
    D4, None, "A data source must equal its configuration, except for computed attributes.";
    D5, None, "Asked the same twice, a data source answers the same.";
    E1, Some("Provider produced invalid ephemeral resource instance"), "An opened ephemeral resource must equal its configuration, except for computed attributes.";
    E2, Some("Provider produced invalid ephemeral resource instance"), "What is opened is there, of the type that the schema says, and known.";
    E3, None, "What is opened is renewed and closed without an error.";
    N1, Some("Error in function call"), "What a function returns is of the type that it says.";
    N2, None, "A function returns a result or an error.";
    N3, Some("Error in function call"), "A function returns the same each time.";
    N4, None, "Where all arguments are known, the result is.";
    L1, Some("Provider produced invalid identity"), "What is listed has an identity of the type that its schema says, and known.";
    L2, None, "The objects that are listed are asked for, as many as are wanted, and of the type that the schema says.";
    X1, None, "An action says once that it is over, at the end.";
    X2, None, "An action that was planned is invoked without an error.";
    C1, None, "Asked the same twice, a provider plans the same.";
    C2, None, "After apply there is nothing left to do.";
    T1, Some("Plugin error"), "What a provider has to say it says in diagnostics.";
    T2, Some("Plugin did not respond"), "A provider must not crash.";
    T3, None, "A provider answers in time.";
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
