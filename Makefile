# make build    both programs, as build/enclosure and build/enclosure-media (the default)
# make install  put both programs into PREFIX/bin, /usr/local/bin by default, below DESTDIR if that is given
# make run      build, prepare Fixtures/media, or DIR=…, into build/out, and write build/out/report.html
# make test     build and run all tests
# make lint     check the code's format
# make ladder   check which targets import what
# make bench    build, and measure against what people use today
# make bench-network  the same for downloads: small files, slow servers, long videos
# make torture  build, kill workers, helpers and NATS servers at random while they work on 1,000 jobs, and end one in order
# make soak     build, and run 20,000 jobs through one worker
# make bench-worker  build, and measure what the worker adds to the work
# make setup    install what building needs, if it is missing; everything but ladder begins with it
# make clean    remove everything that was built
# make help     this list

DIR ?= Fixtures/media
OUT ?= build/out
PREFIX ?= /usr/local

# Debian packages: what Swift itself needs to start and to link, the libraries, and what the tests need besides.
# Dockerfile and CI use these lists too.
BUILD_PACKAGES = binutils libc6-dev libstdc++-12-dev libcurl4 libncurses6 libsqlite3-0 libxml2 pkg-config \
  libvips-dev libavfilter-dev libavformat-dev libavcodec-dev libavutil-dev libswscale-dev libswresample-dev \
  libturbojpeg0-dev libcurl4-openssl-dev libglib2.0-dev libssl-dev libsqlite3-dev libmicrohttpd-dev \
  libnats-dev
TEST_PACKAGES = chromium ffmpeg nats-server nginx-light openssl python3 python3-venv

# Swift's own libraries are linked in, so that the programs run where there is no Swift.
RELEASE = -c release --static-swift-stdlib

.PHONY: build install run test lint ladder bench bench-network bench-worker torture soak setup setup-tests clean help
.DEFAULT_GOAL = build

build: setup
	swift build $(RELEASE) --product enclosure
	swift build $(RELEASE) --product enclosure-media
	@mkdir -p build
	@bin="$$(swift build $(RELEASE) --show-bin-path)" && \
	  install -m 755 "$$bin/enclosure" "$$bin/enclosure-media" build/

# Builds only what is missing: under sudo there may be no Swift.
install:
	@[ -x build/enclosure ] && [ -x build/enclosure-media ] || $(MAKE) build
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 build/enclosure build/enclosure-media "$(DESTDIR)$(PREFIX)/bin/"

run: build
	build/enclosure batch "$(DIR)" --out "$(OUT)" --report "$(OUT)/report.html"

# The tests of a run start all at once, so the targets run one after the other: TESTS=MediaTests for one of them.
TESTS = $(notdir $(wildcard Tests/*Tests)) EndToEnd

test: setup-tests
	swift build --build-tests
	@failed=; for target in $(TESTS); do \
	  echo "── $$target"; \
	  swift test --skip-build --filter "^$$target\." || failed="$$failed $$target"; \
	done; \
	[ -z "$$failed" ] || { echo "Failed:$$failed" >&2; exit 1; }

lint: setup
	swift format lint --strict --recursive Sources Tests Examples Package.swift

ladder:
	.ci/ladder --self-test
	.ci/ladder

bench: build
	python3 Tests/Benchmarks/photos.py
	python3 Tests/Benchmarks/posters.py build/enclosure-media
	python3 Tests/Benchmarks/encode.py
	python3 Tests/Benchmarks/remux.py

bench-network: build
	python3 Tests/Benchmarks/network.py
	python3 Tests/Benchmarks/early_verdict.py

torture: build setup-tests
	python3 Tests/Torture/torture.py
	python3 Tests/Torture/torture.py --nats
	python3 Tests/Torture/graceful.py

soak: build
	python3 Tests/Torture/soak.py

bench-worker: build setup-tests
	swift build $(RELEASE) --product QueueBenchmark
	@install -m 755 "$$(swift build $(RELEASE) --show-bin-path)/QueueBenchmark" build/queue-benchmark
	python3 Tests/Benchmarks/worker.py
	python3 Tests/Benchmarks/worker.py --queue nats

setup:
	@Scripts/setup $(BUILD_PACKAGES)

setup-tests:
	@Scripts/setup $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@Scripts/setup-python build/python Tests/Servers/requirements.txt

clean:
	rm -rf build .build

help:
	@sed -n 's/^# //; /^make /p; /^$$/q' Makefile
