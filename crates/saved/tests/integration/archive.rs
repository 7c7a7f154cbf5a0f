//! Makes archives and plan messages, right and wrong ones.

/// An entry of an archive, stored or deflated.
pub(crate) struct Entry<'e> {
    pub(crate) name: &'e str,
    pub(crate) content: &'e [u8],
    /// Its checksum.
    pub(crate) crc: u32,
    /// The bytes that are stored.
    pub(crate) data: Vec<u8>,
    pub(crate) method: u16,
    pub(crate) flags: u16,
}

impl<'e> Entry<'e> {
    pub(crate) fn stored(name: &'e str, content: &'e [u8]) -> Self {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        Self { name, content, crc: crc.sum(), data: content.to_vec(), method: 0, flags: 0 }
    }
}

/// An archive of these entries.
pub(crate) fn archive(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for entry in entries {
        let offset = u32::try_from(out.len()).unwrap();
        let common = |out: &mut Vec<u8>| {
            out.extend(20u16.to_le_bytes());
            out.extend(entry.flags.to_le_bytes());
            out.extend(entry.method.to_le_bytes());
            out.extend([0; 4]);
            out.extend(entry.crc.to_le_bytes());
            out.extend(u32::try_from(entry.data.len()).unwrap().to_le_bytes());
            out.extend(u32::try_from(entry.content.len()).unwrap().to_le_bytes());
            out.extend(u16::try_from(entry.name.len()).unwrap().to_le_bytes());
            out.extend([0; 2]);
        };
        out.extend(b"PK\x03\x04");
        common(&mut out);
        out.extend(entry.name.as_bytes());
        out.extend(&entry.data);
        directory.extend(b"PK\x01\x02\x14\0");
        common(&mut directory);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(entry.name.as_bytes());
    }
    let start = u32::try_from(out.len()).unwrap();
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    let count = u16::try_from(entries.len()).unwrap().to_le_bytes();
    out.extend(count);
    out.extend(count);
    out.extend(u32::try_from(directory.len()).unwrap().to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    out
}

/// A plan file with this plan message.
pub(crate) fn plan_file(message: &[u8]) -> Vec<u8> {
    archive(&entries(message))
}

/// The entries of a plan file with this plan message.
pub(crate) fn entries(message: &[u8]) -> Vec<Entry<'_>> {
    let state =
        br#"{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{},"resources":[]}"#;
    vec![
        Entry::stored("tfplan", message),
        Entry::stored("tfstate", state),
        Entry::stored("tfstate-prev", state),
        Entry::stored("tfconfig/m-/main.tf", b"resource \"terraform_data\" \"a\" {}\n"),
        Entry::stored("tfconfig/modules.json", br#"[{"Key":"","Dir":"."}]"#),
        Entry::stored(".terraform.lock.hcl", b""),
    ]
}

/// A number, as protobuf writes it.
pub(crate) fn varint(mut number: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while number >= 0x80 {
        out.push((number as u8) | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
    out
}

/// A field with a number.
pub(crate) fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

/// A field with bytes.
pub(crate) fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

/// An object of `terraform_data` whose `id` is unknown.
pub(crate) const NEW: &[u8] = b"\x84\xa2id\xd4\x00\x00\xa5input\xc0\xa6output\xc0\xb0triggers_replace\xc0";

/// The change of an object.
pub(crate) fn change(address: &str, action: u64, values: &[&[u8]]) -> Vec<u8> {
    let values: Vec<Vec<u8>> = values.iter().map(|value| bytes(2, &bytes(1, value))).collect();
    let inner = [number(1, action), values.concat()].concat();
    let provider = bytes(8, br#"provider["terraform.io/builtin/terraform"]"#);
    [provider, bytes(9, &inner), bytes(13, address.as_bytes())].concat()
}

/// A plan message with these changes, and `rest` behind them.
pub(crate) fn plan(changes: &[Vec<u8>], rest: &[u8]) -> Vec<u8> {
    let changes: Vec<Vec<u8>> = changes.iter().map(|change| bytes(3, change)).collect();
    [number(1, 3), changes.concat(), bytes(14, b"1.11.4"), bytes(21, b"2026-01-01T00:00:00Z"), rest.to_vec()]
        .concat()
}
