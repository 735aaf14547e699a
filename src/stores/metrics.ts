// `metrics.listen` in config.json (behaviour 149): where the figures of this process can be read, and the two things of the disk that keep others
// from reading them: the token of the address, and the mode of the socket.

import { randomBytes } from 'node:crypto'
import { lstatSync, mkdtempSync, type Stats, statSync, unlinkSync } from 'node:fs'
import { chmod, link, rename, rm } from 'node:fs/promises'
import { connect, type Server } from 'node:net'
import { dirname, isAbsolute, join } from 'node:path'
import { readSecretFile, writeNewSecretFile } from './atomic-write.ts'
import { nearName } from './json-decode.ts'
import { isOurs } from './private-file.ts'
import { StoreError, systemCode, systemReason, UnsafeFileError, writeFailure } from './store-error.ts'

export type MetricsAddress =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'loopback'; readonly host: '127.0.0.1' | '::1'; readonly port: number }

export interface MetricsSettings {
  /** Absent: nowhere. */
  readonly listen?: MetricsAddress
}

export const NO_METRICS: MetricsSettings = {}

/** What hookline itself listens on. */
const OWN_PORTS = [53219, 53220]
const ADDRESSES = '`127.0.0.1:<port>` or `[::1]:<port>`'
/** A pipe of Windows is open to every user of the machine. */
const HAS_PRIVATE_SOCKETS = process.platform !== 'win32'
const LISTEN = HAS_PRIVATE_SOCKETS ? `must be the absolute path of a socket, ${ADDRESSES}` : `must be ${ADDRESSES}`

/** @param setAside is notified of what cannot be used: then nothing is served */
export function readMetricsSettings(
  value: unknown,
  setAside: (path: readonly string[], message: string) => void,
): MetricsSettings {
  if (value === undefined) return NO_METRICS
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    setAside(['metrics'], 'must be an object')
    return NO_METRICS
  }
  for (const name of Object.keys(value)) {
    if (name === 'listen') continue
    const isNear = nearName(name, ['listen']) !== undefined
    setAside(['metrics', name], isNear ? 'is probably meant to be listen' : 'is not a setting')
  }
  const { listen } = value as { readonly listen?: unknown }
  if (listen === undefined) return NO_METRICS
  const address = typeof listen === 'string' ? readMetricsAddress(listen) : undefined
  if (address !== undefined) return { listen: address }
  setAside(['metrics', 'listen'], LISTEN)
  return NO_METRICS
}

/** @returns undefined: neither a socket nor a port of this machine alone */
function readMetricsAddress(text: string): MetricsAddress | undefined {
  if (isAbsolute(text)) {
    return HAS_PRIVATE_SOCKETS && !text.includes('\0') ? { kind: 'socket', path: text } : undefined
  }
  const [, v4, v6, digits] = /^(?:(127\.0\.0\.1)|(\[::1\])):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port < 1 || port > 65_535 || OWN_PORTS.includes(port)) return undefined
  return { kind: 'loopback', host: v4 !== undefined && v6 === undefined ? '127.0.0.1' : '::1', port }
}

export function showMetricsAddress(address: MetricsAddress): string {
  if (address.kind === 'socket') return address.path
  return `${address.host === '::1' ? '[::1]' : address.host}:${address.port}`
}

// The token: a file that holds nothing else, so that a monitor can be pointed at it (`credentials_file`).

const TOKEN = /^[\w-]{43}$/

export function metricsTokenPath(directory: string): string {
  return join(directory, 'metrics-token')
}

/** Made and kept when there is none; of two processes that make one, both have the first. @throws {StoreError} `store-corrupt`, `store-write-failed` */
export async function loadMetricsToken(directory: string): Promise<string> {
  const path = metricsTokenPath(directory)
  const found = readToken(path)
  if (found !== undefined) return found
  const made = randomBytes(32).toString('base64url')
  const draft = `${path}.${randomBytes(4).toString('hex')}`
  try {
    await writeNewSecretFile(draft, `${made}\n`)
    // Whole under its name, or not at all.
    await link(draft, path)
    return made
  } catch (error) {
    const other = systemCode(error) === 'EEXIST' ? readToken(path) : undefined
    if (other !== undefined) return other
    throw writeFailure(path, error)
  } finally {
    await rm(draft, { force: true })
  }
}

function readToken(path: string): string | undefined {
  try {
    const token = readSecretFile(path).trim()
    if (TOKEN.test(token)) return token
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    const hint = error instanceof UnsafeFileError ? error.hint : undefined
    throw new StoreError('store-corrupt', `metrics-token cannot be used: ${systemReason(error)}`, {
      ...(hint === undefined ? {} : { hint }),
      cause: error,
    })
  }
  throw new StoreError('store-corrupt', 'metrics-token does not hold a token', {
    hint: `remove ${path}: the next start makes a new one`,
  })
}

// The socket: it is bound in a folder closed to others and moved into place with its mode, so that at no moment anyone else can connect.

const STAGE = '.hl-'
/** Six random characters, a slash and the name within. */
const STAGE_ADDS = 8
/** What macOS has room for; Linux has a little more, and some versions of Node cut what is longer. */
const MAX_PATH_BYTES = 103

/**
 * Listens on a socket at `path` with mode 0600. One that an ended process has left there is replaced.
 * @returns removes it again, where it is still ours
 * @throws {StoreError} `store-write-failed`
 */
export async function listenOnPrivateSocket(server: Server, path: string): Promise<() => void> {
  const refuse = (reason: string, hint: string, cause?: unknown) =>
    new StoreError('store-write-failed', `cannot listen on ${path}: ${reason}`, { hint, cause })
  const folder = dirname(path)
  const parent = statSync(folder, { throwIfNoEntry: false })
  if (parent?.isDirectory() !== true) throw refuse('its directory does not exist', `make ${folder}, or name another`)
  if (!isOurs(parent) || (parent.mode & 0o022) !== 0) {
    throw refuse('others may write to its directory', 'name a socket in a directory of your own')
  }
  await requireFree(path, refuse)
  const longest = Math.max(Buffer.byteLength(path), Buffer.byteLength(join(folder, STAGE)) + STAGE_ADDS)
  if (longest > MAX_PATH_BYTES) throw refuse('its path is too long', 'name a shorter one')
  const stage = makeStage(folder, refuse)
  const bound = join(stage, 's')
  try {
    await bind(server, bound)
    await chmod(bound, 0o600)
    const { ino } = lstatSync(bound)
    await rename(bound, path)
    return () => {
      if (lookAt(path)?.ino === ino) unlinkSync(path)
    }
  } catch (error) {
    server.close()
    throw refuse(systemReason(error), `check who owns ${folder} and its permissions`, error)
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

type Refuse = (reason: string, hint: string, cause?: unknown) => StoreError

async function requireFree(path: string, refuse: Refuse): Promise<void> {
  const found = lookAt(path)
  if (found === undefined) return
  if (!found.isSocket() || !isOurs(found)) throw refuse('something else has that name', `move ${path} away`)
  if (await accepts(path)) throw refuse('another process listens there', 'end that process, or name another socket')
}

function lookAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

function makeStage(folder: string, refuse: Refuse): string {
  try {
    // Of mode 0700.
    return mkdtempSync(join(folder, STAGE))
  } catch (error) {
    throw refuse(systemReason(error), `check who owns ${folder} and its permissions`, error)
  }
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const answer = (isTaken: boolean) => {
      socket.destroy()
      resolve(isTaken)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', (error) => answer(systemCode(error) !== 'ECONNREFUSED' && systemCode(error) !== 'ENOENT'))
  })
}
