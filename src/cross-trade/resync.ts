// What a person may ask of one row: what it would take to bring it where it should be, and to do it.
import type { OrderedBy } from '../trading/order-plan.ts'
import type { CopyingRow } from './copying-row.ts'
import { CrossTradeError, type PlannedCopy } from './engine-port.ts'
import { allCopies, Decimal, stillOwned, ZERO } from './plan.ts'
import { convert, type SymbolCopier } from './symbol-copier.ts'

/** What the units of a row should hold, in the master's unit, by the master's symbols. */
type Targets = ReadonlyMap<SymbolCopier, ReadonlyMap<string, string>>

/** By the row as it is now. @throws {CrossTradeError} */
export async function targetsOf(row: CopyingRow): Promise<Targets> {
  const { why, row: config } = row.judged
  const id = config.id.slice(0, 8)
  if (!config.enabled) {
    throw new CrossTradeError('row-off', `row ${id} is disabled`, { hint: `\`cross-trade enable ${id}\` enables it` })
  }
  if (why !== undefined) throw new CrossTradeError('row-refused', `row ${id} copies nothing: ${why}`)
  if (!(await row.master.refresh()) || row.state?.isOn !== true) throw stale(row.master.name, row.master.loss)
  const targets = new Map<SymbolCopier, Map<string, string>>()
  for (const symbol of row.symbols()) {
    const shares = row.sharesOf(symbol, row.master.held(symbol).toFixed())
    for (const unit of row.units) {
      const raw = shares[unit.key]
      if (raw === undefined) continue
      const known = targets.get(unit) ?? new Map<string, string>()
      targets.set(unit, known.set(symbol, raw))
    }
  }
  return targets
}

/** @throws {CrossTradeError} @throws {ExchangeError} */
export async function planFor(row: CopyingRow, targets: Targets): Promise<readonly PlannedCopy[]> {
  const active = row.units.filter((unit) => unit.isActive)
  const plans = await Promise.all(
    active.map(async (unit) => {
      const parts = [...(targets.get(unit) ?? [])].map(async ([symbol, raw]) => {
        if (new Decimal(raw).isZero()) return ZERO
        const amount = await convert(raw, symbol, { master: row.master, copier: unit.link, symbol: unit.name.symbol })
        return typeof amount === 'string' ? undefined : amount
      })
      const amounts = await Promise.all(parts)
      const known = amounts.filter((amount) => amount !== undefined)
      return known.length < amounts.length ? [] : ordersOf(unit, Decimal.sum(ZERO, ...known), true)
    }),
  )
  return plans.flat()
}

/** To close what its orders have built. @throws {CrossTradeError} @throws {ExchangeError} */
export async function planToFlatten(units: readonly SymbolCopier[]): Promise<readonly PlannedCopy[]> {
  return (await Promise.all(units.map((unit) => ordersOf(unit, ZERO, false)))).flat()
}

/** @param builds what others have closed counts as missing */
async function ordersOf(unit: SymbolCopier, desired: Decimal, builds: boolean): Promise<readonly PlannedCopy[]> {
  const { link, name } = unit
  if (!(await link.refresh())) throw stale(link.name, link.loss)
  const market = await link.market(name.symbol)
  if (market === undefined) return []
  const held = link.held(name.symbol)
  const owned = builds ? stillOwned(unit.owned, held) : unit.owned
  const facts = { market, desired, owned, held, price: await link.last(name.symbol) }
  return allCopies(facts).map(({ side, amount, reduceOnly }) => ({
    ...name,
    side,
    amount: amount.toFixed(),
    reduceOnly,
  }))
}

/** Brings the row to its targets. Resolves when each copier has done what it can for now. */
export async function resyncRow(
  row: CopyingRow,
  targets: Targets,
  by: Pick<OrderedBy, 'source' | 'runId'>,
): Promise<void> {
  for (const unit of targets.keys()) unit.adopt(unit.link.held(unit.name.symbol))
  for (const symbol of row.symbols()) {
    const raws = [...targets].flatMap(([unit, parts]) => {
      const raw = parts.get(symbol)
      return raw === undefined ? [] : [[unit.key, raw] as const]
    })
    row.target(symbol, row.master.held(symbol).toFixed(), Object.fromEntries(raws))
  }
  for (const unit of targets.keys()) unit.resync(by)
  await Promise.all([...targets.keys()].map((unit) => unit.idle()))
}

/** Closes what its orders have built; it copies from the master's positions of now on. */
export async function flattenRow(row: CopyingRow, by: Pick<OrderedBy, 'source' | 'runId'>): Promise<void> {
  const { built } = row
  const isCurrent = row.copies && (await row.master.refresh())
  row.beginFlat(isCurrent)
  for (const unit of built) unit.flatten(by)
  await Promise.all(built.map((unit) => unit.idle()))
}

function stale(account: string, why: string | undefined): CrossTradeError {
  const reason = why === undefined ? '' : `: ${why}`
  return new CrossTradeError('stale', `no current data of ${account}${reason}`, {
    hint: 'try again when `cross-trade status` no longer calls it stale',
  })
}
