# hookline as a container: `docker build -t hookline .`, then
#
#   docker run --network host -v hookline:/data --restart on-failure hookline
#
# The network is the host's, because the listener answers on its 127.0.0.1 and nowhere else: a published port would not reach it. /data has
# accounts, hooks and journals, and belongs to the user of the container. docs/service.md has the rest.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
# Nothing that is installed runs a script of its own.
RUN npm ci --ignore-scripts
COPY . .
# The commit, where the context has no .git: `hookline --version --json` prints it.
ARG HOOKLINE_COMMIT=
ENV HOOKLINE_COMMIT=$HOOKLINE_COMMIT
RUN npm run build && npm run build:types && npm pack --ignore-scripts --pack-destination /tmp

FROM node:24-bookworm-slim
COPY --from=build /tmp/hookline-*.tgz /tmp/hookline.tgz
RUN npm install --global --ignore-scripts /tmp/hookline.tgz && rm /tmp/hookline.tgz \
    && install --directory --owner=node --group=node --mode=0700 /data
USER node
ENV HOOKLINE_CONFIG_DIR=/data
VOLUME /data
# The listener ends by itself at SIGTERM, which Node takes as process 1 too, because hookline handles it.
ENTRYPOINT ["hookline"]
CMD ["listen"]
HEALTHCHECK --interval=30s --timeout=3s CMD ["node", "-e", "fetch('http://127.0.0.1:53219/health').then((r) => r.json()).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
