//! Values that a provider probably accepts, chosen by the names of attributes.

/// A text that suits an attribute of this name. Each number gives another one.
pub(in super::super) fn text(name: &str, n: u64) -> String {
    match Form::from_name(name) {
        Some(form) => form.text(n),
        None => format!("{}-{n}", name.replace('_', "-")),
    }
}

/// A text of each known form, for attributes that refuse the form that their name suggests.
pub(in super::super) fn texts(n: u64) -> impl Iterator<Item = String> {
    Form::ALL.iter().map(move |form| form.text(n))
}

/// A number that suits an attribute of this name.
pub(super) fn number(name: &str, n: u64) -> u64 {
    let has = |word: &str| words(name).any(|w| w == word);
    if has("port") || has("ports") {
        8080 + n % 1000
    } else if has("vlan") || has("priority") {
        100 + n % 100
    } else {
        1 + n % 8
    }
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(['_', '-'])
}

/// Each form: the words that suggest it in a name, and an example.
macro_rules! forms {
    ($($form:ident, [$($word:literal)*], |$n:pat_param| $example:expr;)*) => {
        /// The form of a text.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(in super::super) enum Form {
            $($form,)*
        }

        impl Form {
            const ALL: &[Self] = &[$(Self::$form),*];

            /// The form that a name suggests: that of the last word that suggests one.
            pub(in super::super) fn from_name(name: &str) -> Option<Self> {
                let of_word = |word: &str| Self::ALL.iter().copied().find(|form| form.words().contains(&word));
                let lower = name.to_lowercase();
                lower.rsplit(|c: char| !c.is_ascii_alphanumeric()).find_map(of_word)
            }

            /// The form that a sentence asks for, if any.
            pub(in super::super) fn in_sentence(sentence: &str) -> Option<Self> {
                let lower = sentence.to_lowercase();
                let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).collect();
                Self::ALL.iter().copied().find(|form| form.words().iter().any(|word| words.contains(word)))
            }

            /// The words that suggest it.
            fn words(self) -> &'static [&'static str] {
                match self {
                    $(Self::$form => &[$($word),*],)*
                }
            }

            /// A text of this form.
            pub(in super::super) fn text(self, n: u64) -> String {
                match self {
                    $(Self::$form => {
                        let $n = n;
                        $example
                    })*
                }
            }
        }
    };
}

// Addresses are private (RFC 1918) or for documentation (RFC 3849), and names are below example.com (RFC 2606), so
// that nobody is reached by chance. VMware takes static MAC addresses from 00:50:56:00:00:00 to 00:50:56:3f:ff:ff
// only.
forms! {
    Uuid, ["uuid" "guid"], |n| format!("00000000-0000-4000-8000-{n:012}");
    Cidr, ["cidr" "cidrs" "subnet" "prefix"], |n| format!("10.{}.0.0/16", n % 256);
    Ipv6, ["ipv6" "ip6"], |n| format!("2001:db8::{:x}", 1 + n % 0xffff);
    Netmask, ["netmask" "mask"], |_| "255.255.255.0".to_owned();
    Ip, ["ip" "ips" "ipv4" "address" "addresses" "gateway" "dns"], |n| format!("10.0.0.{}", 1 + n % 250);
    Mac, ["mac"], |n| format!("00:50:56:00:00:{:02x}", n % 256);
    Url, ["url" "uri" "urls" "endpoint" "href" "website" "webhook"], |n| format!("https://example.com/{n}");
    Email, ["email" "mail"], |n| format!("user-{n}@example.com");
    Host, ["host" "hosts" "hostname" "domain" "fqdn" "server"], |n| format!("host-{n}.example.com");
    Port, ["port" "ports"], |n| (8080 + n % 1000).to_string();
    Path, ["path" "dir" "directory" "folder" "file" "filename"], |n| format!("/tmp/{n}");
    Arn, ["arn"], |n| format!("arn:aws:iam::123456789012:role/role-{n}");
    Json, ["json" "policy" "document"], |_| "{}".to_owned();
    Region, ["region"], |_| "us-east-1".to_owned();
    Zone, ["zone" "az"], |_| "us-east-1a".to_owned();
    Duration, ["duration" "timeout" "interval" "ttl" "delay"], |n| format!("{}s", 30 + n % 30);
    Time, ["time" "timestamp" "rfc3339" "date" "expiration" "expiry"], |n| format!("2030-01-{:02}T00:00:00Z", 1 + n % 28);
    Version, ["version"], |n| format!("1.{n}.0");
    Base64, ["base64"], |_| "aGVsbG8=".to_owned();
    Integer, ["integer" "int" "number" "count" "size" "numeric"], |n| (1 + n % 8).to_string();
    Boolean, ["bool" "boolean" "enabled" "enable"], |_| "true".to_owned();
    Mode, ["mode" "permission" "permissions"], |_| "0644".to_owned();
    Color, ["color" "colour"], |_| "#336699".to_owned();
    Timezone, ["timezone" "tz"], |_| "UTC".to_owned();
    Day, ["day" "weekday"], |_| "monday".to_owned();
    Cron, ["cron" "schedule"], |_| "0 0 * * *".to_owned();
    Key, ["ssh" "pubkey"], |_| "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE0000000000000000000000000000000000000000000 a".to_owned();
    Pem, ["pem" "certificate" "cert"], |_| "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n".to_owned();
}
