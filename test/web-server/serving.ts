// A web server of the test's own on a free port, over real files in temporary directories, and a client that says what it is told to.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { RawClient } from '../../harness/wire/raw-http.ts'
import { assetsIn } from '../../src/web-server/assets.ts'
import { startWebServer, type WebServer } from '../../src/web-server/web-server.ts'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Ask {
  /** Default GET. */
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  /** Default none. */
  readonly body?: string | Buffer
}

export interface Serving {
  readonly server: WebServer
  /** The config directory. */
  readonly directory: string
  readonly refused: string[]
  readonly failures: Error[]
  /** One request on a connection of its own. `path` goes out as it is. */
  ask(path: string, ask?: Ask): Promise<Answer>
  /** As `ask`, with JSON and its content type. */
  send(method: 'POST' | 'PATCH', path: string, value: unknown, headers?: OutgoingHttpHeaders): Promise<Answer>
  /** A connection for bytes of one's own making. */
  connect(): Promise<RawClient>
  /** What `web-settings.json` holds. */
  stored(): unknown
}

/** @param files of the built console, by name */
export async function serve(files: Readonly<Record<string, string>> = { 'index.html': PAGE }): Promise<Serving> {
  const directory = tempDirectory()
  const refused: string[] = []
  const failures: Error[] = []
  const server = await startWebServer({
    directory,
    assets: assetsIn(buildOf(files)),
    port: 0,
    version: '1.2.3',
    onRefused: (reason) => void refused.push(reason),
    onFailure: (error) => void failures.push(error),
  })
  onTestFinished(() => server.close())
  const ask: Serving['ask'] = (path, options) => askPort(server.port, path, options)
  return {
    server,
    directory,
    refused,
    failures,
    ask,
    send: (method, path, value, headers) =>
      ask(path, {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(value),
      }),
    async connect() {
      const client = await new RawClient(server.port).connected()
      onTestFinished(() => client.close())
      return client
    },
    stored: () => JSON.parse(readFileSync(join(directory, 'web-settings.json'), 'utf8')),
  }
}

export const PAGE = '<!doctype html><title>console</title>'

/** A folder as a build leaves it. Its parent is the test's own too. */
export function buildOf(files: Readonly<Record<string, string>>): string {
  const folder = join(tempDirectory(), 'web')
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

function askPort(port: number, path: string, { method = 'GET', headers = {}, body = '' }: Ask = {}): Promise<Answer> {
  const length =
    body.length === 0 || 'Transfer-Encoding' in headers ? {} : { 'Content-Length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, headers: { ...length, ...headers }, agent: false }
    const sent = request(options, (response) => {
      const { statusCode: status = 0 } = response
      text(response).then((answer) => resolve({ status, headers: response.headers, body: answer }), reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

export const LISTENER_ID = '0a6f1c2e-3b4d-4e5f-8a9b-0c1d2e3f4a5b'
export const OTHER_ID = '7d1f4f0e-52a1-4c3b-9b1e-6f2f0f6f8a11'
export const CHECK_IN = { platform: 'linux', listenerId: LISTENER_ID, version: '1.2.3' }
