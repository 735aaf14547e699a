// A venue that is out for 61 s from the moment on at which an entry's answer is lost, with the built program at a terminal: what became of the entry is found,
// or stays unknown with what to look at; meanwhile nothing is sent, and never anything twice. Three venues at once, each with a hookline of its own.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { venueCertificate } from '../../harness/network/venue-names.ts'
import { bybitModel } from '../../harness/venues/models/bybit.ts'
import { gateModel } from '../../harness/venues/models/gate.ts'
import { kucoinModel } from '../../harness/venues/models/kucoin.ts'
import { ServedModel } from '../../harness/venues/models/serve-model.ts'
import { addAccount, HTTPS, Trader } from '../../harness/venues/new-user.ts'
import { Seat } from '../../harness/venues/seat.ts'
import { stageVenue } from '../../harness/venues/staged.ts'

const OUTAGE_MS = 61_000
/** What nothing waits for is asked about every 30 s. */
const FOUND_MS = 45_000
const LONG_MS = 240_000

const NO_ANSWER = /no answer to the BTCUSDT order: its outcome is unknown; asking the venue/
const UNKNOWN = /the venue does not report the outcome of the BTCUSDT order/
const PLACED = /the BTCUSDT order that got no answer was placed: it is order \S+/
const NEVER = /the BTCUSDT order never arrived: nothing was placed/
const A_PERSONS = /the fate of the BTCUSDT order: .*check `orders`, `positions` and `fills`/

/** Types an entry whose answer is lost, as is all that is asked for 61 s from then on. */
async function loses(trader: Trader, isDone: boolean): Promise<void> {
  const { model, seat } = trader
  model.onHeard = (_heard, isChange) => {
    if (!isChange) return
    model.onHeard = () => {}
    model.fail({ kind: 'lost', isDone })
    model.fail({ kind: 'lost', route: /./, times: 1_000_000 })
  }
  seat.terminal.send('buy 0.01 BTCUSDT stop -2%\r')
  await trader.hears(NO_ANSWER)
  const sent = model.asked(/./).length
  await sleep(OUTAGE_MS)
  await trader.hears(UNKNOWN)
  // Asked all the time, and nothing else was done.
  expect(model.asked(/./).length).toBeGreaterThan(sent + 5)
  await seat.types('buy 0.01 BTCUSDT', /failed|no answer|cannot be reached|unsettled|does not/i)
  expect(trader.engine.orders.size).toBe(isDone ? 1 : 0)
  model.mend()
}

/** Waits until the screen has said one of them. */
async function hearsIn(trader: Trader, said: RegExp): Promise<void> {
  const until = performance.now() + FOUND_MS
  for (;;) {
    const isSaid = await trader.hears(said).then(
      () => true,
      () => false,
    )
    if (isSaid) return
    if (performance.now() > until) throw new Error(`the screen never said ${said}`)
  }
}

const entriesOf = ({ engine }: Trader) => [...engine.orders.values()].filter(({ side }) => side === 'buy')

const screenOf = ({ seat }: Trader) =>
  seat.terminal
    .lines()
    .map((line) => line.trim())
    .join(' ')

describe.each([
  ['was carried out', true],
  ['never arrived', false],
] as const)('an entry that %s before the venue was out for 61 s', (_what, isDone) => {
  it(
    'is found or stays unknown, and nothing is sent twice',
    async (context) => {
      const specs = [gateModel('linear'), bybitModel('linear'), kucoinModel('linear')] as const
      const served = await stageVenue(context, async (tls) => {
        const models = await ServedModel.start(specs, { port: HTTPS, tls })
        return Object.assign(models, { close: () => models.cut() })
      })
      const certificate = venueCertificate()
      const play = async (venue: string) => {
        const model = served.models.find(({ spec }) => spec.venue === venue)
        if (model === undefined) throw new Error(`no model of ${venue}`)
        const directory = tempDirectory()
        const take = () => Seat.take(directory, 'missing' in certificate ? {} : certificate.env)
        const trader = new Trader(model, await take(), take)
        await addAccount(trader, model.spec)
        await loses(trader, isDone)
        if (isDone) await isFound(trader)
        else await isMissing(trader)
        expect(model.unexpected).toEqual([])
      }
      await Promise.all(specs.map(({ venue }) => play(venue)))
    },
    LONG_MS,
  )
})

/** It filled: it is found by itself or by its fills, and has its stop. */
async function isFound(trader: Trader): Promise<void> {
  await hearsIn(trader, PLACED)
  await hearsIn(trader, /stop sell 0\.01 BTCUSDT at [\d,.]+ is open, reduce-only/)
  expect(trader.held).toBe('0.01')
  expect(entriesOf(trader)).toHaveLength(1)
  expect(trader.engine.open().map(({ side, trigger }) => [side, trigger?.way])).toEqual([['sell', 'down']])
}

/** A venue that still would list it says that it is not there; where it would not, a person looks, and nothing is bought until then. */
async function isMissing(trader: Trader): Promise<void> {
  await hearsIn(trader, new RegExp(`${NEVER.source}|${A_PERSONS.source}`))
  if (!NEVER.test(screenOf(trader))) {
    const refused = await trader.seat.types('buy 0.01 BTCUSDT', /BTCUSDT/)
    expect(refused).toContain('check `orders`')
    expect(entriesOf(trader)).toEqual([])
    const id = /orders settle (\S+) never/.exec(screenOf(trader))?.[1] ?? ''
    await trader.seat.types(`orders settle ${id} never`, /BTCUSDT/)
  }
  await trader.seat.types('buy 0.01 BTCUSDT', /bought 0\.01 BTCUSDT/)
  expect([trader.held, entriesOf(trader).length]).toEqual(['0.01', 1])
}
