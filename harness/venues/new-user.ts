// A new user's first hour on a venue, with the built program at a terminal and the venue's own host names, where no stream gets through: what the screen says is what the venue has, also where the trader is busy on the venue's own page and where hookline is killed.
import { setTimeout as sleep } from 'node:timers/promises'
import { Decimal } from 'decimal.js'
import { expect, it } from 'vitest'
import { READING_MS } from '../../src/repl/block-question.ts'
import { tempDirectory } from '../files/temp-directory.ts'
import { venueCertificate } from '../network/venue-names.ts'
import { BUSY_MS } from '../patience.ts'
import type { Engine } from './models/engine.ts'
import type { ModelSpec, VenueModel } from './models/model.ts'
import type { ModelMarket, ModelOrder, Side } from './models/orders.ts'
import { ServedModel } from './models/serve-model.ts'
import { Seat } from './seat.ts'
import { stageVenue } from './staged.ts'

const PASSPHRASE = 'correct horse battery staple 9'
export const HTTPS = 443
const HOUR_MS = 180_000
/** What the venue's own page does is told within so long. */
const TOLD_MS = 5_000

/** The trader, at hookline and on the venue's own page. */
export class Trader {
  readonly model: VenueModel
  readonly engine: Engine
  readonly market: ModelMarket
  seat: Seat
  readonly #again: () => Promise<Seat>

  constructor(model: VenueModel, seat: Seat, again: () => Promise<Seat>) {
    this.model = model
    this.engine = model.engine
    this.market = model.engine.markets[0] as ModelMarket
    this.seat = seat
    this.#again = again
  }

  get held(): string {
    return this.engine.account.held(this.market).amount.times(this.market.contractValue).toFixed()
  }

  /** Ids of what rests. */
  get open(): readonly string[] {
    return this.engine.open().map(({ id }) => id)
  }

  at(percent: number): Decimal {
    const { market, engine } = this
    return engine
      .last(market)
      .times(1 + percent / 100)
      .div(market.tick)
      .round()
      .times(market.tick)
  }

  move(percent: number): void {
    this.engine.movePrice(this.market.symbol, this.at(percent).toFixed())
  }

  /** Typed on the venue's page: it has no id of ours. */
  places(side: Side, amount: string, more: Partial<Pick<ModelOrder, 'trigger' | 'reduceOnly'>>): ModelOrder {
    const { market } = this
    const wish = { market, clientId: '', side, amount: new Decimal(amount).div(market.contractValue), ...more }
    return this.engine.place(more.trigger === undefined ? { ...wish, timeInForce: 'ioc' } : wish)
  }

  /** A stop; what is typed on the page is on the screen soon, with the venue's name. */
  async placesSoonTold(side: Side, amount: string, percent: number): Promise<ModelOrder> {
    let placed: ModelOrder | undefined
    const trigger = { price: this.at(percent), way: 'down' } as const
    const place = () => {
      placed = this.places(side, amount, { reduceOnly: true, trigger })
    }
    const price = trigger.price.toNumber().toLocaleString('en-US')
    // The digits behind the point are those of the venue's tick.
    const said = [`: ${side} stop ${amount} BTCUSDT at ${price}`, ', reduce-only was placed elsewhere'].map(escaped)
    await this.toldSoon(place, new RegExp(said.join('(\\.0+)?')))
    return placed as unknown as ModelOrder
  }

  cancels(which: (order: ModelOrder) => boolean): ModelOrder {
    const order = this.engine.open().find(which)
    if (order === undefined) throw new Error('no such order rests')
    return this.engine.cancel(order)
  }

  /** Waits until the screen has said it since `from`, over the ends of its lines. @returns how long that took */
  async hears(said: RegExp, from = 0): Promise<number> {
    const began = performance.now()
    await this.seat.terminal.until((screen) => said.test(textOf(screen.lines().slice(from))))
    return performance.now() - began
  }

  get lines(): number {
    return this.seat.terminal.lines().length
  }

  /** What is done on the page is on the screen soon. */
  async toldSoon(doing: () => void, said: RegExp): Promise<void> {
    const from = this.lines - 1
    doing()
    expect(await this.hears(said, from)).toBeLessThan(TOLD_MS + BUSY_MS)
  }

  /** A line that asks, or after which the prompt is another. */
  async answers(line: string, question: RegExp, key: string): Promise<void> {
    const { terminal } = this.seat
    terminal.send(`${line}\r`)
    await terminal.until((screen) => question.test(screen.typed()))
    await sleep(2 * READING_MS)
    terminal.send(key)
  }

  /** kill -9, something happens, and it is started again. */
  async isKilled(meanwhile = () => {}): Promise<void> {
    await this.seat.dies()
    meanwhile()
    this.seat = await this.#again()
    await this.seat.types('vault unlock', 'the vault is unlocked', PASSPHRASE)
  }
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => line.trim()).join(' ')
}

const escaped = (text: string) => text.replace(/[.\\]/g, '\\$&')

/** A file for each venue: they run side by side. */
export function playNewUser(spec: ModelSpec): void {
  it(
    `${spec.venue}: the screen says what the venue has, at every step`,
    async (context) => {
      const served = await stageVenue(context, async (tls) => {
        const model = await ServedModel.start(spec, { port: HTTPS, tls })
        return Object.assign(model, { close: () => model.cut() })
      })
      const certificate = venueCertificate()
      const directory = tempDirectory()
      const take = () => Seat.take(directory, 'missing' in certificate ? {} : certificate.env)
      const trader = new Trader(served.model, await take(), take)
      await addAccount(trader, spec)
      const theirs = await tradeBesideOwnOrders(trader)
      await fireInPart(trader, theirs)
      await cancelOnPage(trader)
      await fillWhileDead(trader)
      await loseAnswers(trader)
      await loseAll(trader)
      await stopAll(trader)
      await countAll(trader)
      expect(served.model.unexpected).toEqual([])
    },
    HOUR_MS,
  )
}

export async function addAccount({ seat }: Trader, spec: ModelSpec): Promise<void> {
  const { venue } = spec
  const keys = Object.values(spec.keys)
  const added = `added account main on ${venue} linear`
  await seat.types(`account add main ${venue} linear`, added, PASSPHRASE, PASSPHRASE, ...keys, 'off', 'off')
  for (const key of keys) expect(seat.raw).not.toContain(key)
  await seat.types('account use main', 'trading on main')
  await seat.types('symbol BTCUSDT', 'BTCUSDT 60,000')
}

/** @returns the trader's own stop, which stays as it is */
async function tradeBesideOwnOrders(trader: Trader): Promise<ModelOrder> {
  const says = [
    /bought 0\.008\d* BTCUSDT at 60,000\.1/,
    /at 58,800(\.0+)? is open, reduce-only/,
    /at 62,400(\.0+)? is open/,
  ]
  await trader.seat.types('buy $500 BTCUSDT stop -2% tp +4%', says)
  const theirs = await trader.placesSoonTold('sell', '0.05', -10)
  const open = trader.open
  expect(open).toHaveLength(3)
  await trader.isKilled()
  await trader.hears(/BTCUSDT: long \S+ is new/)
  const each = [/ stop +0\.008\d* +0 +58,800/, / take-profit +0\.008\d* +0 +62,400/, / stop +0\.05 +0 +54,000/]
  // Rows of Bitget do not tell a stop from a take-profit: until what was left is taken over, both are stops.
  let listed = await trader.seat.types('orders', each[2] as RegExp)
  while (!each.every((row) => row.test(listed))) {
    await sleep(500)
    listed = await trader.seat.types('orders', each[2] as RegExp)
  }
  await trader.seat.types('positions', new RegExp(`BTCUSDT +long +${escaped(trader.held)} `))
  expect(trader.open).toEqual(open)
  return theirs
}

async function fireInPart(trader: Trader, theirs: ModelOrder): Promise<void> {
  trader.engine.nextTakes = 0.4
  await trader.toldSoon(() => trader.move(-3), /BTCUSDT has passed the stop at 58,800(\.0+)?: closing now/)
  await expect.poll(() => [trader.held, trader.open]).toEqual(['0', [theirs.id]])
  await trader.hears(/(sold \S+ BTCUSDT at 58,199\.9.*){2}/)
  await trader.seat.types('positions', 'no open positions')
  // The trader's own is listed, and was never said to be ours.
  await trader.seat.types('orders', / stop +0\.05 +0 +54,000/)
  const own = new RegExp(`${theirs.id}(: stop sell| canceled| \\(sell [^)]+\\) canceled)`)
  expect(textOf(trader.seat.terminal.lines())).not.toMatch(own)
}

async function cancelOnPage(trader: Trader): Promise<void> {
  await trader.seat.types('buy 0.01 BTCUSDT at -3%', /buy 0\.01 BTCUSDT at [\d,.]+ is open/)
  const isLimit = ({ trigger }: ModelOrder) => trigger === undefined
  await trader.toldSoon(() => trader.cancels(isLimit), /\(buy 0\.01 .+\) was canceled outside this hookline/)
  await trader.seat.types('buy $600 BTCUSDT stop -2%', /stop sell \S+ BTCUSDT at [\d,.]+ is open/)
  const isOurs = ({ trigger, amount }: ModelOrder) =>
    trigger !== undefined && amount.times(trader.market.contractValue).lt('0.05')
  await trader.toldSoon(() => trader.cancels(isOurs), /\) canceled; BTCUSDT is still open, and the stop is placed/)
  await expect.poll(() => trader.engine.open().filter(isOurs)).toHaveLength(1)
  const twice = /BTCUSDT is without its stop: it was canceled twice at the venue and .*`stop BTCUSDT at \d/
  await trader.toldSoon(() => trader.cancels(isOurs), twice)
  const { held } = trader
  await trader.toldSoon(
    () => trader.places('sell', held, { reduceOnly: true }),
    new RegExp(`sold ${escaped(held)} BTCUSDT`),
  )
}

async function fillWhileDead(trader: Trader): Promise<void> {
  await trader.seat.types('buy 0.01 BTCUSDT at -1% stop -4%', /buy 0\.01 BTCUSDT at [\d,.]+ is open/)
  await trader.isKilled(() => trader.move(-2))
  await trader.hears(/stop sell 0\.01 BTCUSDT at [\d,.]+ is open, reduce-only/)
  await trader.seat.types('close', /sold 0\.01 BTCUSDT at/)
  // The trader's own alone.
  await expect.poll(() => trader.open).toHaveLength(1)
}

async function loseAnswers(trader: Trader): Promise<void> {
  trader.model.fail({ kind: 'lost', isDone: true })
  const says = [
    'no answer to the BTCUSDT order: its outcome is unknown; asking the venue',
    /the BTCUSDT order that got no answer was placed: it is order \S+/,
    /stop sell 0\.01 BTCUSDT at [\d,.]+ is open, reduce-only/,
  ]
  await trader.seat.types('buy 0.01 BTCUSDT stop -2%', says)
  trader.engine.fillsLaterMs = 80
  await trader.seat.types('buy 0.01 BTCUSDT at +0.1% ioc || buy 0.01 BTCUSDT', /bought 0\.01 BTCUSDT/)
  expect(trader.held).toBe('0.02')
  trader.engine.fillsLaterMs = 0
}

async function loseAll(trader: Trader): Promise<void> {
  const takeAway = () => {
    trader.engine.takeAway('BTCUSDT', 'liquidation')
  }
  await trader.toldSoon(takeAway, /sold 0\.02 BTCUSDT at [^:]*: liquidation/)
  await trader.seat.types('orders', 'no open orders')
  await trader.seat.types('positions', 'no open positions')
}

async function stopAll(trader: Trader): Promise<void> {
  const from = trader.lines - 1
  await trader.seat.types('buy 0.01 BTCUSDT stop -2% tp 3%', 'take-profit sell 0.01')
  trader.seat.terminal.send('halt --flatten --yes\r')
  await trader.hears(/sold 0\.01 BTCUSDT at .*every account is halted: .*halted > ?$/, from)
  expect([trader.held, trader.open]).toEqual(['0', []])
  await trader.seat.types('resume', 'all accounts can trade again')
  await trader.seat.types('buy 0.01 BTCUSDT stop -2% tp 3%', 'take-profit sell 0.01')
  const beforeNuke = trader.lines - 1
  await trader.answers('nuke', /y or n > ?$/, 'y')
  await trader.hears(/resting orders are canceled, and open positions are closed/, beforeNuke)
  expect([trader.held, trader.open]).toEqual(['0', []])
  await trader.seat.types('positions', 'no open positions')
}

async function countAll(trader: Trader): Promise<void> {
  const { engine, seat } = trader
  const fills = await seat.types('fills', / liquidation/)
  expect(fills.match(/ BTCUSDT +(buy|sell) /g)).toHaveLength(engine.fills.length)
  const realized = engine.fills.reduce((sum, fill) => sum.plus(fill.realized), new Decimal(0))
  await seat.types('pnl', new RegExp(`total +USDT +-\\${dollars(realized.abs())} `))
  const wallet = engine.account.wallet.get('USDT') ?? new Decimal(0)
  await seat.types('account balances', `main          USDT      ${dollars(wallet)}`)
}

function dollars(amount: Decimal): string {
  return `$${amount.toNumber().toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
}
