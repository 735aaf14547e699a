// Files for spreadsheets, as RFC 4180 has them: fills (the columns of `fills --csv`), what was made, and what an account was worth. Figures are
// exact, and no cell is one that a spreadsheet would run.
import { defined } from '../../../base/defined.ts'
import type { Answer, Question } from '../../../client/questions.ts'
import { renderCsv } from '../../../language/printable.ts'
import { madeRows } from './use-view.ts'

type FillsPage = Answer<'fills:query'>
type Fill = FillsPage['fills'][number]

/** Of one question; the most that hookline gives. */
const PAGE = 200
/** So that a file of a year's scalping is made, and one without end is not. */
const MAX_PAGES = 500

const COLUMNS: Readonly<Record<string, (fill: Fill) => string | undefined>> = {
  time: ({ timestamp }) => new Date(timestamp).toISOString(),
  symbol: ({ symbol }) => symbol,
  side: ({ side }) => side,
  amount: ({ amount }) => amount,
  price: ({ price }) => price,
  fee: ({ fee }) => fee,
  fee_currency: ({ feeCurrency }) => feeCurrency,
  pnl: ({ pnl }) => pnl,
  pnl_currency: ({ pnlCurrency }) => pnlCurrency,
  order: ({ orderId }) => orderId,
  source: ({ source }) => source,
  origin: ({ origin }) => origin,
  run: ({ runId }) => runId,
  fill: ({ id }) => id,
  tags: ({ tags = [] }) => tags.join(' '),
  note: ({ note }) => note,
}

export interface CsvFile {
  readonly text: string
  readonly rows: number
  /** Why some may be missing, a line each. */
  readonly gaps: readonly string[]
}

/** @param ask for one page; rejects where hookline refuses, and then there is no file */
export async function fillsFile(
  ask: (question: Question<'fills:query'>) => Promise<FillsPage>,
  question: Pick<Question<'fills:query'>, 'account' | 'filters'>,
): Promise<CsvFile> {
  const fills: Fill[] = []
  const gaps = new Set<string>()
  let cursor: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await ask({ ...question, limit: PAGE, ...defined({ cursor }) })
    fills.push(...page.fills)
    for (const gap of page.gaps) gaps.add(gap)
    cursor = page.next
    if (cursor === undefined) break
  }
  if (cursor !== undefined) gaps.add(`only the newest ${fills.length} fills are in it: choose a shorter span`)
  const rows = fills.reverse().map((fill) => Object.values(COLUMNS).map((text) => text(fill) ?? ''))
  return { text: csv(Object.keys(COLUMNS), rows), rows: rows.length, gaps: [...gaps] }
}

/** A line for each key and currency, which are never added. */
export function pnlFile(answer: Answer<'pnl:query'>): CsvFile {
  const header = [answer.by, 'currency', 'net', 'realized', 'fees', 'funding', 'fills']
  const rows = madeRows(answer).map(({ key, currency, net, realized, fees, funding, fills }) => [
    key,
    currency,
    net,
    realized,
    fees,
    funding,
    String(fills),
  ])
  return { text: csv(header, rows), rows: rows.length, gaps: answer.gaps }
}

export function equityFile({ account, currency = '', points }: Answer<'equity:query'>): CsvFile {
  const rows = points.map(([at, total, wallet]) => [new Date(at).toISOString(), account, currency, total, wallet])
  return { text: csv(['time', 'account', 'currency', 'equity', 'wallet'], rows), rows: rows.length, gaps: [] }
}

/** No cell has a line break: each of the file's is the end of a record. */
function csv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${renderCsv(header, rows)}\n`.replaceAll('\n', '\r\n')
}

/** `fills-paper-1m.csv`: of an account's name, only what every file system takes. */
export function csvName(what: string, account: string, span: string): string {
  return `${what}-${account.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')}-${span}.csv`
}
