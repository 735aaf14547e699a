// What is tried at the door: every route by every method from those who are no allowed page, and tokens that are not
// the right one.
import type { CreatedHook } from '../../harness/process/hookline.ts'
import { ORIGIN } from '../../harness/wire/ws-client.ts'
import { requestInBytes } from './request-in-bytes.ts'
import type { CaseRow } from './row-tally.ts'

/** Their headers. */
const CALLERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'no Origin': { Host: '127.0.0.1:53219' },
  'a bad Origin': { Host: '127.0.0.1:53219', Origin: 'https://evil.com' },
  'a bad Host': { Host: 'evil.com:53219', Origin: ORIGIN },
}
const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
}
const METHODS = ['GET', 'POST', 'PUT', 'OPTIONS', 'HEAD', 'GET + Upgrade', 'POST + Upgrade'] as const

interface Route {
  readonly path: string
  readonly token?: string
  /** What a POST gets there. */
  readonly posted: string
}

function routesTo({ id, token }: CreatedHook): readonly Route[] {
  const wrong = 'f'.repeat(32)
  return [
    { path: '/health', posted: '404' },
    { path: '/ws', posted: '404' },
    { path: '/ws', token, posted: '404' },
    { path: '/', posted: '404' },
    { path: '/hooks', posted: '404' },
    { path: `/hook/${id}`, posted: '401' },
    { path: `/hook/${id}`, token: wrong, posted: '401' },
    { path: `/hook/${id}`, token, posted: '200' },
    { path: `/hook/${wrong}`, token, posted: '404' },
  ]
}

/** Behaviours 7 and 114. */
function wantedStatus(method: string, { path, posted }: Route, caller: string): string {
  if (method === 'POST' && caller === 'a bad Origin' && path.startsWith('/hook/')) return '403'
  if (method === 'GET' && caller === 'a bad Host' && path === '/health') return '403'
  if (method === 'POST') return posted
  if (method === 'GET + Upgrade' && path === '/ws') return '403'
  return method === 'GET' && path === '/health' ? '200' : '404'
}

export interface DoorRow extends CaseRow {
  /** A page whose origin is not allowed could read the answer. */
  readonly isReadable: boolean
  /** A run is what the caller had a right to. */
  readonly isFire: boolean
}

export async function askEverything(hook: CreatedHook): Promise<DoorRow[]> {
  const rows: DoorRow[] = []
  for (const route of routesTo(hook)) {
    for (const method of METHODS) {
      for (const [caller, who] of Object.entries(CALLERS)) {
        const connection = method.includes('Upgrade') ? UPGRADE : { Connection: 'close' }
        const token = route.token === undefined ? {} : { 'X-Hook-Token': route.token }
        const lines = Object.entries({ ...who, ...connection, ...token }).map(
          ([name, value]) => `${name}: ${value}\r\n`,
        )
        const verb = method.split(' ', 1)[0]
        const { status, headers } = await requestInBytes(`${verb} ${route.path} HTTP/1.1\r\n${lines.join('')}\r\n`)
        const allowed = headers['access-control-allow-origin'] ?? ORIGIN
        const wanted = wantedStatus(method, route, caller)
        rows.push({
          what: `${method} ${route.path} with ${caller}`,
          wanted,
          got: String(status),
          isReadable: allowed !== ORIGIN,
          isFire: method === 'POST' && wanted === '200',
        })
      }
    }
  }
  return rows
}

/** What each is, and the values of one header after another, in bytes as Latin-1. */
export function unlikeTokens({
  token,
}: CreatedHook): readonly (readonly [what: string, ...values: readonly string[]])[] {
  return [
    ['none'],
    ['length 0', ''],
    ['length 1', token.slice(0, 1)],
    ['length n − 1', token.slice(1)],
    ['length n + 1', `${token}0`],
    ['8 KiB', token.repeat(256)],
    ['n bytes that are not ASCII', '\u00ff'.repeat(32)],
    ['n characters of several bytes each', Buffer.from('\u00e4'.repeat(32)).toString('latin1')],
    ['the right length, the last digit another', `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`],
    ['the right one quoted', `"${token}"`],
    ['the right one with a tab inside', `${token.slice(0, 16)}\t${token.slice(16)}`],
    ['the right one twice', token, token],
    ['the right one, then another', token, 'f'.repeat(32)],
  ]
}
