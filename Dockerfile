# hadolint global ignore=DL3008
# Versions are not pinned: Debian 12 keeps them stable, and its security updates are wanted.

# The programs are built where Swift is, and run where it is not: Swift's libraries are linked in.
FROM swift:6.3-bookworm AS build
RUN apt-get update \
  && apt-get install -y --no-install-recommends make \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /source
# The libraries, in a layer of their own that changes to the code do not touch.
COPY Makefile ./
COPY Scripts Scripts
RUN make setup && rm -rf /var/lib/apt/lists/*
COPY . .
RUN make build && strip build/enclosure build/enclosure-media

FROM debian:bookworm-slim
# The libraries that the programs are linked to, and the certificates that https is checked with.
RUN apt-get update \
  && apt-get install -y --no-install-recommends \
    ca-certificates \
    libavcodec59 \
    libavfilter8 \
    libavformat59 \
    libturbojpeg0 \
    libavutil57 \
    libcurl4 \
    libglib2.0-0 \
    libmicrohttpd12 \
    libnats3.4 \
    libsqlite3-0 \
    libssl3 \
    libstdc++6 \
    libswresample4 \
    libswscale6 \
    libvips42 \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin enclosure \
  && install -d -o enclosure -g enclosure /data
COPY --from=build /source/build/enclosure /source/build/enclosure-media /usr/local/bin/
# File names and messages are UTF-8.
ENV LANG=C.UTF-8
USER 10001:10001
WORKDIR /data
VOLUME /data
ENTRYPOINT ["enclosure"]
CMD ["--help"]
