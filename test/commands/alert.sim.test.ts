// `alert` as it is typed, and what its operator hears.
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'

/** BTCUSDT is at 65,000. */
const session = () => createSession()
const anonymous = (lines: readonly string[]) =>
  lines.map((line) => line.replace(/(?<=alert |cancel )[0-9a-f]{8}\b/g, 'a1b2c3'))

describe('an alert that is typed', () => {
  it.each([
    ['alert BTCUSDT > 70000 "look at it"', 'BTCUSDT > 70,000'],
    ['alert 70000', 'BTCUSDT >= 70,000.0'],
    ['alert 60000', 'BTCUSDT <= 60,000.0'],
    ['alert -2%', 'BTCUSDT <= 63,700.0'],
    ['alert -0.123456%', 'BTCUSDT <= 64,919.8'],
    ['alert price BTCUSDT<60000', 'BTCUSDT < 60,000'],
    ['alert ETHUSDT > +1%', 'ETHUSDT > '],
  ])('%s waits', async (line, what) => {
    const made = await session()
    expect(anonymous(await made.run(line))).toEqual([expect.stringContaining(`success alert a1b2c3: reports ${what}`)])
    expect(made.ports.tasks.list()).toMatchObject([{ kind: 'alert', status: 'running' }])
  })

  it.each([
    [
      'alert > 60000',
      'bad-price: BTCUSDT is already above 60,000.0, at 65,000.0 | choose a price that it has not reached',
    ],
    ['alert >= 60000', 'bad-price: BTCUSDT is already above 60,000.0, at 65,000.0 | '],
    ['alert <= 66000', 'bad-price: BTCUSDT is already below 66,000.0, at 65,000.0 | '],
    ['alert BTCUSDT', 'missing-argument: the price is missing | '],
    ['alert', 'missing-argument: the price is missing | type one, as in alert BTCUSDT > 70000'],
    ['alert == 70000', 'bad-condition: an alert is above or below a price | type > or <'],
    ['alert NOPE > 1', 'unknown-symbol: paper has no market NOPE | `markets` lists them'],
    ['alert > 70000 now', 'bad-argument: the words of an alert go in quotes | type `alert > 70000 "now"`'],
  ])('%s is refused', async (line, refusal) => {
    const made = await session()
    const [printed = ''] = await made.run(line)
    expect(printed).toContain(`error ${refusal}`)
    expect(made.ports.tasks.list()).toEqual([])
  })

  it.each([
    ['alert BTCUSDT 7000', '7,000.0 is 89% below the last price, 65,000.0'],
    ['alert > 700000', '700,000.0 is 977% above the last price, 65,000.0'],
  ])('%s warns that it is far away, and waits', async (line, far) => {
    const made = await session()
    expect(await made.run(line)).toEqual([expect.stringMatching(/^success alert /), `warn ${far}`])
    expect(made.ports.tasks.list()).toMatchObject([{ status: 'running' }])
    expect(await made.run('alert +40%')).toEqual([expect.stringMatching(/^success alert /)])
  })

  it.each(['halt', 'panic', 'sim on'])('is set under %s', async (before) => {
    const made = await session()
    await made.run(before)
    expect(await made.run('alert > 70000')).toEqual([expect.stringMatching(/^success alert /)])
  })

  it('is reported once last is there, and is over', async () => {
    const made = await session()
    await made.run('alert > 66000 "look at it"')
    await made.advance(1_000)
    made.market.setPrice('BTCUSDT', '66500')
    await made.advance(2_000)
    expect(made.ports.tasks.list()).toMatchObject([
      { status: 'done', reason: expect.stringMatching(/^BTCUSDT is at 66,500(\.\d)?, above 66,000.0: look at it$/) },
    ])
    expect(await made.market.exchange.fetchOpenOrders()).toEqual([])
  })

  it('is canceled as any task is', async () => {
    const made = await session()
    await made.run('alert > 66000')
    const [{ id = '' } = {}] = made.ports.tasks.list()
    await made.advance(1_000)
    expect(anonymous(await made.run(`tasks cancel ${id}`))).toContain('success alert a1b2c3 is canceled')
  })
})
