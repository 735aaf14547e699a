import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EMPTY_PREVIEW } from '../../../harness/commands/empty-preview.ts'
import { defined } from '../../../src/base/defined.ts'
import type { PreviewCare, PreviewPort } from '../../../src/commands/kit/ports.ts'
import { SessionPreviews } from '../../../src/listener/sessions/session-previews.ts'
import { type ServerFrame, WIRE_LIMITS } from '../../../src/protocol/frames.ts'

const HOOK = {
  id: '7ec98fd58a7cd18c5a3c295f8031cc25',
  name: 'dip',
  secret: 'c0ffee',
  createdAt: 1,
  command: 'buy {size:usd<=500} BTCUSDT',
  limits: { max: '400' },
}

function start(port?: PreviewPort) {
  const asked: { command: string; answer: () => void; end: () => void; care: PreviewCare }[] = []
  const flags = { remoteExec: true, isPanic: false }
  const bugs: unknown[] = []
  const listener = () => ({ listener: { enabled: true, remoteExec: flags.remoteExec } }) as never
  const panic = () => (flags.isPanic ? { since: 1 } : undefined) as never
  const previews = new SessionPreviews({
    config: { readOncePerTurn: listener, read: listener },
    panic: { readOncePerTurn: panic, read: panic },
    hooks: { findOncePerTurn: (id) => (id === HOOK.id ? HOOK : undefined) },
    hookFacts: () => () => ({
      begun: [],
      failures: 0,
      steadyMs: 1,
      wallMs: 1,
      firstRun: () => undefined,
      onlyReduces: () => false,
    }),
    preview:
      port ??
      (({ command }, care = {}) =>
        new Promise((resolve) => {
          asked.push({
            command,
            care,
            answer: () => resolve({ ...EMPTY_PREVIEW, notes: [command] }),
            end: () => care.onEnded?.(),
          })
        })),
    onBug: (error) => void bugs.push(error),
  })
  const sent: ServerFrame[] = []
  const asker = { send: (frame: ServerFrame) => void sent.push(frame) }
  const ask = (id: string) => previews.ask(asker, { t: 'preview', id, command: `line ${id}` })
  const test = (id: string, hookId: string, body?: string) =>
    previews.ask(asker, { t: 'hooks:test', id, hookId, ...defined({ body }) })
  return { previews, asker, ask, test, asked, sent, flags, bugs }
}

const settle = () => vi.advanceTimersByTimeAsync(0)
const superseded = (id: string) => ({
  t: 'preview:err',
  id,
  error: 'a later preview took its place',
  code: 'superseded',
})

describe('previews of a session', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('work a fire of a hook out with what its alert says, and with its limits', async () => {
    const asked: unknown[] = []
    const { test, sent } = start(async (request, care) => {
      asked.push(request)
      care?.onEnded?.()
      return EMPTY_PREVIEW
    })
    test('a', HOOK.id, 'size=250')
    await settle()
    expect(sent).toEqual([{ t: 'preview:ok', id: 'a', preview: EMPTY_PREVIEW }])
    expect(asked).toEqual([
      { command: HOOK.command, source: 'hook', hookId: HOOK.id, values: { size: '250' }, max: '400' },
    ])
  })

  it('refuse a fire whose alert a hook would refuse, and a hook that is not there', () => {
    const { test, sent, asked } = start()
    test('a', HOOK.id, 'size=501')
    test('b', 'nobody')
    expect(sent).toMatchObject([
      { t: 'preview:err', id: 'a', code: 'bad-alert', error: expect.stringMatching(/^bad alert: .*501/) },
      { t: 'preview:err', id: 'b', code: 'unknown-hook' },
    ])
    expect(asked).toEqual([])
  })

  it('answers under the id', async () => {
    const { ask, asked, sent } = start()
    ask('a')
    asked[0]?.answer()
    await settle()
    expect(sent).toEqual([{ t: 'preview:ok', id: 'a', preview: { ...EMPTY_PREVIEW, notes: ['line a'] } }])
  })

  it('calls off what is under way when another is asked for, and answers it as superseded', async () => {
    const { ask, asked, sent } = start()
    ask('a')
    await vi.advanceTimersByTimeAsync(200)
    ask('b')
    expect(asked[0]?.care.signal?.aborted).toBe(true)
    asked[0]?.answer()
    asked[1]?.answer()
    await settle()
    expect(sent).toMatchObject([superseded('a'), { t: 'preview:ok', id: 'b' }])
  })

  it('begins ten a second at most, and of those that wait only the newest', async () => {
    const { ask, asked, sent } = start()
    for (const id of ['a', 'b', 'c', 'd']) ask(id)
    expect(asked).toHaveLength(WIRE_LIMITS.previewsPerSession)
    await vi.advanceTimersByTimeAsync(1_000 / WIRE_LIMITS.previewsPerSecond - 1)
    expect(asked.map(({ command }) => command)).toEqual(['line a'])
    await vi.advanceTimersByTimeAsync(1)
    expect(asked.map(({ command }) => command)).toEqual(['line a', 'line d'])
    expect(sent).toMatchObject([superseded('a'), superseded('b'), superseded('c')])
  })

  it('asks no fifth while four still wait for an exchange', async () => {
    const { ask, asked, sent } = start()
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      ask(id)
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(asked).toHaveLength(4)
    expect(sent.at(-1)).toMatchObject({ t: 'preview:err', id: 'e', code: 'busy' })
    asked[0]?.end()
    ask('f')
    expect(asked).toHaveLength(5)
  })

  it('works nothing out while remoteExec is off or panic is on', () => {
    const { ask, asked, sent, flags } = start()
    flags.remoteExec = false
    ask('a')
    flags.remoteExec = true
    flags.isPanic = true
    ask('b')
    expect(asked).toEqual([])
    expect(sent).toEqual([
      { t: 'preview:err', id: 'a', error: 'remoteExec disabled', code: 'switched-off' },
      { t: 'preview:err', id: 'b', error: 'panic is on; type resume in the terminal', code: 'switched-off' },
    ])
  })

  it('calls off what a session that is gone has asked for, and sends it nothing', async () => {
    const { previews, asker, ask, asked, sent } = start()
    ask('a')
    previews.forget(asker)
    expect(asked[0]?.care.signal?.aborted).toBe(true)
    asked[0]?.answer()
    await settle()
    expect(sent).toEqual([])
  })

  it('begins nothing for a session that left while its question waited', async () => {
    const { previews, asker, ask, asked } = start()
    ask('a')
    ask('b')
    previews.stop()
    previews.forget(asker)
    await vi.advanceTimersByTimeAsync(1000)
    expect(asked).toHaveLength(1)
  })

  it('tells a bug to the log, and the page no more than that', async () => {
    const bug = new Error('secret detail')
    const { ask, sent, bugs } = start(async () => {
      throw bug
    })
    ask('a')
    await settle()
    expect(bugs).toEqual([bug])
    expect(sent).toEqual([{ t: 'preview:err', id: 'a', error: 'internal error' }])
  })
})
