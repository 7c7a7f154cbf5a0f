//! Encrypted connections between two sides that know each other's certificate beforehand.
//!
//! Each side makes a certificate for one connection and passes it to the other: in its environment, and in
//! the line of the handshake. No authority vouches for them: only that very certificate is right, from a peer
//! that has its key.

use std::sync::Arc;

use data_encoding::{BASE64, BASE64_NOPAD};
use p521::ecdsa::signature::Verifier as _;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};
use ring::signature::{
    RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY,
    RsaParameters, UnparsedPublicKey,
};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{
    AlgorithmIdentifier, CertificateDer, InvalidSignature, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName,
    SignatureVerificationAlgorithm, UnixTime, alg_id,
};
use rustls::server::ParsedCertificate;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName as Name, ServerConfig,
    SignatureScheme, SupportedProtocolVersion,
};

/// The name in every certificate.
pub(crate) const SERVER_NAME: &str = "localhost";

/// The protocol over the connection; some peers require it in ALPN.
const HTTP_2: &[u8] = b"h2";

/// The reason why a TLS connection is impossible.
pub(crate) type TlsError = Box<dyn std::error::Error + Send + Sync>;

/// A certificate and its key, made for one connection.
pub(crate) struct Identity {
    certificate: CertificateDer<'static>,
    key: Vec<u8>,
}

impl Identity {
    pub(crate) fn new() -> Result<Self, TlsError> {
        use {ExtendedKeyUsagePurpose as Purpose, KeyUsagePurpose as Usage};
        let key = KeyPair::generate()?;
        let mut parameters = CertificateParams::new([SERVER_NAME.to_owned()])?;
        let mut name = DistinguishedName::new();
        name.push(DnType::CommonName, SERVER_NAME);
        name.push(DnType::OrganizationName, "objchange");
        parameters.distinguished_name = name;
        // The certificate is its own authority, as those of go-plugin are. webpki rejects an authority at the end of a
        // chain, so a verifier of our own compares the bytes.
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.key_usages =
            vec![Usage::DigitalSignature, Usage::KeyEncipherment, Usage::KeyAgreement, Usage::KeyCertSign];
        parameters.extended_key_usages = vec![Purpose::ClientAuth, Purpose::ServerAuth];
        let certificate = parameters.self_signed(&key)?;
        Ok(Self { certificate: certificate.der().clone(), key: key.serialize_der() })
    }

    /// The certificate as a client's environment has it.
    pub(crate) fn pem(&self) -> String {
        let text = BASE64.encode(&self.certificate);
        let mut pem = "-----BEGIN CERTIFICATE-----\n".to_owned();
        for line in text.as_bytes().chunks(64) {
            pem.push_str(&String::from_utf8_lossy(line));
            pem.push('\n');
        }
        pem + "-----END CERTIFICATE-----\n"
    }

    /// The certificate as a server's handshake has it.
    pub(crate) fn base64(&self) -> String {
        // go-plugin writes base64 without padding.
        BASE64_NOPAD.encode(&self.certificate)
    }

    fn key(&self) -> PrivateKeyDer<'static> {
        PrivatePkcs8KeyDer::from(self.key.clone()).into()
    }
}

/// The one certificate that the other side may present.
#[derive(Debug)]
pub(crate) struct Pinned {
    certificate: CertificateDer<'static>,
    is_rsa: bool,
    provider: Arc<CryptoProvider>,
}

impl Pinned {
    /// Reads a certificate as a handshake has it.
    pub(crate) fn from_base64(text: &str) -> Result<Self, TlsError> {
        Self::new(BASE64_NOPAD.decode(text.trim_end_matches('=').as_bytes())?.into())
    }

    /// Reads a certificate as an environment has it.
    pub(crate) fn from_pem(text: &str) -> Result<Self, TlsError> {
        Self::new(CertificateDer::from_pem_slice(text.as_bytes())?)
    }

    fn new(certificate: CertificateDer<'static>) -> Result<Self, TlsError> {
        let key = ParsedCertificate::try_from(&certificate)?.subject_public_key_info();
        // The name of the algorithm follows the heads of two sequences (RFC 5280, SubjectPublicKeyInfo), which are shorter
        // than 16 bytes together.
        let is_rsa =
            key.windows(alg_id::RSA_ENCRYPTION.len()).take(16).any(|at| at == &*alg_id::RSA_ENCRYPTION);
        Ok(Self { certificate, is_rsa, provider: Arc::new(rustls::crypto::ring::default_provider()) })
    }

    /// A short RSA key, which some frameworks make, can sign only as TLS 1.2 has it.
    fn versions(&self) -> &'static [&'static SupportedProtocolVersion] {
        static TLS_12: [&SupportedProtocolVersion; 1] = [&rustls::version::TLS12];
        // TLS 1.3 has no PKCS #1 signatures, which are all that a 1024-bit key of RSA is used with here.
        if self.is_rsa { &TLS_12 } else { rustls::ALL_VERSIONS }
    }

    /// How to connect to a server with this certificate.
    pub(crate) fn client(self, own: Option<&Identity>) -> Result<ClientConfig, TlsError> {
        let builder = ClientConfig::builder_with_provider(self.provider.clone())
            .with_protocol_versions(self.versions())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(self));
        let mut config = match own {
            Some(own) => builder.with_client_auth_cert(vec![own.certificate.clone()], own.key())?,
            None => builder.with_no_client_auth(),
        };
        config.alpn_protocols = vec![HTTP_2.to_vec()];
        Ok(config)
    }

    /// How to serve a client with this certificate, and no other.
    pub(crate) fn server(self, own: &Identity) -> Result<ServerConfig, TlsError> {
        let mut config = ServerConfig::builder_with_provider(self.provider.clone())
            .with_protocol_versions(self.versions())?
            .with_client_cert_verifier(Arc::new(self))
            .with_single_cert(vec![own.certificate.clone()], own.key())?;
        config.alpn_protocols = vec![HTTP_2.to_vec()];
        Ok(config)
    }

    fn check(&self, presented: &CertificateDer<'_>) -> Result<(), rustls::Error> {
        if *presented == self.certificate {
            return Ok(());
        }
        Err(CertificateError::ApplicationVerificationFailure.into())
    }

    fn algorithms(&self, scheme: SignatureScheme) -> &WebPkiSupportedAlgorithms {
        // ring verifies neither P-521, which go-plugin uses, nor RSA below 2048 bits.
        let is_own = OWN.mapping.iter().any(|(own, _)| *own == scheme);
        if is_own { &OWN } else { &self.provider.signature_verification_algorithms }
    }

    fn schemes(&self) -> Vec<SignatureScheme> {
        let own = OWN.supported_schemes();
        // From this list a peer with an RSA key must take PKCS #1. The algorithms of ring refuse keys below 2048 bits,
        // also for PSS, and `OWN` takes them.
        if self.is_rsa {
            return own
                .into_iter()
                .filter(|scheme| *scheme != SignatureScheme::ECDSA_NISTP521_SHA512)
                .collect();
        }
        let mut schemes = self.provider.signature_verification_algorithms.supported_schemes();
        schemes.extend(own);
        schemes
    }

    fn signed_12(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls12_signature(message, certificate, signed, self.algorithms(signed.scheme))
    }

    fn signed_13(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls13_signature(message, certificate, signed, self.algorithms(signed.scheme))
    }
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        // Names, chains and dates add nothing: these must be the very bytes of the handshake.
        self.check(end_entity).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.signed_12(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.signed_13(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes()
    }
}

impl ClientCertVerifier for Pinned {
    // No authority vouches for the client, and a client without a hint sends the one certificate that it has.
    fn root_hint_subjects(&self) -> &[Name] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        self.check(end_entity).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.signed_12(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.signed_13(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes()
    }
}

/// The signatures that providers make and the cryptographic library does not check: programs in Go have a key on the curve
/// P-521, and some in Python a short one of RSA.
static OWN: WebPkiSupportedAlgorithms = WebPkiSupportedAlgorithms {
    all: &[&P521Sha512, RSA_SHA256, RSA_SHA512],
    mapping: &[
        (SignatureScheme::ECDSA_NISTP521_SHA512, &[&P521Sha512]),
        (SignatureScheme::RSA_PKCS1_SHA256, &[RSA_SHA256]),
        (SignatureScheme::RSA_PKCS1_SHA512, &[RSA_SHA512]),
    ],
};

static RSA_SHA256: &Rsa = &Rsa(&RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, alg_id::RSA_PKCS1_SHA256);
static RSA_SHA512: &Rsa = &Rsa(&RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY, alg_id::RSA_PKCS1_SHA512);

#[derive(Debug)]
struct P521Sha512;

impl SignatureVerificationAlgorithm for P521Sha512 {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        let key = p521::ecdsa::VerifyingKey::from_sec1_bytes(public_key).map_err(|_| InvalidSignature)?;
        let signature = p521::ecdsa::Signature::from_der(signature).map_err(|_| InvalidSignature)?;
        key.verify(message, &signature).map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::ECDSA_P521
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::ECDSA_SHA512
    }
}

#[derive(Debug)]
struct Rsa(&'static RsaParameters, AlgorithmIdentifier);

impl SignatureVerificationAlgorithm for Rsa {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        UnparsedPublicKey::new(self.0, public_key).verify(message, signature).map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::RSA_ENCRYPTION
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.1
    }
}

#[cfg(test)]
mod tests;
