//! Compresses exactly as Go's `compress/gzip`, byte for byte: a state that Terraform wrote must not show a change.
//!
//! Any compressor may choose its matches and its codes as it likes. Go's default level looks for matches of 4 bytes or
//! more in chains of up to 128 places, takes one only if none that begins a byte later is longer, and writes a block for
//! each 16,384 literals and matches.

use flate2::Crc;

/// The maximum distance of a match.
const WINDOW: usize = 1 << 15;
const SHORTEST: usize = 4;
const LONGEST: usize = 258;
/// A search needs this many bytes ahead of it, except near the end.
const LOOKAHEAD: usize = SHORTEST + LONGEST;
/// A match of this length is taken without a look at the next byte.
const LAZY: usize = 16;
/// A match of this length ends the search.
const NICE: usize = 128;
/// The maximum number of places that a search visits.
const CHAIN: usize = 128;
/// The maximum distance of a match of the shortest length.
const NEAR: usize = 4096;
// Called `hashBits` and `maxFlateBlockTokens` in Go's `compress/flate`.
const HASH_BITS: u32 = 17;
const BLOCK_TOKENS: usize = 1 << 14;

const END_OF_BLOCK: usize = 256;
const LITERALS: usize = 286;
const OFFSETS: usize = 30;
/// The order of the lengths of the codes for lengths of codes (RFC 1951).
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// The text as a file of gzip: it is flushed once before it ends, as Terraform does.
pub(super) fn compress(text: &[u8]) -> Vec<u8> {
    // The header of RFC 1952 as Go writes it: no flags, no time, and an unknown operating system (255).
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    let mut bits = Bits { out: Vec::new(), pending: 0, count: 0 };
    Search::new(text).run(&mut bits);
    bits.stored_header(0, false);
    bits.stored_header(0, true);
    out.append(&mut bits.out);
    let mut crc = Crc::new();
    crc.update(text);
    out.extend(crc.sum().to_le_bytes());
    out.extend(crc.amount().to_le_bytes());
    out
}

/// A token of DEFLATE: a literal byte, or a match with a length and a distance.
#[derive(Debug, Clone, Copy)]
enum Token {
    Literal(u8),
    Match { length: usize, offset: usize },
}

/// Finds repetitions. Positions count from the start of the text; Go instead moves a window of twice the longest
/// distance by half its length.
struct Search<'t> {
    text: &'t [u8],
    /// The start of the window, and the end of the data in it.
    window: usize,
    end: usize,
    index: usize,
    /// The start of the current block, unless it has left the window.
    block: Option<usize>,
    /// The last position of each hash, and for each position the one before with its hash. Positions below 1 mean none.
    heads: Vec<usize>,
    previous: Vec<usize>,
    chain: usize,
    /// The match at the position before.
    length: usize,
    offset: usize,
    /// The byte before is not written yet.
    has_byte: bool,
    tokens: Vec<Token>,
}

impl<'t> Search<'t> {
    fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            window: 0,
            end: 0,
            index: 0,
            block: Some(0),
            heads: vec![0; 1 << HASH_BITS],
            previous: vec![0; WINDOW],
            chain: 0,
            length: SHORTEST - 1,
            offset: 0,
            has_byte: false,
            tokens: Vec::new(),
        }
    }

    fn run(mut self, bits: &mut Bits) {
        while self.end < self.text.len() {
            self.step(false, bits);
            self.fill();
        }
        self.step(true, bits);
    }

    fn fill(&mut self) {
        if self.index - self.window >= 2 * WINDOW - LOOKAHEAD {
            self.window += WINDOW;
            self.block = self.block.filter(|block| *block >= self.window);
        }
        self.end = self.text.len().min(self.window + 2 * WINDOW);
    }

    /// Continues until more input is needed, or to the end if there is none.
    fn step(&mut self, is_last: bool, bits: &mut Bits) {
        let last_hashed = self.end.saturating_sub(SHORTEST - 1);
        loop {
            let ahead = self.end - self.index;
            if ahead < LOOKAHEAD && !is_last {
                return;
            }
            if ahead == 0 {
                if self.has_byte {
                    self.tokens.push(Token::Literal(self.text[self.index - 1]));
                    self.has_byte = false;
                }
                if !self.tokens.is_empty() {
                    self.write_block(self.index, bits);
                }
                return;
            }
            if self.index < last_hashed {
                self.chain = self.insert(self.index);
            }
            let (length, offset) = (self.length, self.offset);
            (self.length, self.offset) = (SHORTEST - 1, 0);
            let first = self.window.max(self.index.saturating_sub(WINDOW));
            if self.chain > first && ahead > length && length < LAZY {
                self.find(ahead);
            }
            if length >= SHORTEST && self.length <= length {
                self.tokens.push(Token::Match { length, offset });
                // This position and the one before are inserted.
                let next = self.index + length - 1;
                for index in self.index + 1..next.min(last_hashed) {
                    self.insert(index);
                }
                self.index = next;
                self.has_byte = false;
                self.length = SHORTEST - 1;
                if self.tokens.len() == BLOCK_TOKENS {
                    self.write_block(self.index, bits);
                }
            } else {
                if self.has_byte {
                    self.tokens.push(Token::Literal(self.text[self.index - 1]));
                    if self.tokens.len() == BLOCK_TOKENS {
                        self.write_block(self.index, bits);
                    }
                }
                self.index += 1;
                self.has_byte = true;
            }
        }
    }

    /// Records a position under its hash. Returns the previous one, plus 1.
    fn insert(&mut self, index: usize) -> usize {
        let bytes = self.text[index..].first_chunk().copied().unwrap_or_default();
        let hash = u32::from_be_bytes(bytes).wrapping_mul(0x1e35_a7bd) >> (u32::BITS - HASH_BITS);
        let head = &mut self.heads[hash as usize];
        self.previous[index % WINDOW] = *head;
        std::mem::replace(head, index + 1)
    }

    /// Looks for the longest match at the current position.
    fn find(&mut self, ahead: usize) {
        let index = self.index;
        let longest = LONGEST.min(ahead);
        let here = &self.text[index..index + longest];
        let nice = NICE.min(longest);
        let oldest = index.checked_sub(WINDOW);
        let mut at = self.chain - 1;
        for _ in 0..CHAIN {
            let there = &self.text[at..at + longest];
            if here.get(self.length) == there.get(self.length) {
                let length = std::iter::zip(here, there).take_while(|(a, b)| a == b).count();
                if length > self.length && (length > SHORTEST || index - at <= NEAR) {
                    (self.length, self.offset) = (length, index - at);
                    if length >= nice {
                        return;
                    }
                }
            }
            if Some(at) == oldest {
                return;
            }
            let Some(next) = self.previous[at % WINDOW].checked_sub(1) else { return };
            if next < self.window || oldest.is_some_and(|oldest| next < oldest) {
                return;
            }
            at = next;
        }
    }

    fn write_block(&mut self, end: usize, bits: &mut Bits) {
        let stored = self.block.filter(|block| *block <= end).map(|block| &self.text[block..end]);
        bits.block(&self.tokens, stored);
        self.block = Some(end);
        self.tokens.clear();
    }
}

/// The number of the code for a length or an offset, with its extra bits and their count. `base` is the exponent from
/// which on codes share exponents.
fn coded(value: usize, base: u32) -> (usize, u64, u32) {
    let first = 1 << base;
    if value < first {
        return (value, 0, 0);
    }
    let exponent = value.ilog2();
    let extra = exponent + 1 - base;
    let code = (value >> extra) + ((extra as usize) << (base - 1));
    (code, (value & ((1 << extra) - 1)) as u64, extra)
}

fn coded_length(length: usize) -> (usize, u64, u32) {
    // The maximum length has its own code.
    let (code, value, extra) = if length == LONGEST { (28, 0, 0) } else { coded(length - 3, 3) };
    (END_OF_BLOCK + 1 + code, value, extra)
}

fn coded_offset(offset: usize) -> (usize, u64, u32) {
    coded(offset - 1, 2)
}

/// The bits of a code, the first one lowest, and their count.
#[derive(Debug, Clone, Copy, Default)]
struct Code {
    bits: u16,
    length: u32,
}

impl Code {
    fn new(code: usize, length: u32) -> Self {
        let bits = u16::try_from(code).unwrap_or_default();
        Self { bits: bits.reverse_bits() >> (u16::BITS - length), length }
    }
}

/// The number of bits of all symbols with these counts.
fn size(codes: &[Code], counts: &[u64]) -> u64 {
    std::iter::zip(codes, counts).map(|(code, count)| u64::from(code.length) * count).sum()
}

/// The codes of an agreed table.
fn fixed() -> (Vec<Code>, Vec<Code>) {
    let literal = |symbol: usize| match symbol {
        0..144 => Code::new(0x30 + symbol, 8),
        144..256 => Code::new(0x190 + symbol - 144, 9),
        256..280 => Code::new(symbol - 256, 7),
        _ => Code::new(0xc0 + symbol - 280, 8),
    };
    ((0..LITERALS).map(literal).collect(), (0..OFFSETS).map(|symbol| Code::new(symbol, 5)).collect())
}

/// The best codes of at most so many bits for symbols that are there so often.
fn best_codes(counts: &[u64], most_bits: usize) -> Vec<Code> {
    let mut codes = vec![Code::default(); counts.len()];
    let mut used: Vec<(u64, usize)> = Vec::new();
    used.extend(
        counts.iter().enumerate().filter(|(_, count)| **count != 0).map(|(symbol, count)| (*count, symbol)),
    );
    if used.len() <= 2 {
        for (position, (_, symbol)) in used.iter().enumerate() {
            codes[*symbol] = Code::new(position, 1);
        }
        return codes;
    }
    used.sort_unstable();
    let sorted: Vec<u64> = used.iter().map(|(count, _)| *count).collect();
    let mut code = 0;
    let mut rest = used.as_mut_slice();
    for (length, count) in std::iter::zip(1.., bit_counts(&sorted, most_bits.min(sorted.len() - 1))) {
        code <<= 1;
        let (others, chunk) = rest.split_at_mut(rest.len() - count);
        chunk.sort_unstable_by_key(|(_, symbol)| *symbol);
        for (_, symbol) in chunk {
            codes[*symbol] = Code::new(code, length);
            code += 1;
        }
        rest = others;
    }
    codes
}

/// A row of the search for lengths of codes.
#[derive(Debug, Clone, Copy)]
struct Level {
    last: u64,
    next_leaf: u64,
    next_pair: u64,
    needed: usize,
}

/// How many codes there are of 1 bit, of 2 and so on, for counts in ascending order: the boundary variant of the
/// package-merge method (Katajainen, Moffat and Turpin 1995). Among equally good solutions it takes the first.
fn bit_counts(counts: &[u64], most_bits: usize) -> Vec<usize> {
    const NEVER: u64 = u64::MAX;
    let count = |position: usize| counts.get(position).copied().unwrap_or(NEVER);
    let level = Level { last: count(1), next_leaf: count(2), next_pair: count(0) + count(1), needed: 0 };
    let mut levels = vec![level; most_bits + 2];
    levels[0].needed = 0;
    levels[1].next_pair = NEVER;
    levels[most_bits].needed = 2 * counts.len() - 4;
    // How many leaves are to the left of the ancestors of the last node in each row.
    let mut leaves = vec![vec![0_usize; most_bits + 1]; most_bits + 1];
    (1..=most_bits).for_each(|row| leaves[row][row] = 2);
    let mut row = most_bits;
    loop {
        let level = levels[row];
        if level.next_pair == NEVER && level.next_leaf == NEVER {
            levels[row].needed = 0;
            levels[row + 1].next_pair = NEVER;
            row += 1;
            continue;
        }
        if level.next_leaf < level.next_pair {
            leaves[row][row] += 1;
            levels[row].last = level.next_leaf;
            levels[row].next_leaf = count(leaves[row][row]);
        } else {
            levels[row].last = level.next_pair;
            let (below, here) = leaves.split_at_mut(row);
            here[0][..row].copy_from_slice(&below[row - 1][..row]);
            levels[row - 1].needed = 2;
        }
        levels[row].needed -= 1;
        if levels[row].needed == 0 {
            if row == most_bits {
                break;
            }
            levels[row + 1].next_pair = level.last + levels[row].last;
            row += 1;
        } else {
            while levels[row - 1].needed > 0 {
                row -= 1;
            }
        }
    }
    (1..=most_bits).rev().map(|row| leaves[most_bits][row] - leaves[most_bits][row - 1]).collect()
}

/// Writes bits, the first one lowest.
struct Bits {
    out: Vec<u8>,
    pending: u64,
    count: u32,
}

impl Bits {
    fn write(&mut self, value: u64, count: u32) {
        self.pending |= value << self.count;
        self.count += count;
        while self.count >= 8 {
            self.flush_byte();
        }
    }

    fn flush_byte(&mut self) {
        self.out.push(self.pending.to_le_bytes()[0]);
        self.pending >>= 8;
        self.count = self.count.saturating_sub(8);
    }

    fn code(&mut self, code: Code) {
        self.write(code.bits.into(), code.length);
    }

    /// The header of a block that is stored without compression.
    fn stored_header(&mut self, length: u16, is_last: bool) {
        self.write(is_last.into(), 3);
        if self.count > 0 {
            self.flush_byte();
        }
        self.out.extend(length.to_le_bytes());
        self.out.extend((!length).to_le_bytes());
    }

    /// Writes a block in its shortest form. `stored` is its content, if it may be stored without compression.
    fn block(&mut self, tokens: &[Token], stored: Option<&[u8]>) {
        let (mut literals, mut offsets) = ([0_u64; LITERALS], [0_u64; OFFSETS]);
        let mut extra_bits = 0;
        literals[END_OF_BLOCK] = 1;
        for token in tokens {
            match *token {
                Token::Literal(byte) => literals[usize::from(byte)] += 1,
                Token::Match { length, offset } => {
                    let (length, offset) = (coded_length(length), coded_offset(offset));
                    literals[length.0] += 1;
                    offsets[offset.0] += 1;
                    extra_bits += u64::from(length.2 + offset.2);
                }
            }
        }
        let used = |counts: &[u64]| counts.iter().rposition(|count| *count != 0).map_or(0, |last| last + 1);
        let literal_count = used(&literals);
        // DEFLATE writes at least one code for distances (RFC 1951), even if there is no match.
        if used(&offsets) == 0 {
            offsets[0] = 1;
        }
        let offset_count = used(&offsets);
        let stored = stored.and_then(|text| Some((text, u16::try_from(text.len()).ok()?)));
        // Go counts these bits only if it may store the text; both kinds of codes need as many.
        if stored.is_none() {
            extra_bits = 0;
        }
        let (fixed_literals, fixed_offsets) = fixed();
        let fixed_size = 3 + size(&fixed_literals, &literals) + size(&fixed_offsets, &offsets) + extra_bits;
        let (own_literals, own_offsets) = (best_codes(&literals, 15), best_codes(&offsets, 15));
        let lengths = own_literals[..literal_count].iter().chain(&own_offsets[..offset_count]);
        let header = Header::new(lengths.map(|code| code.length));
        let own_size =
            header.size() + size(&own_literals, &literals) + size(&own_offsets, &offsets) + extra_bits;
        if let Some((text, length)) = stored
            && (text.len() as u64 + 5) * 8 < own_size.min(fixed_size)
        {
            self.stored_header(length, false);
            self.out.extend(text);
            return;
        }
        let (literals, offsets) = if own_size < fixed_size {
            self.write(4, 3);
            self.write((literal_count - END_OF_BLOCK - 1) as u64, 5);
            self.write((offset_count - 1) as u64, 5);
            header.write(self);
            (own_literals, own_offsets)
        } else {
            self.write(2, 3);
            (fixed_literals, fixed_offsets)
        };
        for token in tokens {
            match *token {
                Token::Literal(byte) => self.code(literals[usize::from(byte)]),
                Token::Match { length, offset } => {
                    let (code, extra, count) = coded_length(length);
                    self.code(literals[code]);
                    self.write(extra, count);
                    let (code, extra, count) = coded_offset(offset);
                    self.code(offsets[code]);
                    self.write(extra, count);
                }
            }
        }
        self.code(literals[END_OF_BLOCK]);
    }
}

/// The lengths of the codes of a block, as they are written before it.
struct Header {
    /// Lengths and repetition codes, each with its extra bits and their count.
    items: Vec<(usize, u64, u32)>,
    counts: [u64; 19],
    codes: Vec<Code>,
    /// The number of lengths of codes for lengths that are written.
    written: usize,
}

impl Header {
    fn new(lengths: impl Iterator<Item = u32>) -> Self {
        let mut items = Vec::new();
        let lengths: Vec<u32> = lengths.collect();
        for run in lengths.chunk_by(|a, b| a == b) {
            let length = run[0] as usize;
            let mut count = run.len();
            let plain = (length, 0, 0);
            if length == 0 {
                while count >= 11 {
                    let n = count.min(138);
                    items.push((18, n as u64 - 11, 7));
                    count -= n;
                }
                if count >= 3 {
                    items.push((17, count as u64 - 3, 3));
                    count = 0;
                }
            } else {
                items.push(plain);
                count -= 1;
                while count >= 3 {
                    let n = count.min(6);
                    items.push((16, n as u64 - 3, 2));
                    count -= n;
                }
            }
            items.extend(std::iter::repeat_n(plain, count));
        }
        let mut counts = [0; 19];
        items.iter().for_each(|(item, ..)| counts[*item] += 1);
        let codes = best_codes(&counts, 7);
        let written = ORDER.iter().rposition(|symbol| counts[*symbol] != 0).map_or(0, |last| last + 1).max(4);
        Self { items, counts, codes, written }
    }

    /// The size in bits, with the header of the block.
    fn size(&self) -> u64 {
        let extra: u64 = self.items.iter().map(|(.., count)| u64::from(*count)).sum();
        3 + 5 + 5 + 4 + 3 * self.written as u64 + size(&self.codes, &self.counts) + extra
    }

    fn write(&self, bits: &mut Bits) {
        bits.write(self.written as u64 - 4, 4);
        for symbol in &ORDER[..self.written] {
            bits.write(self.codes[*symbol].length.into(), 3);
        }
        for (item, extra, count) in &self.items {
            bits.code(self.codes[*item]);
            bits.write(*extra, *count);
        }
    }
}
