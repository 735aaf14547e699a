// `hookline proxy …`: the file of a proxy in front of the fire path. Without --write nothing secret is printed; with it, path and tokens go into a
// file that nobody else may read, and nowhere else.
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { App } from '../app/app.ts'
import { quietEvents } from '../app/app-events.ts'
import { EXIT_CODE } from '../app/this-process.ts'
import { defined } from '../base/defined.ts'
import { describeRefusal, isRefusal } from '../commands/kit/errors.ts'
import { printable, shown } from '../language/printable.ts'
import { isProxyFile, previewFile, proxyFile } from '../proxies/proxy-file.ts'
import {
  type ProxyEntry,
  ProxyError,
  type ProxyKind,
  type ProxyRate,
  type ProxyRoute,
  type ProxySpec,
  pathsIn,
  readDomain,
  readFilePath,
  readPath,
  readPort,
  readRate,
  readSenders,
} from '../proxies/proxy-spec.ts'
import { proxyFiles } from '../stores/atomic-write.ts'
import type { Hook } from '../stores/hooks.ts'

/** As typed. */
export interface ProxyRequest {
  readonly hook: readonly [string, ...string[]]
  readonly domain: string
  readonly cert?: string
  readonly key?: string
  readonly clientCa?: string
  readonly tunnel?: string
  readonly senders?: string
  readonly rate?: string
  readonly path?: string
  readonly write?: string
}

const DEFAULT_RATE: ProxyRate = { count: 30, per: 'm' }

/** @returns the exit code */
export async function runProxy(kind: ProxyKind, request: ProxyRequest): Promise<number> {
  try {
    await make(kind, request)
    return EXIT_CODE.ok
  } catch (error) {
    if (!(error instanceof ProxyError || isRefusal(error))) throw error
    const text = error instanceof ProxyError ? `${error.message} (${error.hint})` : describeRefusal(error)
    process.stderr.write(`error: ${printable(text, 600)}\n`)
    return EXIT_CODE.failed
  }
}

async function make(kind: ProxyKind, request: ProxyRequest): Promise<void> {
  const parts = partsOf(kind, request)
  const app = new App({ env: process.env, listen: 'none', events: quietEvents })
  try {
    await app.start()
    const hooks = request.hook.map((each) => app.ports.hooks.resolve(each))
    const path = request.write === undefined ? undefined : resolve(request.write)
    const spec = { ...parts, routes: routesOf(hooks, request, path) }
    if (path === undefined) return preview(kind, spec)
    const text = proxyFile(kind, spec)
    for (const { id, name } of hooks)
      await app.audit.record('hook token shown', { hookId: id, name, to: path }, { source: 'exec' })
    await proxyFiles.write(path, text)
    const at = printable(path, 300)
    process.stdout.write(`wrote ${at}, readable only by you: it contains the token\n`)
    process.stdout.write(`its first lines have the address to paste into the alert, and what to do next\n`)
  } finally {
    await app.stop(0)
  }
}

function preview(kind: ProxyKind, spec: ProxySpec): void {
  process.stdout.write(previewFile(kind, spec))
  process.stderr.write('note: without its secret path and token; --write <file> makes the file with both\n')
}

function partsOf(kind: ProxyKind, request: ProxyRequest): Omit<ProxySpec, 'routes'> {
  const entry = entryOf(request)
  const senders = readSenders(request.senders ?? (entry.at === 'tunnel' ? 'any' : 'tradingview'))
  const wanted = request.rate === undefined ? undefined : readRate(request.rate)
  const rate = wanted ?? (kind === 'caddy' ? undefined : DEFAULT_RATE)
  return { domain: readDomain(request.domain), senders, entry, ...defined({ rate }) }
}

function entryOf({ tunnel, cert, key, clientCa }: ProxyRequest): ProxyEntry {
  if (tunnel === undefined) {
    if (cert === undefined && key !== undefined) {
      throw new ProxyError(
        'needs-certificate',
        'there is a key and no certificate',
        'give --cert, the file with the certificate',
      )
    }
    const keyed = key === undefined ? {} : { key: readFilePath(key) }
    return {
      at: 'proxy',
      ...(cert === undefined ? {} : { certificate: { cert: readFilePath(cert), ...keyed } }),
      ...(clientCa === undefined ? {} : { clientCa: readFilePath(clientCa) }),
    }
  }
  if (cert ?? key ?? clientCa) {
    throw new ProxyError(
      'not-supported',
      'behind a tunnel the proxy sees no certificates',
      'leave --cert, --key and --client-ca out: TLS ends at the far end of the tunnel',
    )
  }
  return { at: 'tunnel', port: readPort(tunnel) }
}

/** An address that a sender has been given goes on: written anew, a file keeps its paths. */
function routesOf(hooks: readonly Hook[], request: ProxyRequest, path: string | undefined): ProxySpec['routes'] {
  const kept = path === undefined ? new Map<string, string>() : pathsOfFile(path)
  if (request.path !== undefined && hooks.length > 1) {
    throw new ProxyError('bad-path', 'one path leads to one hook', 'leave --path out: each hook gets a path of its own')
  }
  const given = request.path === undefined ? undefined : readPath(request.path)
  const routes = [...new Map(hooks.map((hook) => [hook.id, hook])).values()].map(
    ({ id, name, secret }): ProxyRoute => ({
      hookId: id,
      name,
      token: secret,
      path: given ?? kept.get(id) ?? randomBytes(24).toString('base64url'),
    }),
  )
  return routes as [ProxyRoute, ...ProxyRoute[]]
}

function pathsOfFile(path: string): ReadonlyMap<string, string> {
  const text = proxyFiles.read(path)
  if (text === undefined) return new Map()
  if (isProxyFile(text)) return pathsIn(text)
  throw new ProxyError(
    'not-ours',
    `${shown(path)} is not a file that hookline made`,
    'choose another name, or move it away',
  )
}
