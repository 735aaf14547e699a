// What is asked of a proxy between a sender of alerts and the fire path, whichever proxy it is: who may send what, and to which hook it leads.

import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import { CodedError } from '../base/coded-error.ts'
import { shown } from '../language/printable.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'

export const PROXY_KINDS = ['nginx', 'caddy', 'haproxy'] as const
export type ProxyKind = (typeof PROXY_KINDS)[number]

/** One address that senders know, and the hook that it fires. */
export interface ProxyRoute {
  readonly hookId: string
  readonly name: string
  /** Without the slash. */
  readonly path: string
  readonly token: string
}

/** At most so many alerts in a second or in a minute. */
export interface ProxyRate {
  readonly count: number
  readonly per: 's' | 'm'
}

/** Where the TLS of the senders ends. */
export type ProxyEntry =
  | {
      readonly at: 'proxy'
      /** Absent: the proxy gets its certificate itself. */
      readonly certificate?: { readonly cert: string; readonly key?: string }
      /** Senders show a certificate by one of these authorities. */
      readonly clientCa?: string
    }
  /** At the other end of a tunnel, whose near end calls this port of the loopback. */
  | { readonly at: 'tunnel'; readonly port: number }

export interface ProxySpec {
  readonly domain: string
  /** At least one. */
  readonly routes: readonly [ProxyRoute, ...ProxyRoute[]]
  /** Addresses and networks. */
  readonly senders: 'any' | readonly string[]
  readonly entry: ProxyEntry
  readonly rate?: ProxyRate
}

/** hookline itself. */
export const UPSTREAM = `${LISTENER_HOST}:${LISTENER_PORT}`

/** As hookline reads it at most. */
export const MAX_BODY_BYTES = 64 * 1_024

/**
 * What senders are told in place of any 5xx. They send again on 5xx (TradingView three times), and no one can tell whether what did not answer
 * has run: 424 says that it was not the sender, is on no list of what to send again, and cannot be mistaken for an answer of hookline's own.
 */
export const DOWN_STATUS = 424

export const FIRST_LINE =
  '# Made by `hookline proxy`, which rewrites it when it is run again. It holds secrets: mode 0600.'

/** The lines that say what the file is, and the addresses to paste. */
export function heading({ domain, routes }: ProxySpec, steps: readonly string[]): readonly string[] {
  const addresses = routes.map(({ hookId, path }) => `# alert ${hookId}: https://${domain}/${path}`)
  return [FIRST_LINE, ...addresses, ...steps.map((step) => `# ${step}`)]
}

/** The paths of the hooks of a file that `heading` began, by the ids of the hooks. */
export function pathsIn(text: string): ReadonlyMap<string, string> {
  const lines = [...text.matchAll(/^# alert ([0-9a-f]{32}): https:\/\/[^/\s]+\/([\w-]+)$/gm)]
  return new Map(lines.map(([, id = '', path = '']) => [id, path]))
}

/** By which the file's own names differ from those of another. */
export function shortId({ routes: [{ hookId }] }: ProxySpec): string {
  return `hookline_${hookId.slice(0, 8)}`
}

/** Where one of them sends by IPv6; a machine without it cannot listen there. */
export function hasIpv6(senders: ProxySpec['senders']): boolean {
  return senders !== 'any' && senders.some((sender) => sender.includes(':'))
}

/** Why a proxy's file cannot be made or written. */
type ProxyErrorCode =
  | 'bad-domain'
  | 'bad-senders'
  | 'bad-rate'
  | 'bad-port'
  /** A secret path that can be guessed, or that a URL cannot hold as it is. */
  | 'bad-path'
  /** A path of a file that the proxy's own language cannot hold. */
  | 'unsuitable-path'
  | 'needs-certificate'
  /** What this proxy cannot do, or not together with the rest. */
  | 'not-supported'
  /** A file is there that hookline did not write. */
  | 'not-ours'

export class ProxyError extends CodedError<ProxyErrorCode> {
  override readonly name = 'ProxyError'
  declare readonly hint: string
  constructor(code: ProxyErrorCode, message: string, hint: string) {
    super(code, message, { hint })
  }
}

// What was typed → a spec that every proxy's language can hold. What cannot be held safely is refused, never escaped by guess.

/** TradingView's, as its support pages list them; it sends by IPv4 alone. */
export const TRADING_VIEW: readonly string[] = ['52.89.214.238', '34.212.75.30', '54.218.53.128', '52.32.178.7']

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** @returns in lower case @throws {ProxyError} `bad-domain` */
export function readDomain(text: string): string {
  const domain = text.toLowerCase()
  const labels = domain.split('.')
  const isName = labels.length > 1 && domain.length <= 253 && labels.every((label) => LABEL.test(label))
  if (isName && /[a-z]/.test(labels.at(-1) ?? '')) return domain
  throw new ProxyError(
    'bad-domain',
    `${shown(text)} is not the name of a host`,
    'give a name with a dot, like `alerts.example.com`; write other letters as `xn--…`',
  )
}

/** @throws {ProxyError} `bad-senders` */
export function readSenders(text: string): 'any' | readonly string[] {
  if (text === 'any') return 'any'
  const senders = text.split(',').flatMap((each) => (each === 'tradingview' ? TRADING_VIEW : [each]))
  const wrong = senders.find((each) => !isNetwork(each))
  if (wrong === undefined) return [...new Set(senders)]
  throw new ProxyError(
    'bad-senders',
    `${shown(wrong)} is neither an address nor a network`,
    'give `tradingview`, `any`, or addresses and networks with commas between them: `tradingview,203.0.113.7`',
  )
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0 || address.includes('%')) return false
  if (prefix === undefined) return true
  // The whole internet is spelt `any`.
  const isPrefix = /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128)
  return isPrefix && isFirst(address, Number(prefix), family === 4 ? 'ipv4' : 'ipv6')
}

/** nginx says nothing when it cuts `10.0.0.1/8` to a network of sixteen million. */
function isFirst(address: string, prefix: number, family: 'ipv4' | 'ipv6'): boolean {
  if (family === 'ipv6') return true
  const bits = address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0)
  return bits % 2 ** (32 - prefix) === 0
}

/** @throws {ProxyError} `bad-rate` */
export function readRate(text: string): ProxyRate {
  const [, digits = '', window = ''] = /^([1-9]\d{0,3})\/1([sm])$/.exec(text) ?? []
  if (digits !== '') return { count: Number(digits), per: window as ProxyRate['per'] }
  throw new ProxyError(
    'bad-rate',
    `${shown(text)} is not a rate`,
    'give requests for each minute or second: `10/1m`, `2/1s`',
  )
}

/** As many random characters as make 128 bits. */
const MIN_PATH = 22

/** @throws {ProxyError} `bad-path` */
export function readPath(text: string): string {
  const path = text.replace(/^\//, '')
  if (/^[\w-]+$/.test(path) && path.length >= MIN_PATH && path.length <= 128) return path
  throw new ProxyError(
    'bad-path',
    'that cannot be the secret path',
    `give ${MIN_PATH} to 128 letters, digits, - and _, or leave --path out: one is made`,
  )
}

/** @throws {ProxyError} `bad-port` */
export function readPort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535 && port !== 53_219 && port !== 53_220) return port
  throw new ProxyError('bad-port', `${shown(text)} is not a port for the proxy`, 'give a free port, like 53280')
}

/** Quotes, and what begins a variable or a placeholder in one of the three languages. */
const FORBIDDEN = /[\p{Cc}\p{Cs}"'`\\${}]/u

/** A file that the proxy reads. @throws {ProxyError} `unsuitable-path` */
export function readFilePath(text: string): string {
  if (!isAbsolute(text)) {
    throw new ProxyError('unsuitable-path', `${shown(text)} is not an absolute path`, 'begin it with a /')
  }
  if (!FORBIDDEN.test(text)) return text
  throw new ProxyError(
    'unsuitable-path',
    `a proxy's file cannot hold the path ${shown(text)}`,
    'choose a path without quotes, backslashes, $ and braces',
  )
}
