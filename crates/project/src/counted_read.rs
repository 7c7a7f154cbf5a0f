//! A reader that reports its progress.

use std::io::{self, Read};

/// Calls `count` with the number of bytes of each read.
pub(crate) struct CountedRead<'c, R> {
    reader: R,
    count: &'c (dyn Fn(u64) + Sync),
}

impl<'c, R> CountedRead<'c, R> {
    pub(crate) fn new(reader: R, count: &'c (dyn Fn(u64) + Sync)) -> Self {
        Self { reader, count }
    }
}

impl<R: Read> Read for CountedRead<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(bytes)?;
        (self.count)(read as u64);
        Ok(read)
    }
}
