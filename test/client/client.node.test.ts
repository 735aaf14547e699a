// The client against hooklines of every mind, over real sockets; the real one is in client.port.test.ts.
import { describe, expect, it } from 'vitest'
import { clientOf, PageWebSocket, type TestClient } from '../../harness/wire/client-of.ts'
import { ScriptedHookline, type ScriptedSession } from '../../harness/wire/scripted-hookline.ts'
import { RETRY_LIMITS } from '../../src/client/connection-state.ts'
import { createMemoryPin } from '../../src/client/pinned-listener.ts'
import { type ClientError, createHooklineClient } from '../../src/client/public.ts'
import { CLOSE_CODES, type CloseReason, WIRE_LIMITS } from '../../src/protocol/frames.ts'
import { ManualTimers } from './manual-timers.ts'

async function welcomed(
  options: Parameters<typeof clientOf>[0] = {},
): Promise<{ hookline: ScriptedHookline; session: ScriptedSession; client: TestClient }> {
  const hookline = await ScriptedHookline.start()
  const client = clientOf({ url: hookline.url, ...options })
  client.connect()
  const session = (await hookline.session()).welcome()
  await client.until('welcomed')
  return { hookline, session, client }
}

function failure(call: Promise<unknown>): Promise<Pick<ClientError, 'code' | 'delivery'>> {
  return call.then(
    () => Promise.reject(new Error('the call succeeded')),
    ({ name, code, delivery }) => ({ name, code, delivery }),
  )
}

const LOST = { name: 'ClientError', code: 'connection-lost', delivery: 'sent' }
const NOT_SENT = { name: 'ClientError', code: 'not-connected', delivery: 'not-sent' }

describe('a line', () => {
  it('says until when it may begin, by the clock of the hookline that beats', async () => {
    const timers = new ManualTimers()
    const { session, client } = await welcomed({ timers })
    client.exec('first')
    session.send({ t: 'beat', at: timers.now() + 3_600_000 })
    await session.settled()
    client.exec('second', { withinMs: 1_000 })
    client.exec('third', { withinMs: Number.POSITIVE_INFINITY })
    await session.settled()
    const lines = session.received.filter((frame) => frame.t === 'cmd:exec')
    expect(lines.map(({ latest }) => latest)).toEqual([
      timers.now() + WIRE_LIMITS.lineMs,
      timers.now() + 3_601_000,
      undefined,
    ])
  })
})

describe('the handshake', () => {
  it('begins with hello, and shows after a moment of silence that the operator is being asked', async () => {
    const hookline = await ScriptedHookline.start()
    const client = clientOf({ url: hookline.url, clientId: 'tab-1', label: 'x'.repeat(300) })
    client.connect()
    client.connect()
    const session = await hookline.session()
    expect(await session.frame('hello')).toEqual({
      t: 'hello',
      clientId: 'tab-1',
      label: 'x'.repeat(200),
      webCrossTradeActive: false,
      features: ['beats'],
    })
    await client.until('awaiting-approval')
    session.welcome()
    expect(await client.until('welcomed')).toMatchObject({ listenerId: 'ours', email: '' })
    expect(client.states).toEqual(['connecting', 'awaiting-approval', 'welcomed'])
    expect(hookline.count).toBe(1)
  })

  it('takes 300 ms of silence for a question to the operator, and a welcome before that for an old friend', async () => {
    const timers = new ManualTimers()
    const hookline = await ScriptedHookline.start()
    const client = clientOf({ url: hookline.url, timers })
    client.connect()
    const session = await hookline.session()
    await session.frame('hello')
    timers.advance(299)
    expect(client.state.name).toBe('connecting')
    session.welcome()
    await client.until('welcomed')
    timers.advance(10_000)
    expect(client.states).toEqual(['connecting', 'welcomed'])
    expect(timers.due).toEqual([])
  })

  it('says the flags of the moment in hello, and their changes after it', async () => {
    const hookline = await ScriptedHookline.start()
    const client = clientOf({ url: hookline.url })
    client.setWebCrossTradeActive(true)
    client.connect()
    client.setWebCrossTradeActive(true)
    const session = await hookline.session()
    expect(await session.frame('hello')).toMatchObject({ webCrossTradeActive: true })
    client.setWebCrossTradeActive(false)
    expect(await session.frame('client:state')).toEqual({ t: 'client:state', webCrossTradeActive: false })
    expect(session.received).toHaveLength(2)
  })

  it('refuses what can never work', () => {
    const options = { clientId: 'tab', label: '', pin: createMemoryPin(), WebSocket: PageWebSocket }
    expect(() => createHooklineClient({ ...options, clientId: '' })).toThrow(TypeError)
    expect(() => createHooklineClient({ ...options, clientId: 'x'.repeat(65) })).toThrow(TypeError)
    expect(() => createHooklineClient({ ...options, url: 'http://127.0.0.1:53219/ws' })).toThrow('ws://')
    expect(() => createHooklineClient({ ...options, url: 'nonsense' })).toThrow(TypeError)
  })
})

describe('the pinned listener', () => {
  it('is the first that welcomes', async () => {
    const pin = createMemoryPin()
    await welcomed({ pin })
    expect(pin.read()).toEqual({ listenerId: 'ours' })
  })

  it('stops another one before anything but hello is sent', async () => {
    const hookline = await ScriptedHookline.start()
    const client = clientOf({ url: hookline.url, pin: createMemoryPin('ours') })
    client.subscribe('accounts', 'hooks')
    client.connect()
    const session = (await hookline.session()).welcome('theirs')
    expect(await client.until('other-listener')).toEqual({ name: 'other-listener', expected: 'ours', got: 'theirs' })
    expect(await failure(client.exec('buy 1 BTCUSDT').result)).toEqual(NOT_SENT)
    client.setWebCrossTradeActive(true)
    await session.closed
    expect(session.received.map(({ t }) => t)).toEqual(['hello'])
  })

  it('is replaced only when a person agrees to the very id that was shown', async () => {
    const hookline = await ScriptedHookline.start()
    const pin = createMemoryPin('ours')
    const client = clientOf({ url: hookline.url, pin })
    client.connect()
    ;(await hookline.session()).welcome('theirs')
    await client.until('other-listener')
    client.acceptListener('somebody else')
    expect(client.state.name).toBe('other-listener')
    client.acceptListener('theirs')
    expect(pin.read()).toEqual({ listenerId: 'theirs' })
    ;(await hookline.session()).welcome('theirs')
    expect(await client.until('welcomed')).toMatchObject({ listenerId: 'theirs' })
  })

  it('may come back: a person tries again and is welcomed by it', async () => {
    const hookline = await ScriptedHookline.start()
    const client = clientOf({ url: hookline.url, pin: createMemoryPin('ours') })
    client.connect()
    ;(await hookline.session()).welcome('theirs')
    await client.until('other-listener')
    client.connect()
    ;(await hookline.session()).welcome('ours')
    await client.until('welcomed')
  })

  it('does not change its name in the middle of a session', async () => {
    const { session, client } = await welcomed()
    const { result } = client.exec('echo a')
    session.welcome('theirs')
    expect(await failure(result)).toEqual(LOST)
    expect(client.state).toEqual({ name: 'other-listener', expected: 'ours', got: 'theirs' })
  })
})

describe('exec', () => {
  it('gives lines as they come, then the result, to several readers', async () => {
    const { session, client } = await welcomed()
    const run = client.exec('echo a', { account: 'paper', symbol: 'BTCUSDT' })
    const { id, ...frame } = await session.frame('cmd:exec')
    expect(frame).toMatchObject({ t: 'cmd:exec', command: 'echo a', account: 'paper', symbol: 'BTCUSDT' })
    const lines = run[Symbol.asyncIterator]()
    const first = lines.next()
    session.send({ t: 'cmd:output', id, kind: 'print', text: 'one' })
    expect(await first).toEqual({ done: false, value: { kind: 'print', text: 'one' } })
    session.send(
      { t: 'cmd:output', id, kind: 'error', text: 'two' },
      { t: 'cmd:done', id, success: false, error: 'two' },
    )
    expect(await lines.next()).toEqual({ done: false, value: { kind: 'error', text: 'two' } })
    const result = { success: false, error: 'two' }
    expect(await lines.next()).toEqual({ done: true, value: result })
    expect(await run.result).toEqual(result)
    const again: string[] = []
    for await (const { text } of run) again.push(text)
    expect(again).toEqual(['one', 'two'])
  })

  it('gives what a run brought, and that it has warned', async () => {
    const { session, client } = await welcomed()
    const run = client.exec('buy $250 BTCUSDT')
    const { id } = await session.frame('cmd:exec')
    const result = { success: true, outcome: 'bought 0.004 BTCUSDT', warned: true }
    session.send({ t: 'cmd:done', id, ...result })
    expect(await run.result).toEqual(result)
  })

  it('keeps runs apart that are under way at once', async () => {
    const { session, client } = await welcomed()
    const [a, b] = [client.exec('echo a'), client.exec('echo b')]
    await session.frame('cmd:exec')
    session.send(
      { t: 'cmd:output', id: b.id, kind: 'print', text: 'b' },
      { t: 'cmd:done', id: b.id, success: true },
      { t: 'cmd:output', id: a.id, kind: 'print', text: 'a' },
      { t: 'cmd:done', id: a.id, success: true },
    )
    for (const [run, text] of [
      [a, 'a'],
      [b, 'b'],
    ] as const) {
      const lines: string[] = []
      for await (const line of run) lines.push(line.text)
      expect(lines).toEqual([text])
    }
  })

  it('gives output after the end to whoever asked for it, and to `on`', async () => {
    const { session, client } = await welcomed()
    const late: unknown[] = []
    const seen: unknown[] = []
    client.on('cmd:output', ({ id, text }) => seen.push([client.isOwnRun(id), text]))
    const run = client.exec('echo a & chase', { onLateOutput: (line) => late.push(line) })
    session.send({ t: 'cmd:done', id: run.id, success: true })
    await run.result
    session.send(
      { t: 'cmd:output', id: run.id, kind: 'success', text: 'filled' },
      { t: 'cmd:output', id: '6d5f4f2e-0000-4000-8000-000000000000', kind: 'print', text: 'of a hook' },
    )
    await session.settled()
    expect(late).toEqual([{ kind: 'success', text: 'filled' }])
    expect(seen).toEqual([
      [true, 'filled'],
      [false, 'of a hook'],
    ])
    const lines: unknown[] = []
    for await (const line of run) lines.push(line)
    expect(lines).toEqual([])
  })

  it('fails where hookline answers that the frame was bad', async () => {
    const { session, client } = await welcomed()
    const { id, result } = client.exec('echo a')
    session.send({ t: 'error', error: 'no such thing', id })
    await expect(result).rejects.toMatchObject({ code: 'refused', message: 'no such thing' })
  })

  it('sends nothing that hookline would not take, and says which field', async () => {
    const { session, client } = await welcomed()
    const { result } = client.exec('x'.repeat(8_193))
    await expect(result).rejects.toMatchObject({
      code: 'invalid-call',
      delivery: 'not-sent',
      message: '`command` must be at most 8192 characters',
    })
    await session.settled()
    expect(session.received.map(({ t }) => t)).toEqual(['hello'])
  })
})

describe('a call when the connection ends', () => {
  it('that was sent says so, in the promise and in the lines, after the lines that came', async () => {
    const { session, client } = await welcomed()
    const run = client.exec('buy 1 BTCUSDT')
    const mutation = client.mutate.hook({ op: 'create', name: 'a', command: 'echo a' })
    session.send({ t: 'cmd:output', id: run.id, kind: 'info', text: 'placing' })
    await session.settled()
    session.cut()
    expect(await failure(mutation)).toEqual(LOST)
    expect(await failure(run.result)).toEqual(LOST)
    const lines: string[] = []
    const reading = (async () => {
      for await (const { text } of run) lines.push(text)
    })()
    expect(await failure(reading)).toEqual(LOST)
    expect(lines).toEqual(['placing'])
  })

  it('that came too late, or too early, says that it was not sent', async () => {
    const { session, client } = await welcomed()
    session.cut()
    await client.until('waiting-to-reconnect')
    expect(await failure(client.exec('buy 1 BTCUSDT').result)).toEqual(NOT_SENT)
    client.disconnect()
    expect(await failure(client.mutate.account({ op: 'delete', name: 'a' }))).toEqual(NOT_SENT)
  })

  it('is never sent again', async () => {
    const { hookline, session, client } = await welcomed()
    const { result } = client.exec('buy 1 BTCUSDT')
    await session.frame('cmd:exec')
    session.cut()
    expect(await failure(result)).toEqual(LOST)
    expect(await failure(client.exec('sell 1 BTCUSDT').result)).toEqual(NOT_SENT)
    const next = (await hookline.session()).welcome()
    await client.until('welcomed')
    await next.settled()
    expect(next.received.map(({ t }) => t)).toEqual(['hello'])
  })

  it('settles when the page itself disconnects', async () => {
    const { session, client } = await welcomed()
    const { result } = client.exec('sleep 5s')
    client.disconnect()
    expect(await failure(result)).toEqual(LOST)
    expect(client.state).toEqual({ name: 'idle' })
    await session.closed
  })

  it('does not hear the answer of the session before, if one comes', async () => {
    const { hookline, session, client } = await welcomed()
    const { id, result } = client.exec('echo a')
    session.cut()
    expect(await failure(result)).toEqual(LOST)
    const next = (await hookline.session()).welcome()
    next.send({ t: 'cmd:done', id, success: true })
    await next.settled()
    expect(client.state.name).toBe('welcomed')
  })
})

describe('mutations', () => {
  it('send their fields and resolve with what was written', async () => {
    const { session, client } = await welcomed()
    const config = {
      id: '7b1a6bb2-55e6-4d0f-9f2a-3f0c1f6f2b7a',
      enabled: true,
      masterAccount: 'paper',
      masterWeight: 1,
      copiers: [],
    }
    const calls = [
      client.mutate.hook({ op: 'create', name: 'a', command: 'echo a' }),
      client.mutate.account({ op: 'upsert', account: { name: 'a', exchange: 'paper' } }),
      client.mutate.crossTradeConfig({ op: 'upsert', config, updatedAt: 5 }),
    ]
    const frames = [
      await session.frame('mutate:hook'),
      await session.frame('mutate:account'),
      await session.frame('mutate:cross-trade-config'),
    ]
    expect(frames).toMatchObject([{ op: 'create' }, { account: { name: 'a' } }, { config, updatedAt: 5 }])
    for (const { id } of frames) session.send({ t: 'mutate:ack', id, data: { of: id } })
    expect(await Promise.all(calls)).toEqual(frames.map(({ id }) => ({ of: id })))
  })

  it('reject with what hookline says', async () => {
    const { session, client } = await welcomed()
    const call = client.mutate.hook({ op: 'rotate', hookId: 'x' })
    const { id } = await session.frame('mutate:hook')
    session.send({ t: 'mutate:err', id, error: 'no hook begins with x' })
    await expect(call).rejects.toMatchObject({ code: 'refused', message: 'no hook begins with x' })
  })
})

describe('subscriptions', () => {
  it('made before the welcome are sent with it, in one frame', async () => {
    const hookline = await ScriptedHookline.start()
    const client = clientOf({ url: hookline.url })
    client.subscribe('accounts')
    client.subscribe('hooks', 'hook-output', 'hooks')
    client.connect()
    const session = (await hookline.session()).welcome()
    await session.frame('subscribe')
    await session.settled()
    expect(session.received.slice(1)).toEqual([{ t: 'subscribe', topics: ['accounts', 'hooks', 'hook-output'] }])
  })

  it('are restored after a reconnect, without those that were taken back', async () => {
    const { hookline, session, client } = await welcomed()
    client.subscribe('accounts')
    const stop = client.subscribe('tasks')
    await session.frame('subscribe')
    session.cut()
    await client.until('waiting-to-reconnect')
    stop()
    const next = (await hookline.session()).welcome()
    expect(await next.frame('subscribe')).toEqual({ t: 'subscribe', topics: ['accounts'] })
  })

  it('of a topic that somebody else still wants last, and each newcomer gets a snapshot', async () => {
    const { session, client } = await welcomed()
    const [stopFirst, stopSecond] = [client.subscribe('hooks'), client.subscribe('hooks', 'tasks')]
    stopFirst()
    stopFirst()
    stopSecond()
    await session.frame('unsubscribe')
    await session.settled()
    expect(session.received.slice(1)).toEqual([
      { t: 'subscribe', topics: ['hooks'] },
      { t: 'subscribe', topics: ['hooks', 'tasks'] },
      { t: 'unsubscribe', topics: ['hooks', 'tasks'] },
    ])
  })
})

describe('a close', () => {
  const reasons = Object.keys(CLOSE_CODES) as CloseReason[]

  it.each(reasons.filter((reason) => CLOSE_CODES[reason].retry === 'never'))('of %s is final', async (reason) => {
    const timers = new ManualTimers()
    const { hookline, session, client } = await welcomed({ timers })
    session.close(CLOSE_CODES[reason].code)
    await client.until(reason === 'denied' ? 'denied' : 'stopped')
    if (reason !== 'denied') expect(client.state).toEqual({ name: 'stopped', reason })
    expect(timers.due).toEqual([])
    expect(hookline.count).toBe(1)
    client.connect()
    ;(await hookline.session()).welcome()
    await client.until('welcomed')
  })

  it.each(reasons.filter((reason) => CLOSE_CODES[reason].retry === 'later'))(
    'of %s is tried again, and the reason told',
    async (reason) => {
      const timers = new ManualTimers()
      const { hookline, session, client } = await welcomed({ timers })
      session.close(CLOSE_CODES[reason].code)
      const delayMs = 250 + (reason === 'busy' ? RETRY_LIMITS.busyMs : 0)
      const retryAt = timers.now() + delayMs
      expect(await client.until('waiting-to-reconnect')).toMatchObject({ why: reason, failures: 1, retryAt })
      timers.advance(delayMs - 1)
      expect(client.state.name).toBe('waiting-to-reconnect')
      timers.advance(1)
      ;(await hookline.session()).welcome()
      await client.until('welcomed')
    },
  )

  it('without a listener is tried again until there is one', async () => {
    const hookline = await ScriptedHookline.start()
    const client = clientOf({ url: 'ws://127.0.0.1:9/ws' })
    client.connect()
    expect(await client.until('waiting-to-reconnect')).toMatchObject({ why: 'unreachable', failures: 1 })
    expect(hookline.count).toBe(0)
  })

  it('after `rejected` is a denial even where hookline forgets to hang up', async () => {
    const hookline = await ScriptedHookline.start()
    const client = clientOf({ url: hookline.url })
    client.connect()
    const session = await hookline.session()
    session.send({ t: 'rejected' })
    await client.until('denied')
    await session.closed
  })
})

describe('waiting to reconnect', () => {
  it('ends at once when the tab becomes visible or the network returns', async () => {
    let nudge = (): void => {}
    let isWatched = false
    const nudges = {
      watch(handler: () => void) {
        nudge = handler
        isWatched = true
        return () => {
          isWatched = false
        }
      },
    }
    const { hookline, session, client } = await welcomed({ nudges, timers: new ManualTimers() })
    nudge()
    session.cut()
    await client.until('waiting-to-reconnect')
    nudge()
    ;(await hookline.session()).welcome()
    await client.until('welcomed')
    expect(hookline.count).toBe(2)
    client.disconnect()
    expect(isWatched).toBe(false)
  })

  it('backs off while nobody is there, and tells when it will try', async () => {
    const timers = new ManualTimers()
    const client = clientOf({ url: 'ws://127.0.0.1:9/ws', timers, random: () => 0.5 })
    client.connect()
    const waits: number[] = []
    for (let failures = 1; failures <= 10; failures++) {
      const state = await client.until('waiting-to-reconnect')
      expect(state.failures).toBe(failures)
      const wait = state.retryAt - timers.now()
      expect(timers.due).toEqual([wait])
      waits.push(wait)
      timers.advance(wait)
      expect(client.state).toEqual({ name: 'connecting', failures })
    }
    expect(waits).toEqual([375, 750, 1_500, 3_000, 6_000, 12_000, 24_000, 45_000, 45_000, 45_000])
  })

  it('is where a browser’s flat refusal of the address leads', async () => {
    class Forbidden extends PageWebSocket {
      constructor() {
        super('ws://127.0.0.1:9')
        this.on('error', () => {})
        throw new Error('SecurityError')
      }
    }
    const client = clientOf({ WebSocket: Forbidden })
    client.connect()
    expect(client.state).toMatchObject({ name: 'waiting-to-reconnect', why: 'unreachable' })
  })
})

describe('a hookline that talks nonsense', () => {
  const NONSENSE: readonly [string, string | Buffer, RegExp][] = [
    ['what is not JSON', 'hello?', /not JSON/],
    ['a JSON text that is no object', '7', /not an object/],
    ['an unknown frame', '{"t":"state:moon","phase":3}', /`t`/],
    ['no t', '{}', /`t`/],
    ['a prototype', '{"__proto__":{"t":"welcome"},"t":"cmd:done"}', /`id`/],
    ['a field of the wrong kind', '{"t":"cmd:output","id":7,"kind":"print","text":""}', /`id`/],
    ['an unknown kind of output', '{"t":"cmd:output","id":"a","kind":"shout","text":""}', /`kind`/],
    ['a binary frame', Buffer.from('{"t":"rejected"}'), /not text/],
    ['a null', 'null', /not an object/],
  ]

  it.each(NONSENSE)('is heard out and goes on: %s', async (_what, text, fault) => {
    const { session, client } = await welcomed()
    const faults: string[] = []
    client.onBadFrame((error) => faults.push(error))
    const run = client.exec('echo a')
    session.send(text).send({ t: 'cmd:done', id: run.id, success: true })
    expect(await run.result).toEqual({ success: true })
    expect(faults).toEqual([expect.stringMatching(fault)])
    expect(client.state.name).toBe('welcomed')
  })

  it('has its readable rows taken, and the others named', async () => {
    const { session, client } = await welcomed()
    const told: unknown[] = []
    client.on('state:portfolio', ({ positions, orders }) => told.push([positions.length, orders]))
    client.onUnread((unread) => told.push(unread))
    const position = { symbol: 'BTCUSDT', side: 'long', amount: '1', entryPrice: '2', notional: '2' }
    const order = { id: 'p1', symbol: 'BTCUSDT', side: 'buy', type: 'limit', amount: '1', filled: '0' }
    const flags = { reduceOnly: false, postOnly: false }
    const balance = { currency: 'USDT', wallet: '1', total: '1', used: '0', free: '1' }
    const portfolio = { t: 'state:portfolio', account: 'paper', symbol: 'BTCUSDT', last: '1', balance }
    const orders = [{ ...order, ...flags, timestamp: 8.64e15 + 1 }]
    session.send({ ...portfolio, positions: [position, { ...position, symbol: 'ETH', amount: '' }], orders })
    session.send({ ...portfolio, last: 'NaN', positions: [position], orders: [] })
    await session.settled()
    expect(told).toEqual([
      [1, []],
      { t: 'state:portfolio', setAside: ['positions: ETH', 'orders: BTCUSDT p1'] },
      { t: 'state:portfolio', setAside: [], error: '`last` must be a decimal' },
    ])
  })

  it('fails the call whose answer cannot be read, and ends what was shown of a market', async () => {
    const { session, client } = await welcomed()
    const asked = client.ask.hookCounts()
    const refusals: string[] = []
    client.watch.market(
      { symbol: 'BTCUSDT' },
      () => {},
      (error) => refusals.push(error),
    )
    const { id } = await session.frame('hooks:counts')
    const watch = await session.frame('market:watch')
    session.send({ t: 'hooks:day', id, hooks: 'none' }, { t: 'state:market', id: watch.id, account: 7 })
    expect(await failure(asked)).toEqual({ name: 'ClientError', code: 'unreadable', delivery: 'sent' })
    await session.settled()
    expect(refusals).toEqual([expect.stringContaining('cannot be read')])
  })

  it('is not believed before its welcome', async () => {
    const hookline = await ScriptedHookline.start()
    const client = clientOf({ url: hookline.url })
    const frames: unknown[] = []
    const faults: string[] = []
    client.on('state:accounts', (frame) => frames.push(frame))
    client.on('welcome', (frame) => frames.push(frame.t))
    client.onBadFrame((error) => faults.push(error))
    client.connect()
    const session = await hookline.session()
    session.send({ t: 'state:accounts', accounts: [] }, { t: 'welcome', listenerId: '', user: { email: '' } })
    session.welcome().welcome()
    await client.until('welcomed')
    await session.settled()
    expect(frames).toEqual(['welcome', 'welcome'])
    expect(faults).toEqual(['state:accounts came before welcome', 'the welcome has no listenerId'])
  })

  it('answers calls that nobody made, or twice, to no effect', async () => {
    const { session, client } = await welcomed()
    const call = client.mutate.hook({ op: 'revoke', hookId: 'x' })
    const run = client.exec('echo a')
    const { id } = await session.frame('mutate:hook')
    session.send(
      { t: 'cmd:done', id: 'nobody', success: true },
      { t: 'mutate:ack', id: 'nobody' },
      { t: 'cmd:output', id, kind: 'print', text: 'for a mutation' },
      { t: 'mutate:ack', id: run.id, data: 'for a run' },
      { t: 'mutate:ack', id, data: 'right' },
      { t: 'mutate:err', id, error: 'second thoughts' },
      { t: 'cmd:done', id: run.id, success: true },
      { t: 'cmd:done', id: run.id, success: false, error: 'second thoughts' },
      { t: 'error', error: 'of nothing in particular' },
    )
    expect(await call).toBe('right')
    expect(await run.result).toEqual({ success: true })
    await session.settled()
    expect(client.state.name).toBe('welcomed')
  })
})

describe('handlers', () => {
  it('hear frames of their type until they are taken off', async () => {
    const { session, client } = await welcomed()
    const heard: number[] = []
    const stop = client.on('state:hooks', ({ hooks }) => heard.push(hooks.length))
    session.send({ t: 'state:hooks', hooks: [] }, { t: 'state:tasks', tasks: [] })
    await session.settled()
    stop()
    session.send({ t: 'state:hooks', hooks: [] })
    await session.settled()
    expect(heard).toEqual([0])
  })

  it('may connect, disconnect and call from within: each sees the state that is', async () => {
    const hookline = await ScriptedHookline.start()
    const client = clientOf({ url: hookline.url })
    const names: string[] = []
    const stop = client.onState(({ name }) => {
      names.push(`${name}/${client.state.name}`)
      if (name === 'welcomed') client.disconnect()
      if (name === 'idle') {
        stop()
        client.connect()
      }
    })
    client.connect()
    ;(await hookline.session()).welcome()
    ;(await hookline.session()).welcome()
    await client.until('welcomed')
    expect(names).toEqual(['connecting/connecting', 'welcomed/welcomed', 'idle/idle'])
  })

  it('that throw break neither the client nor other handlers, and are not passed over in silence', async () => {
    const { session, client } = await welcomed()
    const mistake = new Error('a mistake of the app')
    const uncaught = new Promise((resolve) => {
      const others = process.listeners('uncaughtException')
      process.removeAllListeners('uncaughtException')
      process.once('uncaughtException', (error) => {
        for (const other of others) process.on('uncaughtException', other)
        resolve(error)
      })
    })
    const heard: string[] = []
    client.on('state:hooks', () => {
      throw mistake
    })
    client.on('state:hooks', () => heard.push('second'))
    session.send({ t: 'state:hooks', hooks: [] })
    expect(await uncaught).toBe(mistake)
    expect(heard).toEqual(['second'])
    expect(client.state.name).toBe('welcomed')
  })
})
