// What is judged of a request before there is a socket: `isMalformed` and the upgrade guard, on heads as `node:http` hands them over.
// An input is text: `METHOD target`, then `Name: value` lines.
import { judgeUpgrade } from '../../../src/listener/http/upgrade-guard.ts'
import { isMalformed, type RequestHead } from '../../../src/protocol/request-head.ts'
import type { Config } from '../../../src/stores/config.ts'
import { type OpenTarget, promise } from '../target.ts'

const PLAIN = 'GET /ws?x=1\nHost: 127.0.0.1:53219\nConnection: Upgrade\nUpgrade: websocket\n'
/** What `node:http` lets through as a name (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const CONFIGS: readonly Config[] = [
  configOf(undefined),
  configOf(undefined, 'http://localhost:3000/app'),
  configOf(['https://good.com', 'http://[::1]:80']),
  configOf(['https://good.com', 'good.com']),
  configOf([]),
  { ...configOf(undefined), listener: { ...configOf(undefined).listener, enabled: false } },
]
/** Every origin that any of these configurations allows. */
const ALLOWED = [
  'http://127.0.0.1:53220',
  'http://localhost:53220',
  'http://localhost:3000',
  'http://127.0.0.1:3000',
  'https://good.com',
  'http://[::1]',
]

export const open: OpenTarget = () => ({
  units: 'text',
  seeds: [
    `${PLAIN}Origin: http://127.0.0.1:53220`,
    `${PLAIN}Sec-WebSocket-Origin: https://good.com\nOrigin: https://good.com`,
    `${PLAIN}Origin: http://localhost:3000\nX-Forwarded-For: 1.2.3.4`,
    'POST /hook/0123456789abcdef\nHost: localhost:53219\nX-Hook-Token: a',
    'GET http://127.0.0.1:53219/ws\nHost: evil.example\nOrigin: null',
  ],
  dictionary: [
    'GET',
    'POST',
    'OPTIONS',
    '/ws',
    '/health',
    '/hook/',
    '//ws',
    '/ws/',
    '*',
    '?',
    '#',
    '%2e',
    'http://',
    'Host: 127.0.0.1:53219',
    'Host: localhost:53219',
    'host: LOCALHOST:53219',
    'Origin: ',
    'Sec-WebSocket-Origin: ',
    'Forwarded: for=1',
    'Via: 1.1 a',
    'X-Forwarded-For: 1',
    'X-Real-IP: 1',
    'CF-Ray: 1',
    'Fly-Region: a',
    'ngrok-',
    ...ALLOWED,
    'null',
    '@',
    '\\',
    ':80',
    ':443',
    ':0',
    '.',
    '..',
    '\t',
    '\u0000',
    'https',
    'HTTP',
    '0x7f.1',
    '2130706433',
    '。',
  ],
  between: '\n',
  maxLength: 2_000,
  batch: 2_000,
  run(text) {
    const head = headOf(text)
    const malformed = isMalformed(head)
    for (const config of CONFIGS) {
      const verdict = judgeUpgrade(head, config)
      if (verdict.ok) checkAdmission(head, verdict.origin, config)
      else promise([400, 403, 404, 503].includes(verdict.status), 'a refusal has one of four statuses')
      promise(malformed === (!verdict.ok && verdict.status === 400), 'malformed requests, and only they, are 400')
      promise(verdict.ok || verdict.reason !== '', 'a refusal has a reason for the log')
    }
  },
})

/** Said again, from behaviour 8–11 and not from the guard. */
function checkAdmission({ method, url = '', rawHeaders }: RequestHead, origin: string, config: Config): void {
  const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? '']] : []))
  const named = (wanted: string) => lines.filter(([name]) => name === wanted).map(([, value = '']) => value)
  promise(config.listener.enabled, 'nobody is let in while the listener is off')
  promise(method === 'GET' && /^\/ws(\?|$)/.test(url), 'only GET /ws is let in')
  promise(named('host').length === 1, 'a request that is let in has one Host')
  promise(
    /^(127\.0\.0\.1|localhost):53219$/i.test(named('host')[0] ?? ''),
    'a request that is let in names us as its Host',
  )
  promise(
    !lines.some(([name = '']) => /^(forwarded$|via$|x-forwarded(-|$)|x-real-ip$|cf-|x-original-)/.test(name)),
    'nothing that was forwarded is let in',
  )
  const origins = [...named('origin'), ...named('sec-websocket-origin')]
  promise(origins.length > 0, 'nobody is let in without an origin')
  promise(
    origins.every((written) => ALLOWED.includes(written)),
    'every origin is an allowed one, as browsers write it',
  )
  promise(ALLOWED.includes(origin), 'the origin that is trusted is an allowed one')
}

function configOf(allowedOrigins: readonly string[] | undefined, webUrl = 'http://127.0.0.1:53220'): Config {
  const listener = { enabled: true, accountSync: true, remoteExec: true, allowedOrigins }
  return {
    defaultAccount: 'paper',
    defaultSymbol: 'BTCUSDT',
    webUrl,
    auth: {},
    listener,
    web: { enabled: true },
    notices: { channels: [] },
    metrics: {},
  }
}

/** Names in lower case, repeated values joined, but for `Host`, of which the first counts. */
function headOf(text: string): RequestHead {
  const [first = '', ...lines] = text.split('\n')
  const [method, url] = first.split(' ')
  const rawHeaders: string[] = []
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon)
    if (colon < 1 || !TOKEN.test(name)) continue
    const value = line.slice(colon + 1).trim()
    rawHeaders.push(name, value)
    const key = name.toLowerCase()
    const former = Object.hasOwn(headers, key) ? headers[key] : undefined
    if (former === undefined) headers[key] = value
    else if (key !== 'host') headers[key] = `${former}, ${value}`
  }
  return { method, url, httpVersion: '1.1', headers, rawHeaders }
}
