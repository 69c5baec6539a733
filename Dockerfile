# devlint in a container: docker build -t devlint . && docker run --rm -v "$PWD:/code" devlint check
# BASE is any image with Python 3.10 or later.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
COPY . /source
RUN python3 -m venv /opt/devlint && /opt/devlint/bin/python -m pip install --no-cache-dir /source

FROM ${BASE}
COPY --from=build /opt/devlint /opt/devlint
ENV PATH="/opt/devlint/bin:${PATH}" DEVLINT_CACHE_DIR="/tmp/devlint_cache"
WORKDIR /code
USER 1000
ENTRYPOINT ["devlint"]
CMD ["check"]
