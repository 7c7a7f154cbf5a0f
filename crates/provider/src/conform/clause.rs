//! The clauses of the contract between a provider and Terraform.

/// Each clause: its code, what Terraform's message is headed with where it is broken, and what it asks for.
macro_rules! clauses {
    ($($clause:ident, $summary:expr, $sentence:literal;)*) => {
        /// A clause of the contract. The letter says what the provider was asked for: a schema, a plan, the final plan, to
        /// apply, to read, to upgrade a stored object, to import, data, the result of a function; `C` is what only many calls together show, and `T` is about
        /// the connection.
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

            /// What Terraform's message is headed with where the clause is broken; `None` where Terraform does not look.
            pub const fn terraform_summary(self) -> Option<&'static str> {
                match self { $(Self::$clause => $summary,)* }
            }

            /// What it asks for.
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$clause => $sentence,)* }
            }
        }
    };
}

clauses! {
    S1, Some("Failed to load plugin schemas"), "A schema is well-formed.";
    P2, Some("Provider deferred changes when Terraform did not allow deferrals"), "A plan is deferred only where that is allowed.";
    P3, Some("Provider produced invalid plan"), "A write-only attribute is null in a plan.";
    P4, Some("Provider produced invalid plan"), "A planned object is of the type that the schema says.";
    P5, Some("Provider produced invalid plan"), "A planned object is what is configured, but for what the provider may compute.";
    P6, Some("Provider produced invalid plan"), "What requires a replacement is a part of the object.";
    P8, Some("Provider produced invalid plan"), "Nothing is planned where the object is to be destroyed.";
    F1, Some("Provider produced inconsistent final plan"), "The final plan has the action of the first.";
    F2, Some("Provider produced inconsistent final plan"), "The final plan has what the first knew already.";
    F3, Some("Provider produced inconsistent final plan"), "The final plan is not deferred.";
    A1, Some("Provider produced inconsistent result after apply"), "Applying gives an object or an error.";
    A2, Some("Provider produced invalid object"), "An applied object is of the type that the schema says.";
    A3, Some("Provider produced invalid object"), "A write-only attribute is null after apply.";
    A4, Some("Provider returned invalid result object after apply"), "Nothing is unknown after apply.";
    A5, Some("Provider produced inconsistent result after apply"), "An applied object is what was planned.";
    A6, Some("Provider produced inconsistent result after apply"), "An object is there after apply unless it was to be destroyed, and gone then.";
    R1, Some("Provider produced invalid object"), "Nothing that is read is unknown.";
    R2, Some("Provider produced invalid object"), "An object that is read is of the type that the schema says.";
    R3, Some("Provider produced invalid object"), "A write-only attribute is null in what is read.";
    R5, None, "What is read right after apply is what was applied.";
    U1, Some("Invalid resource state upgrade"), "Nothing of an upgraded object is unknown.";
    U2, Some("Invalid resource state upgrade"), "An upgraded object is of the type that the schema says.";
    U3, Some("Invalid resource state upgrade"), "A write-only attribute is null in an upgraded object.";
    U4, None, "A stored object of the present version is upgraded to itself.";
    I1, Some("Import returned no resources"), "Exactly one object is imported.";
    I2, Some("Invalid import result"), "An imported object is of a type that the provider has.";
    I4, Some("Import returned a non-null value for a write-only attribute"), "A write-only attribute of an imported object is null.";
    I5, Some("Import returned null resource"), "An imported object is not null.";
    I6, Some("Cannot import non-existent remote object"), "An imported object can be read.";
    I7, None, "An object that is imported and read is what was applied.";
    D1, Some("Provider produced invalid object"), "What a data source answers is of the type that the schema says.";
    D2, Some("Provider produced null object"), "A data source answers with an object.";
    D3, Some("Provider produced invalid object"), "Nothing of what a data source answers is unknown.";
    D4, None, "A data source answers with what is configured, but for what it may compute.";
    N1, Some("Error in function call"), "What a function returns is of the type that it says.";
    N2, None, "A function returns a result or an error.";
    N3, Some("Error in function call"), "A function returns the same each time.";
    C1, None, "Asked the same twice, a provider plans the same.";
    C2, None, "After apply there is nothing left to do.";
    T1, Some("Plugin error"), "What a provider has to say it says in diagnostics.";
    T2, Some("Plugin did not respond"), "A provider does not crash.";
    T3, None, "A provider answers in time.";
}

impl std::fmt::Display for Clause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code())
    }
}
