# An image that serves a model: docker build --tag restwright .
# The guide is docs/guides/docker.md.

ARG NODE_IMAGE=node:26-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image has Node.js, which a checkout installs as an optional dependency. The C sources are for platforms without a prebuilt file.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && rm -rf node_modules/better-sqlite3/deps
# Optional packages, such as the client of a message broker: --build-arg PACKAGES="@redis/client@6.3.1".
ARG PACKAGES
RUN test -z "$PACKAGES" || npm install --no-save --save-prod --omit=dev --omit=optional --ignore-scripts $PACKAGES

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console console
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
COPY store-suite store-suite
RUN node scripts/build.ts && node scripts/console.ts

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    RESTWRIGHT_HOST=0.0.0.0 \
    RESTWRIGHT_PORT=3000 \
    RESTWRIGHT_DATABASE=/data/{name}.db
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/console/dist console/dist
COPY package.json LICENSE ./
COPY bin bin
# A new volume has the owner of this folder.
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.RESTWRIGHT_PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/bin/restwright.js"]
CMD ["help"]
