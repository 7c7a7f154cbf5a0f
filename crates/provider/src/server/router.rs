//! Finds the call that the path of a request names.

use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::Incoming;
use prost::Message;
use tokio::sync::Notify;
use tonic::body::Body;
use tonic::server::Grpc;
use tonic::{Code, Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;

use super::{answers as a, services as s, stores as t};
use crate::wire::{MAX_MESSAGE, Method, Protocol, plugin};
use crate::{Error, ErrorKind, Provider, ProviderExt, Result, Schemas};

type Reply = http::Response<Body>;
type Answering<A> = Pin<Box<dyn Future<Output = Result<A>> + Send>>;
type Replying = Pin<Box<dyn Future<Output = Reply> + Send>>;

/// An asynchronous function as a plain one of a nameable type: the compiler cannot prove otherwise that its
/// future is `Send`.
macro_rules! boxed {
    ($answer:path) => {
        |asked, question| Box::pin($answer(asked, question))
    };
}

/// The provider, and the signal to end.
#[derive(Clone)]
pub(super) struct Router {
    provider: Arc<dyn Provider>,
    ended: Arc<Notify>,
}

/// The provider and its schemas, which each answer needs.
pub(super) struct CallContext {
    pub(super) provider: Arc<dyn Provider>,
    pub(super) schemas: Arc<Schemas>,
}

impl Router {
    pub(super) fn new(provider: Arc<dyn Provider>, ended: Arc<Notify>) -> Self {
        Self { provider, ended }
    }

    pub(super) fn answer(self, request: http::Request<Incoming>) -> Replying {
        let path = request.uri().path();
        if path == "/plugin.GRPCController/Shutdown" {
            // The program may end before this answer is sent. go-plugin's client ignores that error.
            self.ended.notify_one();
            return Box::pin(unary(self.provider, request, boxed!(shutdown)));
        }
        match Method::of_path(path) {
            Some((method, protocol)) => self.call(method, protocol, request),
            None => Box::pin(ready(no_such_call())),
        }
    }

    fn call(self, method: Method, protocol: Protocol, request: http::Request<Incoming>) -> Replying {
        let provider = self.provider;
        match method {
            Method::SCHEMA if protocol == Protocol::V5 => {
                Box::pin(unary(provider, request, boxed!(a::schemas_5)))
            }
            Method::SCHEMA => Box::pin(unary(provider, request, boxed!(a::schemas))),
            Method::IDENTITY_SCHEMAS => Box::pin(unary(provider, request, boxed!(a::identity_schemas))),
            Method::VALIDATE_PROVIDER => Box::pin(unary(provider, request, boxed!(a::validate_provider))),
            Method::VALIDATE_RESOURCE => Box::pin(unary(provider, request, boxed!(a::validate_resource))),
            Method::VALIDATE_DATA => Box::pin(unary(provider, request, boxed!(a::validate_data))),
            Method::VALIDATE_EPHEMERAL => Box::pin(unary(provider, request, boxed!(a::validate_ephemeral))),
            Method::VALIDATE_LIST => Box::pin(unary(provider, request, boxed!(a::validate_list))),
            Method::VALIDATE_ACTION => Box::pin(unary(provider, request, boxed!(a::validate_action))),
            Method::UPGRADE => Box::pin(unary(provider, request, boxed!(a::upgrade))),
            Method::UPGRADE_IDENTITY => Box::pin(unary(provider, request, boxed!(a::upgrade_identity))),
            Method::CONFIGURE => Box::pin(unary(provider, request, boxed!(a::configure))),
            Method::READ => Box::pin(unary(provider, request, boxed!(a::read))),
            Method::PLAN => Box::pin(unary(provider, request, boxed!(a::plan))),
            Method::APPLY => Box::pin(unary(provider, request, boxed!(a::apply))),
            Method::IMPORT => Box::pin(unary(provider, request, boxed!(a::import))),
            Method::MOVE => Box::pin(unary(provider, request, boxed!(a::move_state))),
            Method::GENERATE => Box::pin(unary(provider, request, boxed!(a::generate_config))),
            Method::READ_DATA => Box::pin(unary(provider, request, boxed!(a::read_data))),
            Method::OPEN => Box::pin(unary(provider, request, boxed!(s::open))),
            Method::RENEW => Box::pin(unary(provider, request, boxed!(s::renew))),
            Method::CLOSE => Box::pin(unary(provider, request, boxed!(s::close))),
            Method::LIST => Box::pin(stream(provider, request, boxed!(s::list))),
            Method::FUNCTIONS => Box::pin(unary(provider, request, boxed!(a::functions))),
            Method::CALL_FUNCTION => Box::pin(unary(provider, request, boxed!(s::call_function))),
            Method::PLAN_ACTION => Box::pin(unary(provider, request, boxed!(s::plan_action))),
            Method::INVOKE_ACTION => Box::pin(stream(provider, request, boxed!(s::invoke_action))),
            Method::STOP => Box::pin(unary(provider, request, boxed!(s::stop))),
            Method::METADATA if protocol == Protocol::V5 => {
                Box::pin(unary(provider, request, boxed!(t::metadata_5)))
            }
            Method::METADATA => Box::pin(unary(provider, request, boxed!(t::metadata))),
            Method::VALIDATE_STORE => Box::pin(unary(provider, request, boxed!(a::validate_store))),
            Method::CONFIGURE_STORE => Box::pin(unary(provider, request, boxed!(t::configure))),
            Method::READ_STATE => Box::pin(stream(provider, request, boxed!(t::read))),
            Method::WRITE_STATE => Box::pin(upload(provider, request, boxed!(t::write))),
            Method::LOCK_STATE => Box::pin(unary(provider, request, boxed!(t::lock))),
            Method::UNLOCK_STATE => Box::pin(unary(provider, request, boxed!(t::unlock))),
            Method::STATES => Box::pin(unary(provider, request, boxed!(t::states))),
            Method::DELETE_STATE => Box::pin(unary(provider, request, boxed!(t::delete))),
            _ => Box::pin(ready(no_such_call())),
        }
    }
}

fn no_such_call() -> Reply {
    Status::unimplemented("there is no such call").into_http()
}

async fn shutdown(_: CallContext, _: plugin::Empty) -> Result<plugin::Empty> {
    Ok(plugin::Empty {})
}

async fn unary<Q, A>(
    provider: Arc<dyn Provider>,
    request: http::Request<Incoming>,
    answer: fn(CallContext, Q) -> Answering<A>,
) -> Reply
where
    Q: Message + Default + 'static,
    A: Message + 'static,
{
    let codec: ProstCodec<A, Q> = ProstCodec::default();
    let mut grpc =
        Grpc::new(codec).max_decoding_message_size(MAX_MESSAGE).max_encoding_message_size(MAX_MESSAGE);
    grpc.unary(Handler { provider, answer, reply: |answer| answer }, request).await
}

async fn stream<Q, A>(
    provider: Arc<dyn Provider>,
    request: http::Request<Incoming>,
    answer: fn(CallContext, Q) -> Answering<Vec<A>>,
) -> Reply
where
    Q: Message + Default + 'static,
    A: Message + 'static,
{
    let codec: ProstCodec<A, Q> = ProstCodec::default();
    let mut grpc = Grpc::new(codec).max_decoding_message_size(MAX_MESSAGE);
    let reply = |events: Vec<A>| tokio_stream::iter(events.into_iter().map(Ok as fn(A) -> _));
    grpc.server_streaming(Handler { provider, answer, reply }, request).await
}

/// Many messages, one answer.
async fn upload<Q, A>(
    provider: Arc<dyn Provider>,
    request: http::Request<Incoming>,
    answer: fn(CallContext, Vec<Q>) -> Answering<A>,
) -> Reply
where
    Q: Message + Default + 'static,
    A: Message + 'static,
{
    let codec: ProstCodec<A, Q> = ProstCodec::default();
    let mut grpc = Grpc::new(codec).max_decoding_message_size(MAX_MESSAGE);
    grpc.client_streaming(Upload { provider, answer }, request).await
}

/// The most messages that are taken of one upload.
const MAX_CHUNKS: usize = 1 << 20;

struct Upload<Q, A> {
    provider: Arc<dyn Provider>,
    answer: fn(CallContext, Vec<Q>) -> Answering<A>,
}

impl<Q: Message + 'static, A: 'static> tower_service::Service<Request<Streaming<Q>>> for Upload<Q, A> {
    type Response = Response<A>;
    type Error = Status;
    type Future = Pin<Box<dyn Future<Output = Result<Response<A>, Status>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Streaming<Q>>) -> Self::Future {
        let (provider, answer) = (self.provider.clone(), self.answer);
        Box::pin(async move {
            let (mut stream, mut all, mut bytes) = (request.into_inner(), Vec::new(), 0);
            while let Some(message) = stream.message().await? {
                bytes += message.encoded_len();
                all.push(message);
                if bytes > MAX_MESSAGE || all.len() > MAX_CHUNKS {
                    return Err(Status::resource_exhausted("more is sent than can be taken"));
                }
            }
            let schemas = provider.schemas().await.map_err(|error| status(&error))?;
            let answer = answer(CallContext { provider, schemas }, all).await;
            answer.map(Response::new).map_err(|error| status(&error))
        })
    }
}

/// A call in the form of a service of the transport.
struct Handler<Q, A, R> {
    provider: Arc<dyn Provider>,
    answer: fn(CallContext, Q) -> Answering<A>,
    /// Converts the answer for sending: unchanged, or to a stream of its parts.
    reply: fn(A) -> R,
}

impl<Q: Send + 'static, A: 'static, R: 'static> tower_service::Service<Request<Q>> for Handler<Q, A, R> {
    type Response = Response<R>;
    type Error = Status;
    type Future = Pin<Box<dyn Future<Output = Result<Response<R>, Status>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Q>) -> Self::Future {
        let (provider, answer, reply) = (self.provider.clone(), self.answer, self.reply);
        Box::pin(async move {
            let schemas = provider.schemas().await.map_err(|error| status(&error))?;
            let answer = answer(CallContext { provider, schemas }, request.into_inner()).await;
            answer.map(|answer| Response::new(reply(answer))).map_err(|error| status(&error))
        })
    }
}

/// An error in the form of the transport.
fn status(error: &Error) -> Status {
    match error.kind() {
        ErrorKind::Unimplemented => Status::unimplemented("this provider does not have that call"),
        ErrorKind::Status { code: "Unknown", message } => Status::unknown(message),
        ErrorKind::Status { code: "Unavailable", message } => Status::unavailable(message),
        ErrorKind::Status { message, .. } => Status::internal(message),
        ErrorKind::UnknownName { .. } | ErrorKind::WrongValue { .. } => {
            Status::new(Code::InvalidArgument, error.to_string())
        }
        _ => Status::internal(error.to_string()),
    }
}
