// Right and wrong senders, and what each is to be told. Whatever they are told: none of the wrong ones may fire.
import { defined } from '../../src/base/defined.ts'
import type { ProxyKind } from '../../src/proxies/proxy-spec.ts'
import { type Alert, alertOf, DIP, DOMAIN, FLAT, HAS_IPV6, INNER, type SendOptions } from './proxy-stage.ts'

export interface Sender {
  readonly who: string
  readonly bytes: string
  readonly how?: SendOptions
  /** The statuses of all that is answered; '' where the connection is cut without one. */
  readonly told: string | Readonly<Record<ProxyKind, string>>
  /** What runs: hook and size. */
  readonly runs?: readonly string[]
}

const DIP_100 = ['dip 100'] as const
/** Caddy sees first that the name is not the one of the handshake. */
const MISDIRECTED = { nginx: '404', caddy: '421', haproxy: '404' } as const
/** Caddy tells a stranger no more than anybody else. */
const STRANGER = { nginx: '403', caddy: '404', haproxy: '403' } as const
/** Caddy ends such a request without a word, which makes it an empty 200. */
const CUT_OFF = { nginx: '', caddy: '422', haproxy: '408' } as const
const of = (who: string, message: Alert, told: Sender['told'], runs?: readonly string[]): Sender => ({
  who,
  bytes: alertOf(message),
  told,
  ...defined({ runs }),
})
const through = (who: string, how: SendOptions, told: Sender['told'], runs?: readonly string[]): Sender => ({
  ...of(who, {}, told, runs),
  how,
})

/** What somebody would like hookline to see as a request of its own. */
const INNER_FIRE = `POST /hook/${INNER.id} HTTP/1.1\r\nHost: 127.0.0.1:53219\r\nX-Hook-Token: ${INNER.secret}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
const chunked = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
const DIP_BODY = '{"size":"100"}'
const LARGE = `{"size":"100","note":"${'x'.repeat(65_536)}"}`
const FULL = DIP_BODY.padEnd(65_536)

export const RIGHT: readonly Sender[] = [
  of('the right alert', {}, '200', DIP_100),
  of('the right alert to the other hook', { target: `/${FLAT.path}` }, '200', ['flat 100']),
  of('text in place of JSON', { body: 'size=100' }, '200', DIP_100),
  of('a body of exactly 64 KiB', { body: FULL }, '200', DIP_100),
  of('a body in chunks', { length: 'Transfer-Encoding: chunked', body: chunked(DIP_BODY) }, '200', DIP_100),
  of('one that waits for 100 Continue', { head: 'Expect: 100-continue\r\n' }, '100 200', DIP_100),
  of('a host with its port', { host: `${DOMAIN.toUpperCase()}:443` }, '200', DIP_100),
  of('a query-less address in absolute form', { target: `https://${DOMAIN}/${DIP.path}` }, '200', DIP_100),
  through('an address of a network that may', { from: '127.0.1.7' }, '200', DIP_100),
  ...(HAS_IPV6 ? [through('an address by IPv6', { tls: { host: '::1' } }, '200', DIP_100)] : []),
  through('one that would speak HTTP/2 as well', { tls: { ALPNProtocols: ['h2', 'http/1.1'] } }, '200', DIP_100),
  of('a value over its bound, which hookline refuses', { body: '{"size":"501"}' }, '422'),
]

/** Nothing that a sender says about itself counts: these are right alerts, and hookline sees none of it. */
export const FORGED: readonly (readonly [what: string, head: string])[] = [
  [
    'X-Forwarded-For and its like',
    'X-Forwarded-For: 127.0.0.1\r\nX-Real-IP: 127.0.0.1\r\nForwarded: for=127.0.0.1\r\nVia: 1.1 x\r\n',
  ],
  ['X-Hook-Token', `X-Hook-Token: ${INNER.secret}\r\n`],
  ['X_Hook_Token and x-hook-token twice', `X_Hook_Token: a\r\nx-hook-token: b\r\nx-hook-token: c\r\n`],
  ['a connection that would drop the token', 'Connection: X-Hook-Token, close\r\n'],
  [
    'the marks of a page',
    'Origin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\nCookie: a=b\r\nAuthorization: Basic eDp5\r\n',
  ],
  ["hookline's own path in a header", `X-Original-URL: /hook/${INNER.id}\r\nX-Rewrite-URL: /hook/${INNER.id}\r\n`],
  ['another method in a header', 'X-HTTP-Method-Override: GET\r\n'],
]

const UPGRADE = 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'
const ORIGIN = 'Origin: http://127.0.0.1:53220\r\n'
const noBody = { body: '', length: '' }

export const WRONG: readonly Sender[] = [
  of('no path', { target: '/' }, '404'),
  of('another path', { target: '/dip' }, '404'),
  of('the path in capitals', { target: `/${DIP.path.toUpperCase()}` }, '404'),
  of('the path with more behind it', { target: `/${DIP.path}/` }, '404'),
  of('the path with a query', { target: `/${DIP.path}?a=b` }, '404'),
  of('the path with a letter escaped', { target: `/%64${DIP.path.slice(1)}` }, '404'),
  of('the path behind dots', { target: `/x/../${DIP.path}` }, '404'),
  of('the path behind escaped dots', { target: `/x/%2e%2e/${DIP.path}` }, '404'),
  of('the path behind two slashes', { target: `//${DIP.path}` }, '404'),
  of('the path and then up to another hook', { target: `/${DIP.path}/../hook/${INNER.id}` }, '404'),
  of('escaped slashes up to another hook', { target: `/${DIP.path}%2f..%2fhook%2f${INNER.id}` }, '404'),
  of(
    "hookline's own path, with a right token",
    { target: `/hook/${INNER.id}`, head: `X-Hook-Token: ${INNER.secret}\r\n` },
    '404',
  ),
  of(
    "hookline's own path with slashes escaped",
    { target: `/hook%2f${INNER.id}`, head: `X-Hook-Token: ${INNER.secret}\r\n` },
    '404',
  ),
  of('the other hook by its name', { target: '/hook/flat' }, '404'),
  of('GET', { method: 'GET', ...noBody }, '404'),
  of('PUT', { method: 'PUT' }, '404'),
  of('post in small letters', { method: 'post' }, { nginx: '400', caddy: '404', haproxy: '404' }),
  of('OPTIONS, as a page asks first', { method: 'OPTIONS', head: ORIGIN, ...noBody }, '404'),
  of('GET /health', { method: 'GET', target: '/health', ...noBody }, '404'),
  of(
    'a WebSocket of the console',
    {
      method: 'GET',
      target: '/ws',
      host: '127.0.0.1:53219',
      isLast: false,
      head: `Connection: Upgrade, close\r\n${UPGRADE}${ORIGIN}`,
      ...noBody,
    },
    MISDIRECTED,
  ),
  of(
    'a WebSocket at the secret path',
    { method: 'GET', isLast: false, head: `Connection: Upgrade, close\r\n${UPGRADE}${ORIGIN}`, ...noBody },
    '404',
  ),
  of('another host', { host: 'other.example' }, MISDIRECTED),
  of("hookline's own host", { host: '127.0.0.1:53219' }, MISDIRECTED),
  of('two hosts', { head: 'Host: other.example\r\n' }, '400'),
  through('another address', { from: '127.0.0.2' }, STRANGER),
  {
    ...of('another address that says it is the right one', { head: 'X-Forwarded-For: 127.0.0.1\r\n' }, STRANGER),
    how: { from: '127.0.0.2' },
  },
  through('no certificate', { identity: 'none' }, { nginx: '400', caddy: '', haproxy: '' }),
  through('the same name by another authority', { identity: 'foreign' }, { nginx: '400', caddy: '', haproxy: '' }),
  through(
    'no certificate, under another name',
    { identity: 'none', servername: 'other.example' },
    { nginx: '400', caddy: '', haproxy: '' },
  ),
  through('TLS 1.1', { tls: { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } }, ''),
  of('a body over 64 KiB', { body: LARGE }, '413'),
  of('a body over 64 KiB in chunks', { length: 'Transfer-Encoding: chunked', body: chunked(LARGE) }, '413'),
  of('a body cut off where it could be read', { length: 'Content-Length: 100', body: 'size=100' }, CUT_OFF),
  of(
    'chunks cut off where they could be read',
    { length: 'Transfer-Encoding: chunked', body: '8\r\nsize=100\r\n' },
    CUT_OFF,
  ),
  {
    who: 'a head that never ends',
    bytes: `POST /${DIP.path} HTTP/1.1\r\nHost: ${DOMAIN}\r\n`,
    told: { nginx: '', caddy: '', haproxy: '408' },
  },
  of('two lengths', { length: 'Content-Length: 14\r\nContent-Length: 15' }, '400'),
  of('a length below zero', { length: 'Content-Length: -1' }, '400'),
  of('a blank before a colon', { head: 'X-Hook-Token : a\r\n' }, '400'),
  of(
    'chunked, misspelt',
    { length: 'Content-Length: 14\r\nTransfer-Encoding: xchunked' },
    { nginx: '400', caddy: '501', haproxy: '400' },
  ),
  of(
    'HTTP/2 without asking',
    { method: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
    { nginx: '400', caddy: '421', haproxy: '400' },
  ),
]

/** Requests within requests. One of them is the right alert, where it is read as such; what is hidden in it never runs. */
export const SMUGGLED: readonly Sender[] = [
  of(
    'a request behind the end of a length',
    { body: `${DIP_BODY}${INNER_FIRE}`, length: `Content-Length: ${DIP_BODY.length}`, isLast: false },
    '200 404',
    DIP_100,
  ),
  of(
    'a length and chunks, the length shorter',
    { length: 'Content-Length: 14\r\nTransfer-Encoding: chunked', body: chunked(`${DIP_BODY}${INNER_FIRE}`) },
    { nginx: '400', caddy: '422', haproxy: '422' },
  ),
  of(
    'a length and chunks, the chunks shorter',
    { length: 'Content-Length: 300\r\nTransfer-Encoding: chunked', body: `${chunked(DIP_BODY)}${INNER_FIRE}` },
    '400',
  ),
  of(
    'chunks twice',
    { length: 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', body: `${chunked(DIP_BODY)}${INNER_FIRE}` },
    { nginx: '400', caddy: '501', haproxy: '400' },
  ),
  of(
    'a chunk that is longer than it says',
    { length: 'Transfer-Encoding: chunked', body: `2\r\n{"size":"100"}${INNER_FIRE}` },
    { nginx: '400', caddy: '424', haproxy: '400' },
  ),
]
