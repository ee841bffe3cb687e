# The service with Chromium, ffmpeg and the dashboard: `docker build -t emissary:0.1.0 .`, for amd64 and arm64. docs/containers.md says how to run it.
ARG DEBIAN=bookworm

# npm, the sources and everything that is built from them. `--target build` has npm, which `emissary zoom install` needs.
FROM node:24-${DEBIAN}-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
COPY scripts/tidy-packages.mjs scripts/
# The Node of the lock file replaces that of the base image, so both stages run the same one.
RUN npm ci --omit=dev --include=optional --ignore-scripts --no-audit --no-fund \
  && node --input-type=module -e "import { tidyPackages } from '/app/scripts/tidy-packages.mjs'; tidyPackages('/app/node_modules')" \
  && cp -L node_modules/.bin/node /usr/local/bin/node
COPY bin bin
COPY src src
COPY web web
COPY scripts/compile.ts scripts/web-client.ts scripts/

# Weights of the speech recogniser, 63 MB. Without them the provider `native` fails and the others work.
ARG SPEECH_MODELS=true
RUN mkdir models && if [ "$SPEECH_MODELS" = true ]; then MODELS_DIR=/app/models node src/cli.ts models install; fi

# Packages that only the dashboard and its generated client need are in its build.
RUN node scripts/web-client.ts && node node_modules/vite/bin/vite.js build web --config web/vite.config.ts \
  && npm uninstall --no-save --omit=dev --ignore-scripts --no-audit --no-fund \
    @hey-api/openapi-ts @tailwindcss/vite @tanstack/react-query @tanstack/react-router @tanstack/react-virtual \
    media-chrome react react-dom tailwindcss typescript vite wavesurfer.js \
  && rm -rf node_modules/.bin node_modules/.cache node_modules/node-linux-*

# Node keeps compiled code by the user's id, so that user compiles it: a start takes half the time.
RUN useradd --uid 10001 --user-group --create-home emissary && install -d -o emissary node_modules/.cache
USER emissary
RUN node scripts/compile.ts && node -e "require('node:module').enableCompileCache('/app/node_modules/.cache/emissary'); import('/app/src/service/main.ts')" \
  && chmod -R a+rX node_modules/.cache

FROM debian:${DEBIAN}-slim
# Others may pass through /data but not list it: workers with users of their own write their recordings below it.
# chromium-sandbox, the setuid helper, is left out: it needs CAP_SYS_ADMIN. Chromium uses user namespaces, which ops/docker/seccomp.json allows.
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    ca-certificates chromium espeak-ng ffmpeg flite fonts-liberation tini xdotool xvfb \
  && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/* \
  && useradd --uid 10001 --user-group --create-home emissary \
  && install -d -o emissary -g emissary -m 0711 /data
COPY --from=build /usr/local/bin/node /usr/local/bin/
COPY --from=build /app/package.json /app/
COPY --from=build /app/bin /app/bin
COPY --from=build /app/models /app/models
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build /app/src /app/src
COPY --from=build /app/web/dist /app/web/dist
COPY LICENSE /app/
RUN ln -s /app/bin/emissary.mjs /usr/local/bin/emissary

ENV HOST=0.0.0.0 PORT=4000 DATA_DIR=/data MODELS_DIR=/app/models LOG_FORMAT=json
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 4000
# Liveness only: a database outage is no reason to restart a container whose bots are in meetings.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# tini reaps browsers whose worker was killed. It forwards SIGTERM to the service, which drains.
ENTRYPOINT ["/usr/bin/tini", "--", "emissary"]
CMD ["serve"]
