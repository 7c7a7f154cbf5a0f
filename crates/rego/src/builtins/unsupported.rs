//! Functions that exist in OPA but not here: policies that call them are refused.

use super::{Builtin, Types};

const S: Types = Types::STRING;
const O: Types = Types::OBJECT;
const SO: Types = Types::STRING.or(Types::OBJECT);

const CERTIFICATES: &str = "certificates and keys are not read";
const GRAPHQL: &str = "GraphQL is not read";
const SIGNATURES: &str = "signatures with public keys are not verified";
const TEMPLATES: &str = "Go's text templates are not evaluated; use sprintf";

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::unsupported("providers.aws.sign_req", &[O, O, Types::NUMBER], "requests are not signed"),
    Builtin::unsupported("graphql.is_valid", &[SO, SO], GRAPHQL),
    Builtin::unsupported("graphql.parse", &[SO, SO], GRAPHQL),
    Builtin::unsupported("graphql.parse_and_verify", &[SO, SO], GRAPHQL),
    Builtin::unsupported("graphql.parse_query", &[S], GRAPHQL),
    Builtin::unsupported("graphql.parse_schema", &[S], GRAPHQL),
    Builtin::unsupported("graphql.schema_is_valid", &[SO], GRAPHQL),
    Builtin::unsupported("crypto.parse_private_keys", &[S], CERTIFICATES),
    Builtin::unsupported("crypto.x509.parse_and_verify_certificates", &[S], CERTIFICATES),
    Builtin::unsupported("crypto.x509.parse_and_verify_certificates_with_options", &[S, O], CERTIFICATES),
    Builtin::unsupported("crypto.x509.parse_certificate_request", &[S], CERTIFICATES),
    Builtin::unsupported("crypto.x509.parse_certificates", &[S], CERTIFICATES),
    Builtin::unsupported("crypto.x509.parse_keypair", &[S, S], CERTIFICATES),
    Builtin::unsupported("crypto.x509.parse_rsa_private_key", &[S], CERTIFICATES),
    Builtin::unsupported("io.jwt.encode_sign", &[O, O, O], "tokens are not signed"),
    Builtin::unsupported("io.jwt.encode_sign_raw", &[S, S, S], "tokens are not signed"),
    Builtin::unsupported("io.jwt.verify_eddsa", &[S, S], SIGNATURES),
    Builtin::unsupported("io.jwt.verify_es256", &[S, S], SIGNATURES),
    Builtin::unsupported("io.jwt.verify_es384", &[S, S], SIGNATURES),
    Builtin::unsupported("io.jwt.verify_es512", &[S, S], SIGNATURES),
    Builtin::unsupported("io.jwt.verify_ps256", &[S, S], SIGNATURES),
    Builtin::unsupported("io.jwt.verify_ps384", &[S, S], SIGNATURES),
    Builtin::unsupported("io.jwt.verify_ps512", &[S, S], SIGNATURES),
    Builtin::unsupported("io.jwt.verify_rs256", &[S, S], SIGNATURES),
    Builtin::unsupported("io.jwt.verify_rs384", &[S, S], SIGNATURES),
    Builtin::unsupported("io.jwt.verify_rs512", &[S, S], SIGNATURES),
    Builtin::unsupported("strings.render_template", &[S, O], TEMPLATES),
    Builtin::unsupported("rego.parse_module", &[S, S], "policies are not data"),
];
