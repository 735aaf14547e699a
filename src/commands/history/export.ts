// `export --tax`: every fill and every funding payment of a year, a row for each. docs/tax.md describes the columns.
import { defined } from '../../base/defined.ts'
import type { Market } from '../../exchange/market.ts'
import type { FundingPayment } from '../../exchange/order.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { shown } from '../../language/printable.ts'
import { showMoment } from '../../trading/figures.ts'
import { nameOf } from '../../trading/history/executions.ts'
import type { Notes } from '../../trading/history/notes.ts'
import { type DayOf, utcDay, zonedDay } from '../../trading/history/pnl-groups.ts'
import { Exact, type RealizedExecution } from '../../trading/history/realize.ts'
import { isPractice } from '../account/account-words.ts'
import type { SingleCommand } from '../kit/command.ts'
import type { TaxRowData } from '../kit/data.ts'
import { showSource } from '../kit/lines.ts'
import { takeOption } from '../kit/read-arguments.ts'
import {
  askHistory,
  type HistoryNeed,
  type HistoryOptions,
  readHistoryOptions,
  refuseNamed,
  refuseTags,
  unknownFees,
} from './history-options.ts'
import { isoTime, type ListColumn, showList } from './show-list.ts'

const WORDS = ['--tax', '--zone', '--before-reset', '--json']

export const exportTax: SingleCommand<HistoryNeed> = {
  name: 'export',
  group: 'history',
  usage: '--tax <year> [SYMBOL,…] [--zone <zone>] [--before-reset] [--json]',
  summary: 'every fill and funding payment of a year as CSV, with its realized profit; docs/tax.md has the columns',
  where: 'anywhere',
  showsAccounts: true,
  rows: 'own',
  immediate: true,
  examples: [
    { line: 'export --tax 2026', meaning: 'the account in focus; a year in UTC' },
    { line: 'export --tax 2026 --zone Europe/Berlin', meaning: 'a year in that zone' },
  ],
  complete: ({ symbols }) => [...symbols, ...WORDS],
  check: (args) => readTaxOptions(args, 0),
  async run(context, args) {
    const { clock, accountName, ports, out } = context
    const now = clock.now()
    const { year, zone, dayOf, ...options } = readTaxOptions(args, now)
    const { funding, markets, notes, ...history } = await askHistory(context, options, true)
    const account = ports.accounts.find(accountName)
    const isOfYear = (ms: number) => dayOf(ms).startsWith(`${year}-`)
    const executions = history.executions.filter(({ trade }) => isOfYear(trade.timestamp))
    const gaps = [...history.gaps, ...unknownFees(executions)]
    const bySymbol = new Map(markets.map((market) => [market.symbol, market]))
    const place: Place = {
      account: accountName,
      exchange: account?.exchange ?? '',
      practice: account !== undefined && isPractice(account),
    }
    const marketOf = (symbol: string) => bySymbol.get(symbol)
    const rows = [
      ...executions.map((execution) =>
        fillRow(execution, { place, dayOf, notes, market: marketOf(execution.trade.symbol) }),
      ),
      ...funding
        .filter(({ timestamp }) => isOfYear(timestamp))
        .map((payment) => fundingRow(payment, { place, dayOf, market: marketOf(payment.symbol) })),
    ].sort((a, b) => a.at - b.at)
    const data = (listed: readonly TaxRowData[]) =>
      ({ type: 'tax', account: accountName, year, ...defined({ zone }), rows: listed, gaps }) as const
    const list = { columns: COLUMNS, rows, gaps, none: '', data }
    showList(context, list, { ...options, limit: Math.max(1, rows.length) })
    if (isOfYear(now)) out.warn(`${year} is not over: the rows end at ${showMoment(now)}`)
  },
}

interface TaxOptions extends HistoryOptions {
  readonly year: number
  /** Absent: UTC. */
  readonly zone?: string
  readonly dayOf: DayOf
}

/** Before anything could be traded there is nothing to export. */
const FIRST_YEAR = 2009
/** No zone is further from UTC. */
const ZONE_MS = 14 * 3_600_000

/** @param now ms since the epoch; 0: not known @throws {LanguageError} */
function readTaxOptions(args: readonly Argument[], now: number): TaxOptions {
  refuseNamed(args, ['--since', '--until', '--limit', '--csv'], WORDS)
  const { rest: withoutYear, value: typedYear } = takeOption(args, '--tax', 'the year')
  const { rest, value: zone } = takeOption(withoutYear, '--zone', 'the zone')
  const at = (option: string) => args.find((each) => each.kind === 'word' && each.text.startsWith(option))?.column ?? 1
  if (typedYear === undefined) {
    throw new LanguageError(
      'missing-argument',
      'the year is missing',
      1,
      'type `export --tax 2026`; `trades --csv` and `fills --csv` print other lists',
    )
  }
  const dayOf = zone === undefined ? utcDay : zonedDay(zone)
  if (dayOf === undefined) {
    throw new LanguageError(
      'bad-argument',
      `no time zone ${shown(zone ?? '')} found`,
      at('--zone'),
      'type one such as Europe/Berlin',
    )
  }
  const year = /^\d{4}$/.test(typedYear) ? Number(typedYear) : 0
  const last = now === 0 ? 9999 : new Date(now + ZONE_MS).getUTCFullYear()
  if (year < FIRST_YEAR || year > last) {
    throw new LanguageError(
      'bad-argument',
      `invalid year ${shown(typedYear)}`,
      at('--tax'),
      `type ${FIRST_YEAR} to ${last}`,
    )
  }
  const slackMs = zone === undefined ? 0 : ZONE_MS
  refuseTags(rest)
  const options = readHistoryOptions(rest, now)
  return {
    ...options,
    form: options.form === 'json' ? 'json' : 'csv',
    range: { since: Date.UTC(year, 0, 1) - slackMs, until: Date.UTC(year + 1, 0, 1) + slackMs },
    year,
    dayOf,
    ...defined({ zone }),
  }
}

interface Place {
  readonly account: string
  readonly exchange: string
  readonly practice: boolean
}

interface RowOf {
  readonly place: Place
  readonly dayOf: DayOf
  /** Absent: no longer listed. */
  readonly market: Market | undefined
}

function fillRow(
  { trade, by, pnl, currency, tags }: RealizedExecution,
  { place, dayOf, market, notes }: RowOf & { readonly notes: Notes },
): TaxRowData {
  const { timestamp, symbol, side, amount, price, fee, feeCurrency, orderId, id, cause } = trade
  return {
    ...place,
    at: timestamp,
    day: dayOf(timestamp),
    kind: 'fill',
    symbol,
    side,
    amount,
    price,
    ...(market === undefined ? {} : marketFields(market, amount, price)),
    ...defined({ fee, feeCurrency }),
    ...(pnl === undefined || currency === undefined ? {} : { realized: pnl, currency }),
    orderId,
    id,
    ...(by === undefined ? {} : { by: nameOf(by) }),
    ...defined({ cause }),
    ...notes.ofOrder(symbol, orderId, tags),
  }
}

/** The amounts of inverse contracts are in quote. */
function marketFields({ kind, amountUnit, base, quote }: Market, amount: string, price: string) {
  const isOfQuote = amountUnit === 'quote'
  const value = isOfQuote ? amount : new Exact(amount).times(price).toFixed()
  return { market: kind, unit: isOfQuote ? quote : base, value, quote }
}

function fundingRow(
  { id, symbol, amount, currency, timestamp }: FundingPayment,
  { place, dayOf, market }: RowOf,
): TaxRowData {
  return {
    ...place,
    at: timestamp,
    day: dayOf(timestamp),
    kind: 'funding',
    symbol,
    ...defined({ market: market?.kind }),
    funding: amount,
    currency,
    id,
  }
}

function column(name: string, text: (row: TaxRowData) => string | undefined): ListColumn<TaxRowData> {
  return { title: name, show: (row) => text(row) ?? '', fields: { [name]: text } }
}

const COLUMNS: readonly ListColumn<TaxRowData>[] = [
  column('time', ({ at }) => isoTime(at)),
  column('day', ({ day }) => day),
  column('account', ({ account }) => account),
  column('exchange', ({ exchange }) => exchange),
  column('practice', ({ practice }) => (practice ? 'yes' : 'no')),
  column('kind', ({ kind }) => kind),
  column('symbol', ({ symbol }) => symbol),
  column('market', ({ market }) => market),
  column('side', ({ side }) => side),
  column('amount', ({ amount }) => amount),
  column('unit', ({ unit }) => unit),
  column('price', ({ price }) => price),
  column('value', ({ value }) => value),
  column('quote', ({ quote }) => quote),
  column('fee', ({ fee }) => fee),
  column('fee_currency', ({ feeCurrency }) => feeCurrency),
  column('realized', ({ realized }) => realized),
  column('funding', ({ funding }) => funding),
  column('currency', ({ currency }) => currency),
  column('order', ({ orderId }) => orderId),
  column('id', ({ id }) => id),
  column('from', ({ by }) => by && showSource(by)),
  column('cause', ({ cause }) => cause),
  column('tags', ({ tags = [] }) => tags.join(' ')),
  column('note', ({ note }) => note),
]
