# The digests are those of rust:1.98.0-alpine3.24 and alpine:3.24.1 on Docker Hub, for all architectures.
FROM rust:1.98.0-alpine3.24@sha256:a10e64dd139b7387337c7fbe8aca31b959b57b2fd4c8ae20a02cf1d6ea424dce AS build
RUN apk add --no-cache build-base
WORKDIR /src
COPY . .
# `objchange --version` names it; there is no `.git` here.
ARG OBJCHANGE_COMMIT
RUN cargo build --release --locked --package objchange-cli --features full

# With a shell, curl and jq, for jobs that post comments.
FROM alpine:3.24.1@sha256:28bd5fe8b56d1bd048e5babf5b10710ebe0bae67db86916198a6eec434943f8b
RUN apk add --no-cache ca-certificates curl jq \
    && adduser -D -u 1000 objchange \
    && install -d -o objchange -g objchange /work
COPY --from=build /src/target/release/objchange /usr/local/bin/objchange
WORKDIR /work
# As a number, which Kubernetes needs to see that this is not root.
USER 1000:1000
ENTRYPOINT ["objchange"]
