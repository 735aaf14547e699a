// `chase`: from intent to a task for each symbol, with the price up to which it goes.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { Side } from '../../exchange/order.ts'
import { priceOnGrid } from '../../exchange/price-grid.ts'
import { wordsBehind } from '../../language/arguments.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { type ChaseIntent, parseChase, type Reach } from '../../language/task-intents.ts'
import type { ChaseParams } from '../../tasks/chase.ts'
import { showAmount, showDuration, showPrice } from '../../trading/figures.ts'
import { type Funds, findMarkets, fundsOnce, type MarketView, viewSymbol } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { resolvePrice, restingSide } from '../../trading/pricing.ts'
import { resolveAmount } from '../../trading/sizing.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { cutLine } from '../kit/lines.ts'
import { forEachItem, foreseeEach } from '../kit/running.ts'
import { type AmountToMean, effectLines, judging, MeantAmounts, requireMeant } from '../trading/meant-order.ts'
import { requireReduce, requireType } from '../trading/venue-needs.ts'
import { askedBy, beginTask, type PlannedTask, reducible, shortId } from './begin-task.ts'

type Begin = Extract<ChaseIntent, { kind: 'begin' }>

/** A chase that says nothing else. */
const LASTS_MS = 3_600_000
const KEYWORDS = ['to', 'for', 'then', 'reduce', 'flip']

export const chase: SingleCommand<'tasks'> = {
  name: 'chase',
  group: 'trading',
  usage:
    '<buy | sell> <size> [SYMBOL,…] [to <price>] [for <duration>] [then market | cancel] [reduce | flip]\ncancel [SYMBOL]',
  summary: 'keep a post-only order at the best price of its own side until it fills',
  where: 'anywhere',
  sends: true,
  takesTags: true,
  takesSize: true,
  takesFar: true,
  examples: [
    { line: 'chase buy $250 BTCUSDT', meaning: 'rests at the best bid, and follows it up; for an hour at most' },
    { line: 'chase buy $250 to 1%', meaning: 'no further than one percent above last; to 66000 and to $50 work too' },
    {
      line: 'chase sell 50% reduce for 5m then market',
      meaning: 'half of the position; after five minutes the rest at the market',
    },
    { line: 'chase buy $100 BTCUSDT,ETHUSDT', meaning: 'one chase each' },
    { line: 'chase buy $250 --dry', meaning: 'shows where it would rest; nothing begins' },
    { line: 'chase cancel', meaning: 'ends the newest one on the symbol in focus; `tasks` lists them all' },
  ],
  complete: ({ words, symbols }) => completions(words, symbols),
  check: parseChase,
  durations: (args) => wordsBehind('for', args),
  symbolUse: (args) => symbolsOf(parseChase(args)),
  async run(context, args) {
    const intent = parseChase(args)
    if (intent.kind === 'cancel') return cancelNewest(context, intent.symbol)
    const account = await context.account()
    const funds = fundsOnce(account.venue)
    const typed = intent.symbols.length > 0 ? intent.symbols : [context.symbol]
    const symbols = await findMarkets(account.venue, typed)
    const planOn = (symbol: string, on = account) => planChase(on, { intent, symbol, funds })
    const meant = new MeantAmounts()
    const firstOn = async (symbol: string, on: TradingAccount) => {
      const { first, meaning } = await planOn(symbol, on)
      await requireMeant(context, { ...meaning, funds }, judging(context, on, first), meant)
      return first
    }
    if (!intent.reduce) await foreseeEach(context, { account, items: symbols, planOn: firstOn })
    await forEachItem(context, symbols, async (symbol) => {
      const planned = await planOn(symbol)
      await requireMeant(context, { ...planned.meaning, funds }, judging(context, account, planned.first), meant)
      await beginTask(context, account, planned, args)
      for (const line of effectLines(planned.meaning)) context.out.warn(line)
    })
  },
}

function completions(words: readonly string[], symbols: readonly string[]): readonly string[] {
  if (words.length === 0) return ['buy', 'sell', 'cancel']
  if (words[0] === 'cancel') return symbols
  if (words.at(-1) === 'then') return ['market', 'cancel']
  if (words.at(-1) === 'to') return ['$last', '$bid', '$ask']
  return [...symbols, ...KEYWORDS]
}

interface Chased {
  readonly intent: Begin
  readonly symbol: string
  readonly funds: Funds
}

/** Every figure worked out, and refused what can be refused before anything begins. */
async function planChase(
  account: TradingAccount,
  { intent, symbol, funds }: Chased,
): Promise<PlannedTask & { readonly meaning: AmountToMean }> {
  const { side, reduce, rest, lastsMs = LASTS_MS } = intent
  requirePostOnly(account)
  if (reduce) requireReduce(account)
  const view = await viewSymbol(account.venue, symbol)
  const { market, position } = view
  const limit = intent.to === undefined ? undefined : reachOf(intent.to, side, view)
  const price = pegOf(side, view, limit)
  const percentOf = reduce ? 'position' : 'balance'
  const asked = await resolveAmount(intent.size, { market, side, price, limit: price, position, percentOf, funds })
  const amount = reduce ? reducible(side, asked.amount, view) : asked.amount
  const params: ChaseParams = { side, amount, reduce, lastsMs, rest, ...defined({ limit }) }
  const doing = `${side}s ${showAmount(amount)} ${symbol}`
  const where = `${limit === price ? 'resting' : 'first'} at ${showPrice(price, market)}`
  const reach = limit === undefined || limit === price ? '' : `, no further than ${showPrice(limit, market)}`
  const end = `, for ${showDuration(lastsMs)}${rest === 'market' ? ', then at the market' : ''}`
  const meaning = { ...intent, ...asked, amount, market, position, price, isLater: true }
  return {
    meaning,
    kind: 'chase',
    symbol,
    params,
    first: { symbol, side, type: 'limit', amount, price, postOnly: true, ...(reduce ? { reduceOnly: true } : {}) },
    text: `${doing}, ${where}${reach}${end}${reduce ? ', reduce-only' : ''}`,
    more: () => (asked.cutFrom === undefined ? [] : [cutLine(asked.cutFrom, market)]),
    data: {
      side,
      amount,
      reduceOnly: reduce,
      lastsMs,
      price,
      rest,
      ...defined({ limit, roundedBy: asked.cutFrom?.percent }),
    },
  }
}

/** The best price of its own side, as far as it goes. */
function pegOf(side: Side, { market, ticker }: MarketView, limit: string | undefined): string {
  const touch = side === 'buy' ? ticker.bid : ticker.ask
  if (!new Decimal(touch).gt(0)) {
    const name = side === 'buy' ? 'bids' : 'asks'
    throw new CommandError('no-price', `${market.symbol} has no ${name} now`, {
      hint: `place the first one: \`${side}\``,
    })
  }
  const best = priceOnGrid(touch, market, restingSide(side))
  if (limit === undefined) return best
  const isPast = side === 'buy' ? new Decimal(best).gt(limit) : new Decimal(best).lt(limit)
  return isPast ? limit : best
}

/** A distance goes from last to where it gets worse: up for a buyer, down for a seller. */
function reachOf(reach: Reach, side: Side, view: MarketView): string {
  const expression =
    reach.kind === 'price'
      ? reach.price
      : ({
          base: { kind: 'anchor', anchor: 'last' },
          offset: {
            kind: reach.unit === 'percent' ? 'percent' : 'amount',
            value: side === 'buy' ? reach.value : `-${reach.value}`,
          },
        } as const)
  return priceOnGrid(resolvePrice(expression, view), view.market, restingSide(side))
}

function requirePostOnly(account: TradingAccount): void {
  requireType(account, 'limit')
  if (account.venue.capabilities.postOnly) return
  throw new CommandError('not-supported', `${account.venue.id} takes no post-only orders`, {
    hint: 'type `buy <size> best`: it rests where the best price is now',
  })
}

async function cancelNewest(context: CommandContext<'tasks'>, symbol: string | undefined): Promise<void> {
  const account = await context.account()
  const [found] = await findMarkets(account.venue, [symbol ?? context.symbol])
  const task = context.ports.tasks
    .list()
    .find(
      (each) =>
        each.kind === 'chase' &&
        each.account === context.accountName &&
        each.symbol === found &&
        (each.status === 'running' || each.status === 'interrupted'),
    )
  if (task === undefined) {
    throw new CommandError('unknown-task', `no chase runs on ${found} of account ${context.accountName}`, {
      hint: '`tasks` lists what does',
    })
  }
  const by = await askedBy(context)
  if (by.isDry === true) return context.out.info(`simulated: would cancel chase ${shortId(task.id)}`)
  const { filled, reason } = await context.ports.tasks.ask(task.id, 'cancel', by)
  const what = filled === undefined ? '' : `, ${showAmount(filled)} filled`
  context.out.success(`chase ${shortId(task.id)} on ${found}: ${reason ?? 'canceled'}${what}`)
}
