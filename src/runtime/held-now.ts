// What an account holds of the symbols that a hook's command trades, read at this moment (behaviour 47): for `--only-if`. What is stale, or
// not settled, is not known.
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import { variableOf } from '../commands/flow/variables.ts'
import { CommandError } from '../commands/kit/errors.ts'
import type { Market } from '../exchange/market.ts'
import type { HeldNow } from '../hooks/fire-limits.ts'
import type { Chain, CommandCall } from '../language/chain.ts'
import { callsIn, expandAlias, replaceVariables } from '../language/expansion.ts'
import type { PositionState } from '../stores/hooks.ts'
import { findMarket } from '../trading/market-view.ts'
import type { TradingAccount } from '../trading/order-desk.ts'
import type { RunEnvironment } from './run-context.ts'

export type HeldPorts = Pick<RunEnvironment, 'lookup' | 'ports' | 'connect'>

/** Commands that change no position: they name orders, or settings. */
const OTHERS = new Set(['cancel', 'amend', 'move', 'bump', 'leverage', 'margin', 'nuke'])

interface HeldQuestion {
  readonly account: string
  readonly chain: Chain
  /** The symbol that a command means where it names none. */
  readonly focus: string
  /** Whose variables its words are. */
  readonly hookId: string | undefined
}

/**
 * @throws what `findMarket` and the venue throw @throws {CommandError} `not-known`
 */
export async function heldNow(
  ports: HeldPorts,
  { account: name, chain, focus, hookId }: HeldQuestion,
): Promise<readonly HeldNow[]> {
  const account = await ports.connect(name)
  requireCurrent(account)
  const markets: Market[] = []
  for (const symbol of symbolsOf(chain, ports, { focus, hookId })) markets.push(await findMarket(account.venue, symbol))
  const unsettled = await account.orders.records.unsettledAnywhere()
  const open = markets.find((market) => unsettled.some(({ order }) => order.symbol === market.symbol))
  if (open !== undefined) throw notKnown(`an earlier ${open.symbol} order has no known outcome`)
  const states = await statesOf(account, markets)
  requireCurrent(account)
  return markets.map(({ symbol }, index) => ({ symbol, state: states[index] ?? 'flat' }))
}

function requireCurrent({ name, venue }: TradingAccount): void {
  if (venue.stream === 'stale') throw notKnown(`the account ${name} is stale`)
}

function notKnown(what: string): CommandError {
  return new CommandError('not-known', what)
}

async function statesOf({ venue }: TradingAccount, markets: readonly Market[]): Promise<readonly PositionState[]> {
  if (venue.kind !== 'spot') {
    const positions = await venue.fetchPositions()
    return markets.map(({ symbol }) => {
      const found = positions.find((position) => position.symbol === symbol)
      return found === undefined || new Decimal(found.amount).isZero() ? 'flat' : found.side
    })
  }
  const balances = await venue.fetchBalances()
  // What is below the minimum order cannot be sold: it is left of fees.
  return markets.map((market) => {
    const total = balances.find(({ currency }) => currency === market.base)?.total ?? '0'
    return new Decimal(total).gte(Decimal.max(market.minAmount, market.lotSize)) ? 'long' : 'flat'
  })
}

type Meaning = Pick<HeldQuestion, 'focus' | 'hookId'>

/** Each once. */
function symbolsOf(chain: Chain, ports: HeldPorts, meaning: Meaning): readonly string[] {
  const named = callsIn(chain).flatMap((call) => symbolsOfCall(call, ports, meaning))
  return named.length === 0 ? [meaning.focus] : [...new Set(named)]
}

function symbolsOfCall(call: CommandCall, ports: HeldPorts, meaning: Meaning): readonly string[] {
  const { focus, hookId } = meaning
  const { lookup, ports: stores } = ports
  const alias = lookup.find(call.name) ? undefined : expandAlias(call, stores.aliases.read())
  if (alias !== undefined) return callsIn(alias).flatMap((inner) => symbolsOfCall(inner, ports, meaning))
  const { form, args } = lookup.resolve(call)
  if (form.sends !== true || OTHERS.has(call.name.toLowerCase())) return []
  const words = replaceVariables(args, (name) =>
    variableOf(stores.variables, { source: 'hook', by: defined({ hookId }) }, name),
  )
  const intent = form.check?.(words)
  if (typeof intent !== 'object' || intent === null) return [focus]
  if ('symbols' in intent && Array.isArray(intent.symbols) && intent.symbols.length > 0) return intent.symbols
  return 'symbol' in intent && typeof intent.symbol === 'string' ? [intent.symbol] : [focus]
}
