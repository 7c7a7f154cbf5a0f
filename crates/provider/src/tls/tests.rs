use std::sync::Arc;

use p521::ecdsa::signature::Signer as _;
use rustls::pki_types::CertificateDer;
use rustls::sign::{CertifiedKey, Signer, SigningKey};
use rustls::{ServerConfig, SignatureAlgorithm};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::*;

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// Whether both sides get through to each other; if not, the client's error.
async fn connect(client: ClientConfig, server: ServerConfig) -> Result<(), String> {
    let (here, there): (DuplexStream, DuplexStream) = tokio::io::duplex(64 << 10);
    let serving = tokio::spawn(async move {
        let mut stream = TlsAcceptor::from(Arc::new(server)).accept(there).await?;
        stream.write_all(b"hello").await?;
        stream.shutdown().await
    });
    let stream = TlsConnector::from(Arc::new(client)).connect(SERVER_NAME.try_into().unwrap(), here).await;
    let mut text = String::new();
    let heard = match stream {
        // With TLS 1.3 a client learns of its rejection only later.
        Ok(mut stream) => stream.read_to_string(&mut text).await.map(|_| ()).map_err(|e| e.to_string()),
        Err(error) => Err(error.to_string()),
    };
    let served = serving.await.unwrap().map_err(|e| e.to_string());
    heard.and(served).map(|()| assert_eq!(text, "hello"))
}

#[test]
fn both_know_each_other() {
    run(async {
        let [client, server, other] = [(); 3].map(|()| Identity::new().unwrap());
        let to_server = || Pinned::from_base64(&server.base64()).unwrap();
        let from_client = || Pinned::from_pem(&client.pem()).unwrap().server(&server).unwrap();
        assert_eq!(connect(to_server().client(Some(&client)).unwrap(), from_client()).await, Ok(()));
        // Another one's certificate, none at all, and another server.
        connect(to_server().client(Some(&other)).unwrap(), from_client()).await.unwrap_err();
        connect(to_server().client(None).unwrap(), from_client()).await.unwrap_err();
        let to_other = Pinned::from_base64(&other.base64()).unwrap().client(Some(&client)).unwrap();
        connect(to_other, from_client()).await.unwrap_err();
    });
}

/// A peer must have the key of its certificate.
#[test]
fn a_certificate_without_its_key_is_no_use() {
    run(async {
        let [client, server, thief] = [(); 3].map(|()| Identity::new().unwrap());
        let stolen = Identity { certificate: server.certificate.clone(), key: thief.key.clone() };
        // The library refuses to serve with a key that does not belong to the certificate, but a thief
        // would.
        let key = rustls::crypto::ring::sign::any_ecdsa_type(&stolen.key()).unwrap();
        let config = serving(CertifiedKey::new(vec![stolen.certificate.clone()], key));
        let to_server = Pinned::from_base64(&server.base64()).unwrap().client(Some(&client)).unwrap();
        let error = connect(to_server, config).await.unwrap_err();
        assert!(error.contains("BadSignature"), "{error}");
    });
}

/// A server that asks for no certificate.
fn serving(key: CertifiedKey) -> ServerConfig {
    #[derive(Debug)]
    struct Always(Arc<CertifiedKey>);
    impl rustls::server::ResolvesServerCert for Always {
        fn resolve(&self, _: rustls::server::ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
            Some(self.0.clone())
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(rustls::ALL_VERSIONS)
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(Always(Arc::new(key))))
}

/// Providers in Go have such keys.
#[test]
fn a_key_on_the_curve_p_521_is_known() {
    #[derive(Debug, Clone)]
    struct Key(Arc<p521::ecdsa::SigningKey>);
    impl SigningKey for Key {
        fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
            let is_there = offered.contains(&SignatureScheme::ECDSA_NISTP521_SHA512);
            is_there.then(|| Box::new(self.clone()) as Box<dyn Signer>)
        }
        fn algorithm(&self) -> SignatureAlgorithm {
            SignatureAlgorithm::ECDSA
        }
    }
    impl Signer for Key {
        fn sign(&self, message: &[u8]) -> Result<Vec<u8>, rustls::Error> {
            let signature: p521::ecdsa::Signature = self.0.sign(message);
            Ok(signature.to_der().as_bytes().to_vec())
        }
        fn scheme(&self) -> SignatureScheme {
            SignatureScheme::ECDSA_NISTP521_SHA512
        }
    }
    run(async {
        let certificate = CertificateDer::from(BASE64.decode(P521_CERTIFICATE.as_bytes()).unwrap());
        let scalar = BASE64.decode(P521_KEY.as_bytes()).unwrap();
        let key = Key(Arc::new(p521::ecdsa::SigningKey::from_slice(&scalar).unwrap()));
        let config = serving(CertifiedKey::new(vec![certificate], Arc::new(key)));
        let client = Pinned::from_base64(P521_CERTIFICATE).unwrap().client(None).unwrap();
        assert_eq!(connect(client, config).await, Ok(()));
    });
}

/// A framework in Python has such keys. No library at hand makes such signatures any more.
#[test]
fn a_short_key_of_rsa_is_known() {
    let [certificate, key, signature_256, signature_512] =
        [RSA_CERTIFICATE, RSA_KEY, RSA_SHA256_SIGNATURE, RSA_SHA512_SIGNATURE]
            .map(|text| BASE64.decode(text.as_bytes()).unwrap());
    assert!(RSA_SHA256.verify_signature(&key, b"message", &signature_256).is_ok());
    assert!(RSA_SHA512.verify_signature(&key, b"message", &signature_512).is_ok());
    assert!(RSA_SHA256.verify_signature(&key, b"massage", &signature_256).is_err());
    assert!(RSA_SHA512.verify_signature(&key, b"message", &signature_256).is_err());
    let pinned = Pinned::new(certificate.into()).unwrap();
    assert_eq!(pinned.schemes(), [SignatureScheme::RSA_PKCS1_SHA256, SignatureScheme::RSA_PKCS1_SHA512]);
    assert_eq!(pinned.versions(), [&rustls::version::TLS12]);
}

#[test]
fn what_is_no_certificate_is_told() {
    for text in ["", "MIIC", "not Base64!", &"MIIC".repeat(100)] {
        assert!(Pinned::from_base64(text).is_err(), "{text}");
        assert!(Pinned::from_pem(text).is_err(), "{text}");
    }
}

/// A certificate with a key on P-521, signed by itself.
const P521_CERTIFICATE: &str = "\
    MIIByjCCASugAwIBAgIBBzAKBggqhkjOPQQDBDAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMD\
    BaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDCBmzAQBgcqhkjOPQIBBgUrgQQAIwOBhgAEAAwgsIuR2QmZ6R/dSqpONnJWH86zMTR+KQxMBU9ozgiX\
    lJknTir/Qnm7DUHsTFckgJ7u6gMmTN8B3lalYyjLSOgcAKCp3bmfSbLDWH17UY7JVFjZAWWF1seZ82GLf4G4AqslT56ALIoyYA7VFsDXE4NmCc\
    PDXTmy216kjvI6GWAZRCdEoykwJzAPBgNVHRMBAf8EBTADAQH/MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAKBggqhkjOPQQDBAOBjAAwgYgCQgCj\
    9Js9pkKAipcx861AhhLW46qp3vxYwqAPGZ6Oe9oLEgwsX//8AIxkBYAFB9kBIOJV+wPGQ+QI4X41Z6YbUuqZEQJCAO2S8cJumvmXdEJix0XSPj\
    tlsuBw0ZwPzNlUjX49otwz5IRDr1YiejfBUMH3fc0JoJqU48UuNqgN4DZ0yvfVqZMZ";

/// Its key, which is good for nothing else.
const P521_KEY: &str = "\
    Aa7KWeUUds14A4KgoQX7qzyuBo5nc+n5Ymf/mn2wlzUsj73D46JxDzaLO93TrSYfuGefROP3eEEfCDX8kJHkOyWi";

/// A certificate with an RSA key of 1024 bits.
const RSA_CERTIFICATE: &str = "\
    MIIByTCCATKgAwIBAgIBBzANBgkqhkiG9w0BAQsFADAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMD\
    AwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEAyWVgyVJ2n5WnbpokweE8IjGnRAF3SC0WOsMa\
    oDz+zN4eTmWRJ6YDsZq0tLBDihIIFZRhv5OAqzWxw+o2xy0adPpxHgTCuk1y/gw6X76P2ARvYpNPLTAAPnrsyjwY6p2jUhXY8P5pwmBXpvogFC\
    QCL1N/DHYz/JUnVSSZ5j2rD5UCAwEAAaMpMCcwDwYDVR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwDQYJKoZIhvcNAQELBQAD\
    gYEAkk78YkgVxTXJEn9p8A0857CkrRDUxH2KqB+C2/SPKRn3/FqZqTnz/AbMl0BlDMrmJGwK09XFhEz9z92sDy5rEmrye3Tt1EXF1J/RjFMf8d\
    AIwM56lIyNcq4Gf7m0LG+Vagum8qe/tbOwPPSuTZRNlGKNJQCZno1PykqduhCBjLg=";

/// The public key in it.
const RSA_KEY: &str = "\
    MIGJAoGBAMllYMlSdp+Vp26aJMHhPCIxp0QBd0gtFjrDGqA8/szeHk5lkSemA7GatLSwQ4oSCBWUYb+TgKs1scPqNsctGnT6cR4EwrpNcv4MOl\
    ++j9gEb2KTTy0wAD567Mo8GOqdo1IV2PD+acJgV6b6IBQkAi9Tfwx2M/yVJ1UkmeY9qw+VAgMBAAE=";

/// Its signatures of `message`.
const RSA_SHA256_SIGNATURE: &str = "\
    C9FlgMmlDgODviAja1R1axZ86VZ2LP0YLvg7WzhKaBrgdWPpLHV5OjLlBfZzMH3mTPZlVA3hEG2Mp2XVvTsPQ+SLEYNF9+fL2WFE4c3r2se14h\
    rl9jpXDmitaWrjBeLFbkgt7VogBelktkNq6Dw7jTrCzotSEVL2ull3S7+AGnA=";

const RSA_SHA512_SIGNATURE: &str = "\
    EulYLhxOXwNBc/Ukc/9sAZtJ9NaZVTGiqRl6pcco8MfTnHSssycrQZb5hIWYQ03BX+G2iOR1GVS5ejjHukOp/D7zSUfyok6nE31G1K2GszIO5q\
    qWZEidL+h2D+2EYspECrXRrRwF2xunpjtw4trINdcAW1VGCncOiAhLBhwtMUs=";
