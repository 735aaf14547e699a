// Hooks that hookline fires: once at each edge, never late, whatever dies, and in one process at a time.
import { describe, expect, it } from 'vitest'
import { createTriggerStage, MINUTE_MS, START } from '../../harness/tasks/trigger-stage.ts'

const ABOVE = 'close(1m) > 110'
const timesOf = (fires: readonly { readonly why: string }[]) => fires.map(({ why }) => why.slice(-23, -4))

describe('a hook with a condition of bars', () => {
  it('fires at each edge, once, and says by what', async () => {
    const stage = createTriggerStage()
    await stage.create('dip', ABOVE, 'BTCUSDT')
    const one = await stage.open()
    await stage.pass(3_000)
    await stage.minutes(100, 120, 121, 100, 130)
    expect(one.fires.map(({ why }) => why)).toEqual([
      `BTCUSDT ${ABOVE}, at 2026-01-01 00:02:00 UTC`,
      `BTCUSDT ${ABOVE}, at 2026-01-01 00:05:00 UTC`,
    ])
    expect(one.reports).toEqual([])
    expect(new Set(one.fires.map(({ key }) => key)).size).toBe(2)
  })

  it('has the price of its symbol streaming, so that its order waits for no answer', async () => {
    const stage = createTriggerStage()
    await stage.create('dip', ABOVE, 'BTCUSDT')
    const one = await stage.open()
    await stage.minutes(100)
    expect(stage.watched).toEqual(['BTCUSDT'])
    stage.reconnect()
    await stage.minutes(100)
    expect(stage.watched).toEqual(['BTCUSDT'])
    await one.stop()
    expect(stage.watched).toEqual([])
  })

  it('has no edge in what is so when it is set, and takes an edit on within a second', async () => {
    const stage = createTriggerStage()
    const one = await stage.open()
    await stage.minutes(120, 120)
    await stage.create('dip', ABOVE, 'BTCUSDT')
    await stage.minutes(120, 100, 120)
    expect(timesOf(one.fires)).toEqual(['2026-01-01 00:05:00'])
    await stage.hooks.edit('dip', () => ({ when: { text: 'close(1m) > 150', symbol: 'BTCUSDT', since: stage.now() } }))
    await stage.minutes(100, 120, 160)
    expect(timesOf(one.fires)).toEqual(['2026-01-01 00:05:00', '2026-01-01 00:08:00'])
    await stage.hooks.revoke('dip')
    await stage.minutes(100, 160)
    expect(one.fires).toHaveLength(2)
  })

  it('has written down what it fires before it fires', async () => {
    const stage = createTriggerStage()
    const { id } = await stage.create('dip', ABOVE, 'BTCUSDT')
    const one = await stage.open((what) => what === 'before fire')
    await stage.minutes(100, 120)
    expect(one.fires).toEqual([])
    expect(stage.triggerLines.map((line) => JSON.parse(line))).toContainEqual({
      t: 'edge',
      hook: id,
      since: START,
      at: START + 2 * MINUTE_MS,
      price: '120',
      run: expect.any(String),
    })
    const two = await stage.open()
    await stage.minutes(121, 122)
    expect(two.fires).toEqual([])
    expect(two.supervisor.triggers()[0]).toMatchObject({ fires: [{ price: '120', outcome: 'unknown' }] })
    expect(two.supervisor.triggers()[0]).not.toHaveProperty('firedAt')
    expect(two.reports).toEqual([
      'dip a fire was due at 2026-01-01 00:02:00 UTC, and whether it ran is not known: `hook logs dip` shows it',
    ])
    const three = await stage.open()
    two.kill()
    await stage.minutes(122, 100, 130)
    expect(three.reports).toEqual([])
    expect(timesOf(three.fires)).toEqual(['2026-01-01 00:07:00'])
  })

  it('keeps its last ten fires with time, price and result, also over a restart', async () => {
    const stage = createTriggerStage()
    await stage.create('dip', ABOVE, 'BTCUSDT')
    const one = await stage.open()
    const prices = Array.from({ length: 11 }, (_, index) => [100, 120 + index]).flat()
    await stage.minutes(...prices)
    expect(one.fires).toHaveLength(11)
    const expected = one.fires.slice(1).map(({ runId }, index) => ({
      at: START + 2 * (index + 2) * MINUTE_MS,
      price: String(121 + index),
      outcome: 'accepted',
      run: runId,
    }))
    expect(one.supervisor.triggers()).toMatchObject([{ fires: expected, firedAt: expected.at(-1)?.at }])
    await one.stop()
    await stage.minutes(100, 130)
    const two = await stage.open()
    await stage.minutes(130)
    const missed = { at: START + 24 * MINUTE_MS, outcome: 'lost' }
    expect(two.supervisor.triggers()).toMatchObject([
      { fires: [...expected.slice(1), missed], firedAt: expected.at(-1)?.at },
    ])
  })

  it('reports what became true while no hookline ran, once, and never fires it late', async () => {
    const stage = createTriggerStage()
    await stage.create('dip', ABOVE, 'BTCUSDT')
    const one = await stage.open()
    await stage.minutes(100, 100)
    await one.stop()
    await stage.minutes(120, 100, 120)
    const two = await stage.open()
    await stage.minutes(121, 121)
    expect(two.fires).toEqual([])
    expect(two.reports).toEqual([
      'dip the condition became true at 2026-01-01 00:03:00 UTC and once more, while it was not checked: missed',
    ])
    expect(two.news).toEqual(two.reports)
    await two.stop()
    const three = await stage.open()
    await stage.minutes(121, 100, 120)
    expect(three.reports).toEqual([])
    expect(timesOf(three.fires)).toEqual(['2026-01-01 00:10:00'])
  })

  it('fires nothing that the venue reports half a minute late, and goes on', async () => {
    const stage = createTriggerStage()
    await stage.create('dip', ABOVE, 'BTCUSDT')
    const one = await stage.open()
    await stage.minutes(100)
    stage.venue.answers = false
    await stage.minutes(120, 100)
    stage.venue.answers = true
    await stage.minutes(100)
    expect(one.fires).toEqual([])
    expect(one.reports).toEqual([
      'problem: no answer',
      'dip the condition became true at 2026-01-01 00:02:00 UTC, while it was not checked: missed',
    ])
    await stage.minutes(120)
    expect(one.fires).toHaveLength(1)
  })

  it('fires what the venue reports a few seconds late', async () => {
    const stage = createTriggerStage()
    await stage.create('dip', ABOVE, 'BTCUSDT')
    const one = await stage.open()
    await stage.minutes(100)
    for (const minute of [1, 2]) stage.venue.hidden.add(START + minute * MINUTE_MS)
    await stage.minutes(120)
    await stage.pass(8_000)
    expect(one.fires).toEqual([])
    stage.venue.hidden.clear()
    await stage.pass(2_000)
    expect(timesOf(one.fires)).toEqual(['2026-01-01 00:02:00'])
  })

  it('looks for the account of all its hooks once in each look', async () => {
    const stage = createTriggerStage()
    for (let index = 0; index < 20; index += 1) await stage.create(`dip ${index}`, ABOVE, 'BTCUSDT')
    const one = await stage.open()
    await stage.minutes(100)
    const before = stage.connects
    await stage.minutes(100, 120)
    expect(one.fires).toHaveLength(20)
    // Once a second.
    expect(stage.connects - before).toBeLessThanOrEqual(125)
  })

  it('judges no bar again that is corrected, and reports a gap, over which nothing becomes so', async () => {
    const stage = createTriggerStage()
    await stage.create('dip', ABOVE, 'BTCUSDT')
    const one = await stage.open()
    await stage.minutes(100, 100)
    stage.correct('BTCUSDT', START + 2 * MINUTE_MS, 120)
    await stage.minutes(120)
    expect(timesOf(one.fires)).toEqual(['2026-01-01 00:03:00'])
    expect(one.reports).toEqual(['dip the bar of 2026-01-01 00:01:00 UTC (1m) was corrected after it was judged'])
    await stage.minutes(100)
    for (let minute = 4; minute < 8; minute += 1) stage.venue.hidden.add(START + minute * MINUTE_MS)
    await stage.minutes(100, 100, 100, 100, 120)
    expect(one.fires).toHaveLength(1)
    expect(one.reports.at(-1)).toMatch(/^dip bars of 1m are missing before 2026-01-01 00:08:00 UTC$/)
    expect(one.news).toEqual([])
  })

  it('fires no bar twice when the clock is set back, and none late when it is set forward', async () => {
    const stage = createTriggerStage()
    await stage.create('dip', ABOVE, 'BTCUSDT')
    const one = await stage.open()
    await stage.minutes(100, 120, 100)
    await stage.jump(-2 * MINUTE_MS)
    await stage.minutes(100, 120, 100)
    expect(timesOf(one.fires)).toEqual(['2026-01-01 00:02:00'])
    await stage.minutes(120)
    expect(one.fires).toHaveLength(2)
    await stage.minutes(100)
    await stage.jump(60 * MINUTE_MS)
    await stage.minutes(100)
    expect(one.fires).toHaveLength(2)
    await stage.minutes(120)
    expect(one.fires).toHaveLength(3)
  })

  it('is judged by one of two hooklines, and by the other when that has died', async () => {
    const stage = createTriggerStage()
    await stage.create('dip', ABOVE, 'BTCUSDT')
    const [one, two] = [await stage.open(), await stage.open()]
    await stage.minutes(100, 120, 100)
    expect([one.fires.length, two.fires.length]).toEqual([1, 0])
    one.kill()
    await stage.pass(20_000)
    await stage.minutes(100, 120)
    expect([one.fires.length, two.fires.length]).toEqual([1, 1])
    expect(two.reports).toEqual([])
  })

  it('goes on when its account is connected anew', async () => {
    const stage = createTriggerStage()
    await stage.create('dip', ABOVE, 'BTCUSDT')
    const one = await stage.open()
    await stage.minutes(100)
    stage.reconnect()
    await stage.minutes(120)
    expect(one.fires).toHaveLength(1)
    await stage.minutes(100)
    stage.reconnect()
    await stage.pass(2_000)
    await stage.minutes(120)
    expect(one.fires).toHaveLength(2)
    expect(one.reports).toEqual([])
  })

  it('reports why a fire is lost', async () => {
    const stage = createTriggerStage()
    await stage.create('dip', ABOVE, 'BTCUSDT')
    const one = await stage.open()
    await stage.minutes(100)
    stage.lost = 'panic is on'
    await stage.minutes(120)
    expect(one.reports).toEqual([`dip missed a fire (BTCUSDT ${ABOVE}, at 2026-01-01 00:02:00 UTC): panic is on`])
  })

  it('writes nothing while there is none', async () => {
    const stage = createTriggerStage()
    await stage.hooks.create({ name: 'plain', command: 'echo ok' })
    const one = await stage.open()
    await stage.pass(5 * MINUTE_MS)
    await one.stop()
    expect([stage.triggerLines, stage.asked]).toEqual([[], []])
  })

  it('says that it cannot read what a newer hookline has written', async () => {
    const stage = createTriggerStage()
    await stage.create('dip', 'median(1h) > 3', 'BTCUSDT')
    const one = await stage.open()
    await stage.minutes(120, 130)
    expect(one.reports).toEqual([expect.stringMatching(/^dip this hookline cannot read its condition: /)])
    expect(one.supervisor.triggers()).toMatchObject([{ trouble: expect.stringContaining('cannot read') }])
  })
})

describe('two hundred hooks on fifty symbols', () => {
  it('ask the venue once for each symbol and bar, and all fire', async () => {
    const symbols = Array.from({ length: 50 }, (_, index) => `C${index}USDT`)
    const stage = createTriggerStage(symbols)
    for (const [index, symbol] of symbols.entries()) {
      for (const text of [ABOVE, 'close(1m) > sma(5)', 'high(1m) crosses above 110', 'not close(1m) < 105']) {
        await stage.create(`${index} ${text}`, text, symbol)
      }
    }
    const one = await stage.open()
    await stage.minutes(100)
    expect(one.supervisor.triggers()).toHaveLength(200)
    stage.asked.length = 0
    await stage.minutes(120)
    expect(stage.asked).toHaveLength(50)
    expect(one.fires).toHaveLength(200)
    expect(new Set(one.fires.map(({ hook, key }) => `${hook.id} ${key}`)).size).toBe(200)
    stage.asked.length = 0
    for (const { id } of stage.hooks.list().slice(4)) await stage.hooks.revoke(id)
    await stage.pass(2_000)
    await stage.minutes(100)
    expect(stage.asked).toHaveLength(1)
  })
})

describe('a hook with a condition of prices', () => {
  it('fires when it becomes so, and judges nothing stale', async () => {
    const stage = createTriggerStage()
    await stage.create('dip', 'last > 110', 'BTCUSDT')
    const one = await stage.open()
    await stage.pass(3_000)
    await stage.price('BTCUSDT', 120)
    expect(one.fires).toHaveLength(1)
    await stage.price('BTCUSDT', 100)
    await stage.stream('stale')
    await stage.price('BTCUSDT', 120)
    await stage.stream('live')
    await stage.pass(5_000)
    expect(one.fires).toHaveLength(1)
    await stage.price('BTCUSDT', 100)
    await stage.price('BTCUSDT', 120)
    expect(one.fires).toHaveLength(2)
  })

  it('fires nothing over the gap of a connection, nor of a restart', async () => {
    const stage = createTriggerStage()
    await stage.create('dip', 'last > 110', 'BTCUSDT')
    const one = await stage.open()
    await stage.pass(3_000)
    stage.reconnect()
    await stage.price('BTCUSDT', 100)
    await stage.pass(3_000)
    one.kill()
    await stage.price('BTCUSDT', 120)
    const two = await stage.open()
    await stage.pass(30_000)
    await stage.price('BTCUSDT', 121)
    expect([...one.fires, ...two.fires]).toEqual([])
    await stage.price('BTCUSDT', 100)
    await stage.price('BTCUSDT', 120)
    expect(two.fires).toHaveLength(1)
  })

  it('waits for the time that it must hold', async () => {
    const stage = createTriggerStage()
    await stage.create('dip', 'last > 110 for 30s', 'BTCUSDT')
    const one = await stage.open()
    await stage.pass(3_000)
    await stage.price('BTCUSDT', 120)
    await stage.pass(29_000)
    expect(one.fires).toEqual([])
    await stage.pass(1_500)
    expect(one.fires).toHaveLength(1)
  })
})

describe('a hook with times', () => {
  it('fires at each, without an account', async () => {
    const stage = createTriggerStage()
    await stage.hooks.create({ name: 'pay', command: 'echo ok', when: { text: 'every 1h', since: stage.now() } })
    const one = await stage.open()
    await stage.pass(2 * 3_600_000 + 5_000)
    expect(one.fires.map(({ why }) => why)).toEqual([
      'every 1h, for 2026-01-01 01:00:00 UTC',
      'every 1h, for 2026-01-01 02:00:00 UTC',
    ])
    expect(one.supervisor.triggers()).toMatchObject([{ next: START + 3 * 3_600_000, firedAt: START + 2 * 3_600_000 }])
  })

  it('fires once at its only time', async () => {
    const stage = createTriggerStage()
    await stage.hooks.create({ name: 'pay', command: 'echo ok', when: { text: 'at 00:10', since: stage.now() } })
    const one = await stage.open()
    await stage.pass(11 * MINUTE_MS)
    expect(one.fires).toHaveLength(1)
    expect(one.supervisor.triggers()[0]).not.toHaveProperty('next')
    await one.stop()
    const two = await stage.open()
    await stage.jump(24 * 3_600_000)
    await stage.pass(11 * MINUTE_MS)
    expect([two.fires, two.reports]).toEqual([[], []])
  })

  it('reports those that were missed, and makes up for the last of them within --late', async () => {
    const stage = createTriggerStage()
    const since = stage.now()
    await stage.hooks.create({ name: 'strict', command: 'echo ok', when: { text: 'every 1h', since } })
    await stage.hooks.create({ name: 'late', command: 'echo ok', when: { text: 'every 1h --late 5m', since } })
    await stage.jump(3 * 3_600_000 + 2 * MINUTE_MS)
    const one = await stage.open()
    await stage.pass(10_000)
    expect(one.fires.map(({ hook, why }) => `${hook.name} ${why}`)).toEqual([
      'late every 1h, for 2026-01-01 03:00:00 UTC',
    ])
    expect(one.reports).toEqual([
      expect.stringMatching(/^strict missed 2026-01-01 01:00:00 UTC, and 2 later: 2h 2m/),
      expect.stringMatching(/^late missed 2026-01-01 01:00:00 UTC, and 1 later: 2h 2m/),
    ])
    one.kill()
    const two = await stage.open()
    await stage.pass(20_000)
    expect([two.fires, two.reports]).toEqual([[], []])
  })

  it('brings no time again when the clock is set back', async () => {
    const stage = createTriggerStage()
    await stage.hooks.create({ name: 'pay', command: 'echo ok', when: { text: 'every 1h', since: stage.now() } })
    const one = await stage.open()
    await stage.pass(3_600_000 + 5_000)
    await stage.jump(-10 * MINUTE_MS)
    await stage.pass(15 * MINUTE_MS)
    expect(one.fires).toHaveLength(1)
  })
})
