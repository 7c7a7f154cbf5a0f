//! The order of the paths that force a replacement, as documents have them.

use objchange::value::{Path, PathStep};

/// The polynomial of the CRC-64 of ISO 3309, reversed.
const POLYNOMIAL: u64 = 0xd800_0000_0000_0000;

/// The paths, each once, in the order of Terraform, which keeps them in a table by a checksum of their names. (Seen in a
/// plan of an `aws_ebs_volume` with six of them.)
pub(crate) fn in_order(mut paths: Vec<Path>) -> Vec<Path> {
    paths.sort_by_cached_key(checksum);
    paths.dedup();
    paths
}

fn checksum(path: &Path) -> i64 {
    let mut crc = u64::MAX;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            crc ^= u64::from(*byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { crc >> 1 ^ POLYNOMIAL } else { crc >> 1 };
            }
        }
    };
    for step in path.steps() {
        match step {
            PathStep::Attribute(name) => add(name.as_bytes()),
            PathStep::Index(_) => add(b"#"),
        }
    }
    (!crc).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_in_the_order_of_terraform() {
        let expected = [
            "availability_zone",
            "multi_attach_enabled",
            "outpost_arn",
            "snapshot_id",
            "encrypted",
            "kms_key_id",
        ];
        let mut paths: Vec<Path> = expected.iter().map(|path| Path::root().attribute(*path)).collect();
        paths.sort_by_key(ToString::to_string);
        paths.push(paths[0].clone());
        let sorted: Vec<String> = in_order(paths).iter().map(ToString::to_string).collect();
        assert_eq!(sorted, expected);
    }
}
