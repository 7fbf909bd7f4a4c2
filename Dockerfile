# Not built where this file was written: no Docker daemon runs there. The main command was run without a container instead,
# in a fresh clone with Python 3.11 and the versions of constraints.txt.
#
# docker build --tag crosslit .     installs the versions of constraints.txt and runs the README's main command
# docker run --rm crosslit          runs the main command again
# docker run --rm crosslit test     runs the README's test command, which installs 1 GB first
FROM python:3.13-slim-trixie

# a C compiler for the kernel, git for tests that clone, Chromium for the tests of pages
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev git chromium chromium-driver \
    && rm -rf /var/lib/apt/lists/*

ENV PIP_ONLY_BINARY=:all: PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /crosslit
COPY . .

# `main` and `test` are the two commands of the README, taken from it
RUN for name in main test; do \
      { echo 'cd /crosslit && {'; \
        sed -n "/^<!-- $name command -->\$/,/^\`\`\`\$/p" README.md | sed '1,2d;$d'; \
        echo '}'; } >"/usr/local/bin/crosslit-$name" && chmod +x "/usr/local/bin/crosslit-$name"; \
    done \
    && sh /usr/local/bin/crosslit-main

ENTRYPOINT ["/bin/sh", "-c", "exec sh /usr/local/bin/crosslit-${1:-main}", "sh"]
