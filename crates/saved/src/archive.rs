//! The archive: its entries by their exact names, each unpacked within a limit.
//!
//! Names are never used as paths.

use std::collections::BTreeMap;

use flate2::bufread::DeflateDecoder;
use objchange_text::read_into;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};

use crate::error::{ArchiveProblem, EntryProblem, SavedPlanError};

/// How the archive begins.
pub(crate) const MAGIC: &[u8] = b"PK\x03\x04";

/// How many bytes deflate can make of one.
const MAX_RATIO: u64 = 1_032;

/// The most entries of an archive. Terraform writes one for each file of each module call.
const MAX_ENTRIES: u64 = 1 << 16;

/// The longest name of an entry, in bytes.
const MAX_NAME: usize = 4096;

/// How much of a name is in an error, in bytes.
const SHOWN_NAME: usize = 200;

/// The most bytes that all entries together are unpacked to.
const MAX_UNPACKED: u64 = 1 << 30;

/// An archive whose directory was checked.
pub(crate) struct Archive<'a> {
    archive: ZipSliceArchive<&'a [u8]>,
    entries: BTreeMap<String, Entry>,
    /// The bytes that may still be unpacked.
    left: u64,
}

struct Entry {
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
}

impl<'a> Archive<'a> {
    /// Reads the directory, and refuses an archive that two readers may read differently.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, SavedPlanError> {
        let archive =
            ZipArchive::from_slice(bytes).map_err(|error| ArchiveProblem::Broken(error.to_string()))?;
        if archive.entries_hint() > MAX_ENTRIES {
            return Err(ArchiveProblem::TooManyEntries.into());
        }
        // Readers look for the end of the directory from behind, and a comment may hold another end. Terraform writes none.
        if archive.end_offset() != bytes.len() as u64 || !archive.comment().as_bytes().is_empty() {
            return Err(ArchiveProblem::MoreBytes.into());
        }
        let mut entries = BTreeMap::new();
        let mut ranges = Vec::new();
        for header in archive.entries() {
            let header = header.map_err(|error| ArchiveProblem::Broken(error.to_string()))?;
            let name = header.file_path().as_bytes();
            let shown = String::from_utf8_lossy(&name[..name.len().min(SHOWN_NAME)]).into_owned();
            let fail = |problem| SavedPlanError::Entry { name: shown.clone(), problem };
            if ranges.len() as u64 >= MAX_ENTRIES {
                return Err(ArchiveProblem::TooManyEntries.into());
            }
            let method = header.compression_method();
            // AES has a method of its own, beside the flag of the older encryption.
            if header.flags().is_encrypted() || method == CompressionMethod::AES {
                return Err(fail(EntryProblem::Encrypted));
            }
            if name.len() > MAX_NAME {
                return Err(fail(EntryProblem::LongName));
            }
            let name = std::str::from_utf8(name).map_err(|_| fail(EntryProblem::Name))?;
            let place = header.wayfinder();
            let entry = archive.get_entry(place).map_err(|_| fail(EntryProblem::Truncated))?;
            let local = entry.local_header();
            let (start, end) = entry.compressed_data_range();
            // Some readers go by the headers of entries, others by the directory. Terraform itself writes the sizes behind
            // the data, and again into the directory.
            let mut agrees = local.file_path().as_bytes() == name.as_bytes()
                && local.compression_method() == method
                && local.flags().bits() == header.flags().bits();
            match entry.data_descriptor().map_err(|_| fail(EntryProblem::Truncated))? {
                Some(after) => {
                    agrees &= after.crc32() == header.crc32()
                        && after.compressed_size() == header.compressed_size_hint()
                        && after.uncompressed_size() == header.uncompressed_size_hint();
                }
                None => {
                    agrees &= local.crc32() == header.crc32()
                        && local.compressed_size_hint() == header.compressed_size_hint()
                        && local.uncompressed_size_hint() == header.uncompressed_size_hint();
                }
            }
            if !agrees {
                return Err(fail(EntryProblem::Disagrees));
            }
            ranges.push((header.local_header_offset(), start, end));
            // Terraform applies the first entry of a name, and many readers take the last one. The plan that was approved
            // would not be the one that is applied.
            if entries.insert(name.to_owned(), Entry { place, method }).is_some() {
                return Err(fail(EntryProblem::Repeated));
            }
        }
        // Entries that share their data would let a small file unpack to any length. Gaps are harmless.
        ranges.sort_unstable();
        let ends = ranges.iter().map(|(.., end)| *end);
        let next = ranges.iter().skip(1).map(|(start, ..)| *start).chain([archive.directory_offset()]);
        if ranges.first().is_some_and(|(start, ..)| *start != 0)
            || ends.zip(next).any(|(end, next)| end > next)
        {
            return Err(ArchiveProblem::Overlap.into());
        }
        Ok(Self { archive, entries, left: MAX_UNPACKED })
    }

    /// The names of all entries, sorted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Unpacks an entry of at most this many bytes; `None` if there is none of this name.
    pub(crate) fn read(&mut self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, SavedPlanError> {
        let Some(entry) = self.entries.get(name) else { return Ok(None) };
        let fail = |problem| SavedPlanError::Entry { name: name.to_owned(), problem };
        // A header may claim any length, and deflate reaches 1,030 to 1, so only the unpacked bytes count.
        let limit = limit.min(self.left);
        let found = self.archive.get_entry(entry.place).map_err(|_| fail(EntryProblem::Truncated))?;
        let most = (found.data().len() as u64).saturating_mul(MAX_RATIO).min(limit);
        let room = Vec::with_capacity(entry.place.uncompressed_size_hint().min(most) as usize);
        let read = match entry.method {
            CompressionMethod::STORE => read_into(room, found.verifying_reader(found.data()), limit + 1),
            CompressionMethod::DEFLATE => {
                read_into(room, found.verifying_reader(DeflateDecoder::new(found.data())), limit + 1)
            }
            method => return Err(fail(EntryProblem::Method(method.as_u16()))),
        };
        let bytes = read.map_err(|_| fail(EntryProblem::Damaged))?;
        let length = bytes.len() as u64;
        if length > limit {
            return Err(fail(EntryProblem::TooLarge(limit)));
        }
        self.left -= length;
        Ok(Some(bytes))
    }

    /// Unpacks an entry that is text.
    pub(crate) fn text(&mut self, name: &str, limit: u64) -> Result<Option<String>, SavedPlanError> {
        let Some(bytes) = self.read(name, limit)? else { return Ok(None) };
        let not_text = |_| SavedPlanError::Entry { name: name.to_owned(), problem: EntryProblem::Text };
        String::from_utf8(bytes).map(Some).map_err(not_text)
    }
}
