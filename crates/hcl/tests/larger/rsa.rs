//! Calls of `rsadecrypt` with keys that are made here: a repository holds no key, not even one that opens nothing.

use data_encoding::BASE64;
use num_bigint::BigUint;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

const TEXT: &str = "héllo";

/// Each call, with what Terraform answers to it.
pub(crate) fn calls() -> Vec<(String, String)> {
    let key = Key::new(&mut TestRunner::deterministic());
    let cipher = key.encrypt(TEXT.as_bytes());
    let mut damaged = cipher.clone();
    damaged[120] ^= 1;
    let [cipher, damaged] = [cipher, damaged].map(|bytes| BASE64.encode(&bytes));
    let fails = super::console::FAILED.to_owned();
    let mut calls = vec![(call("AAAA", "x"), fails.clone())];
    for pem in [key.pkcs1(), key.pkcs8()] {
        let cut_off = &pem[..pem.len() - 60];
        calls.push((call(&cipher, &pem), format!("[{TEXT:?}]")));
        for (cipher, pem) in [(&*damaged, &*pem), ("%%", &pem), (&cipher, cut_off), ("AAAA", &pem)] {
            calls.push((call(cipher, pem), fails.clone()));
        }
    }
    calls
}

fn call(cipher: &str, pem: &str) -> String {
    format!("rsadecrypt({cipher:?}, {pem:?})")
}

struct Key {
    modulus: BigUint,
    public: BigUint,
    private: BigUint,
    primes: [BigUint; 2],
}

impl Key {
    fn new(runner: &mut TestRunner) -> Self {
        let one = BigUint::from(1_u8);
        let public = BigUint::from(65_537_u32);
        loop {
            let primes = [prime(runner), prime(runner)];
            let totient = (&primes[0] - &one) * (&primes[1] - &one);
            if let Some(private) = public.modinv(&totient)
                && primes[0] != primes[1]
            {
                return Self { modulus: &primes[0] * &primes[1], public, private, primes };
            }
        }
    }

    /// The text with padding, to the power of the public exponent.
    fn encrypt(&self, text: &[u8]) -> Vec<u8> {
        let padding = vec![0x5a; 128 - 3 - text.len()];
        let padded = [&[0, 2][..], &padding, &[0], text].concat();
        let cipher = BigUint::from_bytes_be(&padded).modpow(&self.public, &self.modulus).to_bytes_be();
        [vec![0; 128 - cipher.len()], cipher].concat()
    }

    /// The numbers in DER.
    fn der(&self) -> Vec<u8> {
        let [p, q] = &self.primes;
        let one = BigUint::from(1_u8);
        let coefficient = q.modinv(p).unwrap();
        let [dp, dq] = [p, q].map(|prime| &self.private % (prime - &one));
        let numbers =
            [&BigUint::ZERO, &self.modulus, &self.public, &self.private, p, q, &dp, &dq, &coefficient];
        element(0x30, &numbers.map(integer).concat())
    }

    fn pkcs1(&self) -> String {
        pem("RSA PRIVATE KEY", &self.der())
    }

    fn pkcs8(&self) -> String {
        // The name of RSA.
        let algorithm = [6, 9, 42, 134, 72, 134, 247, 13, 1, 1, 1, 5, 0];
        let parts = [integer(&BigUint::ZERO), element(0x30, &algorithm), element(4, &self.der())];
        pem("PRIVATE KEY", &element(0x30, &parts.concat()))
    }
}

/// A prime of 512 bits whose two highest bits are set, so that a product of two has 1,024.
fn prime(runner: &mut TestRunner) -> BigUint {
    let bytes = vec(any::<u8>(), 64);
    loop {
        let mut bytes = bytes.new_tree(runner).unwrap().current();
        bytes[0] |= 0xc0;
        bytes[63] |= 1;
        let number = BigUint::from_bytes_be(&bytes);
        if is_prime(&number) {
            return number;
        }
    }
}

/// Whether it passes Fermat's test, which hardly any other number of this size does.
fn is_prime(number: &BigUint) -> bool {
    let less = number - 1_u8;
    [2_u8, 3, 5, 7].into_iter().all(|base| BigUint::from(base).modpow(&less, number) == BigUint::from(1_u8))
}

fn integer(number: &BigUint) -> Vec<u8> {
    let bytes = number.to_bytes_be();
    let sign = if bytes[0] >= 0x80 { vec![0] } else { Vec::new() };
    element(2, &[sign, bytes].concat())
}

fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).unwrap().to_be_bytes();
    let length = match length {
        [0, short] if short < 0x80 => vec![short],
        [0, low] => vec![0x81, low],
        [high, low] => vec![0x82, high, low],
    };
    [vec![tag], length, content.to_vec()].concat()
}

fn pem(kind: &str, der: &[u8]) -> String {
    let text = BASE64.encode(der);
    let lines: Vec<&str> =
        text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", lines.join("\n"))
}
