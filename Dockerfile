FROM rust:1-alpine AS build
RUN apk add --no-cache build-base
WORKDIR /src
COPY . .
RUN cargo build --release --locked --package objchange-cli --features full

# With a shell, curl and jq, for jobs that post comments.
FROM alpine:3
RUN apk add --no-cache ca-certificates curl jq
COPY --from=build /src/target/release/objchange /usr/local/bin/objchange
WORKDIR /work
ENTRYPOINT ["objchange"]
