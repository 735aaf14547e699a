import { describe, expect, it } from 'vitest'
import type { ConnectionState, Interruption } from '../../src/client/connection-state.ts'
import type { LoopbackAccess } from '../../src/client/loopback-permission.ts'
import { CLOSE_CODES, type CloseReason } from '../../src/protocol/frames.ts'
import {
  type Advice,
  adviseConnection,
  browserOf,
  type ConnectionFacts,
  hasAnswered,
} from '../../src/web/connection/advice.ts'

const LOCAL = 'http://127.0.0.1:53220'
const FACTS: ConnectionFacts = {
  connection: { name: 'idle' },
  access: undefined,
  isProbing: false,
  isSlow: false,
  clientId: '0b6f4c1e-7c1f-4b32-9b7e-52f3a1f5d0aa',
  key: undefined,
  label: 'console in Chrome on Linux',
  origin: LOCAL,
  browser: 'chrome',
  wasIn: true,
}
const waiting = (why: Interruption): ConnectionState => ({ name: 'waiting-to-reconnect', retryAt: 9, failures: 1, why })
const unreachable = (access: LoopbackAccess, more: Partial<ConnectionFacts> = {}) =>
  adviseConnection({ ...FACTS, connection: waiting('unreachable'), access, ...more })
const copied = (advice: Advice) => advice.lines?.map(({ text }) => text) ?? []

describe('a hookline that answered', () => {
  it.each<[Partial<ConnectionFacts>, boolean]>([
    [{}, false],
    [{ connection: waiting('unreachable') }, false],
    [{ access: 'reachable' }, true],
    [{ connection: { name: 'awaiting-approval', failures: 0 } }, true],
    [{ connection: { name: 'denied' } }, true],
    [{ connection: { name: 'stopped', reason: 'revoked' } }, true],
    [{ connection: { name: 'other-listener', expected: 'a', got: 'b' } }, true],
    [{ connection: { name: 'unproven-listener', expected: 'a' } }, false],
  ])('with %j is found: %s', (facts, expected) => {
    expect(hasAnswered({ ...FACTS, ...facts })).toBe(expected)
  })
})

describe('advice', () => {
  it('speaks of commands under way only to a page that could send some', () => {
    const steps = (wasIn: boolean) => adviseConnection({ ...FACTS, connection: waiting('lost'), wasIn }).steps.join(' ')
    expect(steps(true)).toMatch(/a command under way may have run/)
    expect(steps(false)).toMatch(/^This page tries again by itself. It has not been let in yet/)
  })

  it.each<[Partial<ConnectionFacts>, string, readonly string[]]>([
    [{}, 'Not connected', ['connect']],
    [{ isProbing: true }, 'Connecting…', ['disconnect']],
    [{ connection: { name: 'connecting', failures: 0 } }, 'Connecting…', ['disconnect']],
    [{ connection: { name: 'awaiting-approval', failures: 0 } }, 'Waiting for your y', ['disconnect']],
    [{ connection: { name: 'denied' } }, 'Denied', ['connect']],
    [
      { connection: { name: 'other-listener', expected: 'a', got: 'b' } },
      'Another hookline',
      ['check', 'stay-away', 'accept-listener'],
    ],
    [
      { connection: { name: 'unproven-listener', expected: 'a', got: 'b' } },
      'Another hookline',
      ['check', 'stay-away', 'accept-listener'],
    ],
    [{ connection: { name: 'unproven-listener', expected: 'a' } }, 'Another program', ['stay-away', 'retry']],
    [{ connection: { name: 'stopped', reason: 'revoked' } }, 'Revoked', ['connect']],
    [{ connection: waiting('lost') }, 'Reconnecting', ['retry', 'disconnect']],
  ])('of %j is %s', (facts, badge, actions) => {
    expect(adviseConnection({ ...FACTS, ...facts })).toMatchObject({ badge, actions })
  })

  it.each<[LoopbackAccess, string]>([
    ['reachable', 'Reconnecting'],
    ['not-running', 'Not running'],
    ['disabled', 'Switched off'],
    ['refused-origin', 'Origin refused'],
    ['unsupported', 'Not in this browser'],
  ])('tells why nobody answers: %s', (access, badge) => {
    expect(unreachable(access)).toMatchObject({ badge, retryAt: 9 })
  })

  it('says how to start hookline where it is not running', () => {
    expect(copied(unreachable('not-running'))).toEqual(['hookline', 'npm start'])
  })

  it('gives config lines that are whole JSON and keep the local console allowed', () => {
    const [line = ''] = copied(unreachable('refused-origin', { origin: 'https://app.example' }))
    expect(JSON.parse(line)).toEqual({ listener: { allowedOrigins: [LOCAL, 'https://app.example'] } })
    expect(copied(unreachable('disabled')).map((text) => JSON.parse(text))).toEqual([{ listener: { enabled: true } }])
  })

  it('shows what the terminal shows, to be compared', () => {
    const { values } = adviseConnection({ ...FACTS, connection: { name: 'awaiting-approval', failures: 0 } })
    expect(values).toEqual([
      { name: 'label', text: FACTS.label },
      { name: 'origin', text: LOCAL },
      { name: 'client', text: '0b6f4c1e' },
      { name: 'proof', text: 'cannot prove itself' },
    ])
  })

  it('shows both ids of another listener', () => {
    const { values } = adviseConnection({ ...FACTS, connection: { name: 'other-listener', expected: 'a', got: 'b' } })
    expect(values?.map(({ text }) => text)).toEqual(['a', 'b'])
  })

  it('expects the question of the browser on pages from elsewhere only', () => {
    const slow = { connection: { name: 'connecting', failures: 0 }, isSlow: true } as const
    expect(adviseConnection({ ...FACTS, ...slow }).badge).toBe('Connecting…')
    expect(adviseConnection({ ...FACTS, ...slow, origin: 'https://app.example' }).badge).toBe('Browser asks')
  })

  it('takes a denied permission for the cause on pages from elsewhere only', () => {
    expect(unreachable('permission-denied').badge).toBe('Not running')
    expect(unreachable('permission-denied', { origin: 'https://app.example' }).badge).toBe('Blocked by browser')
  })

  it('has words for every reason to hang up, and always a next step', () => {
    for (const reason of Object.keys(CLOSE_CODES) as CloseReason[]) {
      const isRetried = CLOSE_CODES[reason].retry === 'later'
      const connection = reason === 'denied' ? { name: 'denied' } : { name: 'stopped', reason }
      const state = (isRetried ? waiting(reason as Interruption) : connection) as ConnectionState
      const { title, steps, actions } = adviseConnection({ ...FACTS, connection: state })
      expect(
        [title, ...steps].every((text) => /\.$|:$/.test(text)),
        reason,
      ).toBe(true)
      expect(actions, reason).not.toEqual([])
    }
  })
})

describe('browser', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36', 'chrome'],
    [
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0 Safari/537.36 Edg/147.0',
      'edge',
    ],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:154.0) Gecko/20100101 Firefox/154.0', 'firefox'],
    ['Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15', 'safari'],
    ['Lynx/2.9', 'other'],
  ])('%s is %s', (userAgent, browser) => expect(browserOf(userAgent)).toBe(browser))

  it('is Brave where the page says so', () => expect(browserOf('Chrome/147.0', true)).toBe('brave'))
})
