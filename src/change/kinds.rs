//! Kinds of errors with stable names.

/// Declares an enum whose variants have the names by which reports and case files name them.
macro_rules! kinds {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $stable:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The stable name of the kind, as case files and reports write it.
            pub const fn kind(self) -> &'static str {
                match self {
                    $(Self::$variant => $stable,)*
                }
            }
        }
    };
}

pub(super) use kinds;
