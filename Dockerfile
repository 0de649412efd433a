# smsim in a container: `docker build -t smsim .`, then `docker run --rm -v "$PWD:/work" -w /work smsim run launch.yaml`.
# The first stage runs the two commands of the README on a bare Debian and makes the Debian package; the second stage has only
# that package. scripts/check-fresh runs the RUN lines of both stages in roots made by debootstrap.
FROM debian:13 AS build
COPY . /smsim
WORKDIR /smsim
RUN scripts/run
RUN scripts/test
RUN scripts/package

FROM debian:13
COPY --from=build /smsim/build/smsim.deb /smsim.deb
RUN apt-get update
RUN apt-get install -y --no-install-recommends /smsim.deb clang
RUN smsim run /usr/share/smsim/kernels/compiled/cuda_matmul/launch_cu.yaml
RUN smsim run /usr/share/smsim/kernels/memory/vector_add/launch.yaml --report none -o /tmp/vector_add
RUN smsim report /tmp/vector_add -o /tmp/vector_add.html
RUN smsim-sweep --help
ENTRYPOINT ["smsim"]
