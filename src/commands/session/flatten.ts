// `halt --flatten` and `nuke`: every order of an account is taken back and every position closed at the market (behaviour 40). A position keeps its stop
// until it is closed; one that cannot be closed keeps no other open, keeps its stop, and is named.
import { Decimal } from 'decimal.js'
import type { Market } from '../../exchange/market.ts'
import { isTriggerType, type Order, type Position, refOf } from '../../exchange/order.ts'
import { Simulated } from '../../exchange/simulated.ts'
import { printable } from '../../language/printable.ts'
import { showAmount } from '../../trading/figures.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { OrderEvent } from '../../trading/order-event.ts'
import { needsYes } from '../account/confirmation.ts'
import type { CommandContext } from '../kit/command.ts'
import { CommandError, describeRefusal, isRefusal } from '../kit/errors.ts'
import { endedWithPosition, orderReporter } from '../kit/lines.ts'
import { printWould } from '../kit/preview.ts'
import { exitInParts, exitOf } from '../trading/send-exit.ts'
import { countOf } from './panic.ts'

type Context = CommandContext<'connect'>

/**
 * A person is asked, and anyone else has to say that it is meant.
 * @param what begins with `cancel every order`
 * @param line the same with `--yes`
 * @throws {CommandError} `needs-yes`, `cancelled`
 */
export async function requireMeantFlat(
  { confirm, isAborted }: Pick<CommandContext, 'confirm' | 'isAborted'>,
  what: string,
  line: string,
): Promise<void> {
  if (confirm === undefined) throw needsYes(`this would ${what}`, line)
  if ((await confirm(`${what}? y or n >`)) && !isAborted) return
  throw new CommandError('cancelled', 'canceled: nothing was sent')
}

/** `account paper`, `3 accounts`. */
export function accountsWords(names: readonly string[]): string {
  const [only] = names
  return names.length === 1 ? `account ${printable(only ?? '', 40)}` : `${names.length} accounts`
}

interface FlattenOptions {
  /** It is worked out and told, and nothing is sent (behaviour 40). */
  readonly isSimulated?: boolean
  /** An order rests, a position or a coin is there, or that is not known. */
  readonly onOpen?: () => void
}

/** @returns what is not done, one line each */
export async function flatten(
  context: Context,
  name: string,
  options: FlattenOptions = {},
): Promise<readonly string[]> {
  return new Flattening(context, name, options).run()
}

/** What was done of it, where nothing is left. @param hadOpen as `onOpen` */
export async function reportFlat({ ports, out }: Context, name: string, hadOpen: boolean): Promise<void> {
  const account = `account ${printable(name, 40)}`
  if (!hadOpen) return out.success(`${account}: there were no resting orders and no open positions`)
  const { venue } = await ports.connect(name)
  const done = venue.kind === 'spot' ? 'except stops that sell its coins' : 'and open positions are closed'
  out.success(`${account}: resting orders are canceled, ${done}`)
}

interface Claimed {
  readonly orders: readonly Order[]
  /** They did not end with the position. */
  release(): void
}

const NOTHING_CLAIMED: ReadonlyMap<string, Claimed> = new Map()

/** By symbol, what ends with its position: reported here, and not by the line that placed it. */
function claimProtecting(
  { orders, venue }: TradingAccount,
  open: readonly Order[],
  positions: readonly Position[],
): ReadonlyMap<string, Claimed> {
  if (venue.kind === 'spot') return NOTHING_CLAIMED
  return new Map(
    positions.flatMap(({ symbol }): [string, Claimed][] => {
      const own = open.filter((order) => order.symbol === symbol && order.reduceOnly)
      return own.length === 0 ? [] : [[symbol, { orders: own, release: orders.claimEnds(own) }]]
    }),
  )
}

/** Pauses before positions that are listed late are asked for again. */
const LATE_MS = [250, 500, 1_000, 2_000, 3_000]

class Flattening {
  readonly #context: Context
  readonly #name: string
  readonly #isSimulated: boolean
  readonly #left: string[] = []
  /** By symbol, what its exits have filled: a venue may list positions some seconds late. */
  readonly #closed = new Map<string, Decimal>()
  readonly #onOpen: () => void
  #canceled = 0

  constructor(context: Context, name: string, { isSimulated = false, onOpen = () => {} }: FlattenOptions) {
    this.#context = context
    this.#name = name
    this.#onOpen = onOpen
    this.#isSimulated = isSimulated
  }

  async run(): Promise<readonly string[]> {
    const account = await this.#attempt('not reached', () => this.#context.ports.connect(this.#name))
    if (account === undefined) return this.#left
    await this.#attempt('orders of earlier processes were not checked', () => account.orders.recover())
    const open = await this.#attempt('its orders are unknown', () => account.venue.fetchOpenOrders())
    const positions = await this.#attempt('its positions are unknown', () => account.venue.fetchPositions())
    if (account.venue.kind === 'spot' || open?.length !== 0 || positions?.length !== 0) this.#onOpen()
    await this.#cancelEntries(account, open ?? [], positions)
    const protecting = this.#isSimulated ? NOTHING_CLAIMED : claimProtecting(account, open ?? [], positions ?? [])
    const failures = await this.#closeAll(account, positions ?? [])
    if (this.#isSimulated) {
      if (account.venue.kind !== 'spot') this.#reportProtection(open ?? [])
      return this.#left
    }
    this.#reportEnds(protecting, await this.#reportRemaining(account, positions, failures))
    if (this.#canceled > 0) {
      this.#context.out.success(
        `account ${printable(this.#name, 40)}: canceled ${this.#canceled === 1 ? '1 order' : `${this.#canceled} orders`}`,
      )
    }
    return this.#left
  }

  /** All that could add to a position; what protects one goes when that is closed. */
  async #cancelEntries(
    account: TradingAccount,
    open: readonly Order[],
    positions: readonly Position[] | undefined,
  ): Promise<void> {
    const isHeld = (symbol: string) => positions?.some((position) => position.symbol === symbol) ?? true
    const protects = (order: Order) =>
      account.venue.kind === 'spot'
        ? order.side === 'sell' && isTriggerType(order.type)
        : order.reduceOnly && isHeld(order.symbol)
    if (!open.some(protects)) return this.#cancelAll(account, undefined)
    const going = open.filter((order) => !protects(order))
    await Promise.all(
      going.map((order) => {
        const id = printable(order.id, 40)
        return this.#attempt(`order ${id} on ${order.symbol} was not canceled`, async () => {
          await account.orders.cancel(refOf(order), this.#by())
          this.#canceled += 1
        })
      }),
    )
  }

  /** Where nothing is sent: the stops of positions are in no list of what would be. */
  #reportProtection(open: readonly Order[]): void {
    const many = open.filter(({ reduceOnly }) => reduceOnly).length
    if (many === 0) return
    this.#context.out.info(this.#line(`simulated: would cancel ${countOf(many, 'reduce-only order')} after the close`))
  }

  async #cancelAll(account: TradingAccount, symbol: string | undefined): Promise<void> {
    const which = symbol === undefined ? 'its orders were not all canceled' : `orders on ${symbol} were not canceled`
    await this.#attempt(which, async () => {
      this.#canceled += (await account.orders.cancelAll(symbol, this.#by())).length
    })
  }

  /** @returns why some were not, by symbol */
  async #closeAll(account: TradingAccount, positions: readonly Position[]): Promise<ReadonlyMap<string, string>> {
    const failures = new Map<string, string>()
    const markets = (await this.#attempt('its markets are unknown', () => account.venue.loadMarkets())) ?? []
    await Promise.all(
      positions.map(async (position) => {
        const { symbol } = position
        try {
          await this.#close(
            account,
            position,
            markets.find((market) => market.symbol === symbol),
          )
        } catch (error) {
          if (this.#isWould(error)) return
          if (!isRefusal(error)) throw error
          failures.set(symbol, describeRefusal(error))
        }
      }),
    )
    return failures
  }

  async #close(account: TradingAccount, position: Position, market: Market | undefined): Promise<void> {
    const { symbol, side } = position
    const plan = exitOf(position)
    const by = () => this.#by()
    const { out } = this.#context
    const run = { out, noteOrder: (event: OrderEvent) => this.#context.noteOrder(event), accountName: this.#name }
    const report = orderReporter(run, `closes the ${side} of account ${printable(this.#name, 40)}`)
    const { filled } = await exitInParts(account, { plan, market, by, report })
    this.#closed.set(symbol, filled)
  }

  /** Asked again while the list has more than what the exits have left of it. */
  async #fetchLeft(account: TradingAccount, before: readonly Position[]): Promise<readonly Position[]> {
    const { clock, signal } = this.#context
    const isLate = ({ symbol, side, amount }: Position) => {
      const was = before.find((position) => position.symbol === symbol && position.side === side)
      const rest = new Decimal(was?.amount ?? amount).minus(this.#closed.get(symbol) ?? 0)
      return this.#closed.has(symbol) && was !== undefined && rest.lt(amount)
    }
    for (const ms of LATE_MS) {
      const open = await account.venue.fetchPositions()
      if (signal.aborted || !open.some(isLate)) return open
      await clock.delay(ms, signal)
    }
    return account.venue.fetchPositions()
  }

  #reportEnds(protecting: ReadonlyMap<string, Claimed>, flat: readonly string[] = []): void {
    for (const [symbol, { orders, release }] of protecting) {
      if (!flat.includes(symbol)) release()
      else for (const order of orders) this.#context.out.info(this.#line(endedWithPosition(order)))
    }
  }

  /**
   * The venue is asked: an order that was refused, or of which nothing is known, may have left nothing open all the same.
   * @returns the symbols that are flat; undefined: not known
   */
  async #reportRemaining(
    account: TradingAccount,
    before: readonly Position[] | undefined,
    failures: ReadonlyMap<string, string>,
  ): Promise<readonly string[] | undefined> {
    const open = await this.#attempt('the remaining positions are unknown', () =>
      this.#fetchLeft(account, before ?? []),
    )
    for (const { side, amount, symbol } of open ?? []) {
      const why = failures.get(symbol)
      const still = `could not close the ${showAmount(amount)} ${symbol} ${side}; its stops remain`
      this.#left.push(this.#line(why === undefined ? still : `${still}: ${why}`))
    }
    for (const [symbol, why] of open === undefined ? failures : []) {
      this.#left.push(this.#line(`${symbol} was not closed: ${why}`))
    }
    if (open === undefined || before === undefined) return undefined
    const flat = before.filter(({ symbol }) => !open.some((position) => position.symbol === symbol))
    await Promise.all(flat.map(({ symbol }) => this.#cancelAll(account, symbol)))
    if (account.venue.kind === 'spot')
      this.#context.out.warn(this.#line('coins of a spot account are not sold; `close <SYMBOL>` sells them'))
    return flat.map(({ symbol }) => symbol)
  }

  #by() {
    const by = this.#context.orderedBy()
    // What flattens is sent in simulation too.
    return this.#isSimulated ? by : ({ ...by, flattens: true } as const)
  }

  #line(text: string): string {
    return `account ${printable(this.#name, 40)}: ${text}`
  }

  /** @returns undefined when it was refused */
  async #attempt<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      if (this.#isWould(error)) return undefined
      if (!isRefusal(error)) throw error
      this.#left.push(this.#line(`${what}: ${describeRefusal(error)}`))
      return undefined
    }
  }

  #isWould(error: unknown): boolean {
    if (!(error instanceof Simulated)) return false
    printWould(error.would, (text, data) => this.#context.out.info(this.#line(text), data))
    return true
  }
}
