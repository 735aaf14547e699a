// `pnl`: what was realised, by day, symbol, account or who ordered. Currencies are never added to one another.
import { defined } from '../../base/defined.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable, shown } from '../../language/printable.ts'
import { showSum } from '../../trading/figures.ts'
import { type AccountHistory, askAccount } from '../../trading/history/account-history.ts'
import type { Gap } from '../../trading/history/executions.ts'
import {
  GROUPINGS,
  type GroupedHistory,
  type Grouping,
  groupPnl,
  type PnlGroup,
  type Sums,
} from '../../trading/history/pnl-groups.ts'
import { findMarkets } from '../../trading/market-view.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { describeRefusal, isRefusal } from '../kit/errors.ts'
import { showSource } from '../kit/lines.ts'
import { takeOption } from '../kit/read-arguments.ts'
import { showFigure } from './fills.ts'
import { HISTORY_WORDS, type HistoryOptions, journalOf, readHistoryOptions, refuseTags } from './history-options.ts'
import { type ListColumn, showList } from './show-list.ts'

type Ports = 'orderHistory' | 'accounts' | 'connect'
type NamedGap = Gap & { readonly account?: string }

export const pnl: SingleCommand<Ports> = {
  name: 'pnl',
  group: 'history',
  usage:
    '[SYMBOL,…] [--by day|symbol|hook|account] [--today | --since <time>] [--until <time>] [--limit <n>] [--before-reset] [--csv | --json]',
  summary: 'realized profit by average cost, with fees and funding in their currencies',
  where: 'anywhere',
  showsAccounts: true,
  rows: 'own',
  takesWide: true,
  immediate: true,
  examples: [
    { line: 'pnl', meaning: 'day by day, in UTC' },
    { line: 'pnl --by hook --since 30d', meaning: 'the last 30 days, by the source that opened the position' },
    { line: 'pnl --by account', meaning: 'one row for each account' },
  ],
  complete: ({ words, symbols }) => (words.at(-1) === '--by' ? GROUPINGS : [...symbols, '--by', ...HISTORY_WORDS]),
  check: (args) => readPnlOptions(args, 0),
  async run(context, args) {
    const { by, ...options } = readPnlOptions(args, context.clock.now())
    const { histories, gaps } = by === 'account' ? await askAll(context, options) : await askOne(context, options)
    const { groups, total } = groupPnl(histories, by)
    const accounts = histories.map(({ account }) => account)
    const rows = [...groups.flatMap(rowsOf), ...rowsOf({ key: 'total', ...total })]
    const data = () => ({ type: 'pnl', by, accounts, ...options.range, groups, total, gaps }) as const
    const isEmpty = groups.length === 0
    // A limit is of groups, and the total is always there.
    const list = { columns: columnsOf(by), rows: isEmpty ? [] : rows, gaps, none: 'nothing was realized', data }
    showList(context, list, { ...options, limit: Math.max(options.limit, rows.length) })
    if (by === 'hook' && options.form === 'table' && groups.length > 1) context.out.info(ATTRIBUTION)
  },
}

const ATTRIBUTION = 'from: the source that opened the position: first in, first out'

function readPnlOptions(args: readonly Argument[], now: number): HistoryOptions & { readonly by: Grouping } {
  const { rest, value = 'day' } = takeOption(args, '--by', 'by what')
  refuseTags(rest)
  const by = GROUPINGS.find((grouping) => grouping === value.toLowerCase())
  if (by !== undefined) return { ...readHistoryOptions(rest, now), by }
  const column = args.find((argument) => argument.kind === 'word' && argument.text.includes(value))?.column ?? 1
  const hint = /^tags?$/i.test(value)
    ? 'type `session --since 30d`: it sums the trades of each tag'
    : `use ${GROUPINGS.join(', ')}`
  throw new LanguageError('bad-argument', `invalid grouping ${shown(value)}`, column, hint)
}

interface Asked {
  readonly histories: readonly GroupedHistory[]
  readonly gaps: readonly NamedGap[]
}

async function askOne(context: CommandContext<Ports>, options: HistoryOptions): Promise<Asked> {
  const { accountName: account } = context
  const { executions, funding, gaps } = await askFor(context, account, options)
  return { histories: [{ account, executions, funding, range: options.range }], gaps }
}

/** One that does not answer keeps nobody from knowing of the others. */
async function askAll(context: CommandContext<Ports>, options: HistoryOptions): Promise<Asked> {
  const names = context.ports.accounts.list().map(({ name }) => name)
  const answers = await Promise.all(
    names.map(async (account): Promise<{ history?: GroupedHistory; gaps: readonly Gap[] }> => {
      try {
        const { executions, funding, gaps } = await askFor(context, account, options)
        return { history: { account, executions, funding, range: options.range }, gaps }
      } catch (error) {
        if (!isRefusal(error)) throw error
        return { gaps: [{ kind: 'account-silent', message: describeRefusal(error) }] }
      }
    }),
  )
  return {
    histories: answers.flatMap(({ history }) => (history === undefined ? [] : [history])),
    gaps: answers.flatMap(({ gaps }, index) => gaps.map((gap) => ({ ...gap, account: names[index] ?? '' }))),
  }
}

async function askFor(
  context: CommandContext<Ports>,
  account: string,
  options: HistoryOptions,
): Promise<AccountHistory> {
  const { ports } = context
  const { symbols: typed, range } = options
  const { venue } = await ports.connect(account)
  const symbols = await findMarkets(venue, typed)
  const journal = await journalOf(context, account, options)
  return askAccount(venue, journal, { ...range, withFunding: true, ...(symbols.length === 0 ? {} : { symbols }) })
}

/** Each currency has a line of its own. */
interface PnlRow {
  readonly key: string
  /** On the first line of its group. */
  readonly fills?: number
  readonly sums?: Sums
}

function rowsOf({ key, fills, sums }: PnlGroup): readonly PnlRow[] {
  if (sums.length === 0) return [{ key, fills }]
  return sums.map((each, index) => ({ key, sums: each, ...(index === 0 ? { fills } : {}) }))
}

const SUM_RANKS = { realized: 2, funding: 4, fees: 3, net: undefined } as const

function columnsOf(by: Grouping): readonly ListColumn<PnlRow>[] {
  return [
    {
      least: 12,
      title: by === 'hook' ? 'from' : by === 'day' ? 'day (UTC)' : by,
      show: ({ key }) => printable(by === 'hook' ? showSource(key) : key, 40),
      fields: { [by === 'hook' ? 'from' : by]: ({ key }) => key },
    },
    {
      title: 'currency',
      rank: 5,
      show: ({ sums }) => printable(sums?.currency ?? '', 10),
      fields: { currency: ({ sums }) => sums?.currency },
    },
    ...(['realized', 'funding', 'fees', 'net'] as const).map(
      (figure): ListColumn<PnlRow> => ({
        title: figure,
        align: 'point',
        ...defined({ rank: SUM_RANKS[figure] }),
        show: ({ sums }) =>
          sums === undefined ? '' : showFigure(figure, sums[figure], (sum) => showSum(sum, sums.currency)),
        fields: { [figure]: ({ sums }) => sums?.[figure] },
      }),
    ),
    {
      title: 'fills',
      rank: 6,
      align: 'right',
      show: ({ fills }) => (fills === undefined ? '' : String(fills)),
      fields: { fills: ({ fills }) => (fills === undefined ? undefined : String(fills)) },
    },
  ]
}
