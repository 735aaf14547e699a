import { describe, expect, it } from 'vitest'
import { ChannelSender, type Deliver, LOCKED_MS, MAX_WAITING, RETRY_MS } from '../../src/notices/channel-sender.ts'
import { NoticeError } from '../../src/notices/notice.ts'

/** A clock that moves only by the pauses of the sender. */
function stage(deliver: Deliver, { bundle = 10, gapMs = 1_000 } = {}) {
  let now = 0
  const pauses: number[] = []
  const changes: (string | undefined)[] = []
  const bugs: unknown[] = []
  const sender = new ChannelSender({
    name: 'phone',
    deliver,
    bundle,
    gapMs,
    now: () => now,
    async pause(ms, signal) {
      pauses.push(ms)
      if (!signal.aborted) now += ms
    },
    onChange: (error) => void changes.push(error?.message),
    onResult: () => {},
    onBug: (error) => void bugs.push(error),
  })
  const push = (text: string) => sender.push({ id: 1, at: now, kind: 'said', severity: 'info', text, count: 1 })
  return { sender, push, pauses, changes, bugs }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
const refused = (status: number, options: { readonly mayRetry: boolean; readonly retryAfterMs?: number }) =>
  new NoticeError('refused', `the receiver answered with status ${status}`, options)

describe('a channel', () => {
  it('has said nothing yet when the one who tells goes on', async () => {
    const sent: string[] = []
    const { push } = stage(async ({ rows }) => void sent.push(...rows.map(({ text }) => text)))
    push('a')
    expect(sent).toEqual([])
    await settle()
    expect(sent).toEqual(['a'])
  })

  it('puts what comes together into one message, and leaves a gap before the next', async () => {
    const sent: string[][] = []
    const { push, pauses } = stage(async ({ rows }) => void sent.push(rows.map(({ text }) => text)), { bundle: 2 })
    for (const text of ['a', 'b', 'c']) push(text)
    await settle()
    expect(sent).toEqual([['a', 'b'], ['c']])
    expect(pauses).toEqual([1_000])
    push('d')
    await settle()
    expect(pauses).toEqual([1_000, 1_000])
  })

  it('tries three times more what may do better later, with growing pauses, and gives up', async () => {
    let tries = 0
    const { sender, push, pauses, changes } = stage(async () => {
      tries += 1
      throw refused(503, { mayRetry: true })
    })
    push('a')
    await settle()
    expect(tries).toBe(4)
    expect(pauses).toEqual(RETRY_MS)
    expect(changes).toEqual(['the receiver answered with status 503'])
    expect(sender.status()).toMatchObject({ sent: 0, failed: 1, waiting: 0, last: { error: changes[0] } })
  })

  it('waits as long as the receiver asks', async () => {
    const answers = [refused(429, { mayRetry: true, retryAfterMs: 30_000 }), undefined]
    const { sender, push, pauses } = stage(async () => {
      const answer = answers.shift()
      if (answer !== undefined) throw answer
    })
    push('a')
    await settle()
    expect(pauses).toEqual([30_000])
    expect(sender.status()).toMatchObject({ sent: 1, failed: 0 })
  })

  it.each([
    ['a refusal', refused(404, { mayRetry: false })],
    ['a receiver that asks for more than five minutes', refused(429, { mayRetry: true, retryAfterMs: 301_000 })],
  ])('does not try again after %s', async (_what, error) => {
    let tries = 0
    const { push, pauses } = stage(async () => {
      tries += 1
      throw error
    })
    push('a')
    await settle()
    expect([tries, pauses]).toEqual([1, []])
  })

  it('tells once that it fails, and once that it works again', async () => {
    let isDown = true
    const { push, changes } = stage(async () => {
      if (isDown) throw refused(404, { mayRetry: false })
    })
    for (const text of ['a', 'b']) {
      push(text)
      await settle()
    }
    isDown = false
    for (const text of ['c', 'd']) {
      push(text)
      await settle()
    }
    expect(changes).toEqual(['the receiver answered with status 404', undefined])
  })

  it('reports an error of no known class as a bug, without its text', async () => {
    const { push, changes, bugs } = stage(async () => {
      throw new Error('whsec_secret')
    })
    push('a')
    await settle()
    expect(bugs).toHaveLength(1)
    expect(changes).toEqual(['internal error; see hookline.log'])
  })

  it('holds a bounded queue while a receiver does not answer, and loses the oldest', async () => {
    let answer = (): void => {}
    const sent: { readonly texts: readonly string[]; readonly leftOut: number }[] = []
    const { sender, push } = stage(
      async ({ rows, leftOut }) => {
        sent.push({ texts: rows.map(({ text }) => text), leftOut })
        if (sent.length === 1) await new Promise<void>((resolve) => (answer = resolve))
      },
      { bundle: 1 },
    )
    push('first')
    await settle()
    for (let n = 0; n < MAX_WAITING + 5; n++) push(`text ${n}`)
    expect(sender.status()).toMatchObject({ waiting: MAX_WAITING + 1, leftOut: 5 })
    answer()
    await settle()
    expect(sent[1]).toEqual({ texts: ['text 5'], leftOut: 5 })
  })

  it('sends what waits when it is closed, without pauses, and takes nothing more', async () => {
    const sent: string[] = []
    const { sender, push, pauses } = stage(async ({ rows }) => void sent.push(...rows.map(({ text }) => text)), {
      bundle: 1,
    })
    for (const text of ['a', 'b', 'c']) push(text)
    await sender.close(1_000)
    push('d')
    await settle()
    expect([sent, pauses]).toEqual([['a', 'b', 'c'], []])
  })

  it('leaves unsent a delivery that does not end, when it is closed', async () => {
    const { sender, push } = stage(() => new Promise(() => {}))
    push('a')
    await settle()
    await sender.close(1)
    expect(sender.status()).toMatchObject({ sent: 0, failed: 0, waiting: 1 })
    expect(sender.unsent()).toMatchObject([{ row: { text: 'a' } }])
  })

  it('waits for its secret while the vault is locked, says so once, and sends all of it then', async () => {
    const sent: string[] = []
    let looks = 0
    const { sender, push, pauses, changes } = stage(async ({ rows }) => {
      looks += 1
      if (looks <= 40) throw new NoticeError('locked', 'the vault, which has its secret, is locked')
      sent.push(...rows.map(({ text }) => text))
    })
    push('a')
    await settle()
    push('b')
    await settle()
    expect(sent).toEqual(['a', 'b'])
    expect(pauses.slice(0, 40)).toEqual(Array.from({ length: 40 }, () => LOCKED_MS))
    expect(changes).toEqual(['the vault, which has its secret, is locked', undefined])
    expect(sender.status()).toMatchObject({ sent: 2, failed: 0, waiting: 0 })
  })

  it('has what it tells of in its list from the push to the delivery, under one id for each try', async () => {
    const ids: (readonly string[])[] = []
    const answers = [refused(503, { mayRetry: true }), undefined]
    const { sender, push } = stage(async (taken) => {
      ids.push(
        taken.ids,
        sender.unsent().map(({ id }) => id),
      )
      const answer = answers.shift()
      if (answer !== undefined) throw answer
    })
    push('a')
    const [{ id } = { id: '' }] = sender.unsent()
    await settle()
    expect(ids).toEqual([[id], [id], [id], [id]])
    expect(sender.unsent()).toEqual([])
  })

  it('sends nothing before it is kept as unsent', async () => {
    const order: string[] = []
    let keep = (): void => {}
    const sender = new ChannelSender({
      name: 'phone',
      deliver: async () => void order.push('sent'),
      bundle: 1,
      gapMs: 0,
      now: () => 0,
      pause: async () => {},
      keep: () => new Promise((resolve) => (keep = resolve)),
      onChange: () => {},
      onResult: () => {},
      onBug: () => {},
    })
    sender.push({ id: 1, at: 0, kind: 'said', severity: 'info', text: 'a', count: 1 })
    await settle()
    expect(order).toEqual([])
    keep()
    await settle()
    expect(order).toEqual(['sent'])
  })

  it('keeps the id of a notice that another process did not send', async () => {
    const ids: string[] = []
    const { sender } = stage(async (taken) => void ids.push(...taken.ids))
    sender.push({ id: 1, at: 0, kind: 'said', severity: 'info', text: 'a', count: 1 }, 'before')
    await settle()
    expect(ids).toEqual(['before'])
  })

  it('tries one line once when it is asked to, and says why it failed', async () => {
    const { sender, changes } = stage(async () => {
      throw refused(500, { mayRetry: true })
    })
    const row = { id: 0, at: 0, kind: 'said', severity: 'info', text: 'a test', count: 1 }
    await expect(sender.test(row)).rejects.toMatchObject({ code: 'refused' })
    expect(changes).toEqual([])
  })
})
