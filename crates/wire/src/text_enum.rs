//! The macro `text_enum!`, which declares the enums of the wire types.

/// Declares an enum whose variants have one text form, the same on the wire, in the database and in a URL.
macro_rules! text_enum {
    ($(#[$attribute:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize, sqlx::Type, schemars::JsonSchema)]
        #[sqlx(type_name = "text")]
        $(#[$attribute])*
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] #[sqlx(rename = $text)] $variant),+
        }

        impl $name {
            /// Every value, in the order of its declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The text form.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(format!("must be one of {}", [$($text),+].join(", "))),
                }
            }
        }
    };
}
pub(super) use text_enum;
