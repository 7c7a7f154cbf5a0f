//! Kinds of errors with stable names.

/// Declares an enum with the stable names of its variants in reports and case files.
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
