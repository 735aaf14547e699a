// What was typed → a spec that every proxy's language can hold. What cannot be held safely is refused, never escaped by guess.

import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import { shown } from '../language/printable.ts'
import { ProxyError } from './proxy-error.ts'
import type { ProxyRate } from './proxy-spec.ts'

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
    'give so many in a minute or a second: `10/1m`, `2/1s`',
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
