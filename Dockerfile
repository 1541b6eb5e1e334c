# hydra-server (and the hydra client, for `helm test`) on Debian 12.
#
#   docker build -t hydra:0.1.0 .
#   docker run --rm --read-only --tmpfs /tmp -v "$PWD/bundle:/bundle:ro" -v hydra-state:/var/lib/hydra \
#     -p 8001:8001 -p 8002:8002 hydra:0.1.0

FROM debian:bookworm-slim AS build
# The programs find LibTorch by the path they were linked against, so it lies where the runtime stage keeps it.
ENV HYDRA_DEPS_DIR=/opt/hydra LIBTORCH_ROOT=
WORKDIR /src
COPY deploy/setup.sh deploy/setup.sh
COPY model/text/tokenizer_ffi model/text/tokenizer_ffi
RUN deploy/setup.sh --build-only
COPY . .
RUN cmake --preset release -DBUILD_TESTING=OFF -DLIBTORCH_ROOT=/opt/hydra/libtorch \
 && cmake --build build/release --target hydra-server hydra \
 && strip build/release/bin/hydra-server build/release/bin/hydra
# The wheel's layout is kept: libtorch_cpu.so finds its neighbours by paths relative to itself.
WORKDIR /opt/hydra/libtorch
RUN mkdir -p /runtime/torch/lib /runtime/nvidia/cu13/lib \
 && cp torch/lib/libc10.so torch/lib/libtorch_cpu.so torch/lib/libgomp.so.1 /runtime/torch/lib/ \
 && cp nvidia/cu13/lib/libcudart.so.13 nvidia/cu13/lib/libcupti.so.13 /runtime/nvidia/cu13/lib/

FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends libgrpc++1.51 libprotobuf32 libabsl20220623 libyaml-cpp0.7 \
      libprometheus-cpp-core1.0 libturbojpeg0 libspng0 libcpp-httplib0.11 libspdlog1.10 libssl3 zlib1g \
      ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 hydra \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin hydra \
 && install -d -o 10001 -g 10001 -m 0750 /var/lib/hydra
COPY --from=build /runtime /opt/hydra/libtorch
COPY --from=build /src/build/release/bin/hydra-server /src/build/release/bin/hydra /usr/local/bin/
COPY deploy/config/container.yaml /etc/hydra/server.yaml
COPY LICENSE /usr/share/doc/hydra/LICENSE
USER 10001:10001
# A missing shared library fails the build, not the first start.
RUN ["/usr/local/bin/hydra-server", "--version"]
VOLUME /var/lib/hydra
EXPOSE 8001 8002
HEALTHCHECK NONE
ENTRYPOINT ["/usr/local/bin/hydra-server"]
CMD ["--config", "/etc/hydra/server.yaml"]
