// The fills of an account as a file for spreadsheets: the columns of `fills --csv`, exact figures, oldest first.
import type { Answer, Question } from '../../../client/questions.ts'
import { renderCsv } from '../../../language/csv.ts'

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
}

export interface FillsFile {
  readonly text: string
  readonly rows: number
  /** Why some may be missing, a line each. */
  readonly gaps: readonly string[]
}

/** @param ask for one page; rejects where hookline refuses, and then there is no file */
export async function fillsFile(
  ask: (question: Question<'fills:query'>) => Promise<FillsPage>,
  question: Pick<Question<'fills:query'>, 'account' | 'filters'>,
): Promise<FillsFile> {
  const fills: Fill[] = []
  const gaps = new Set<string>()
  let cursor: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await ask({ ...question, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    fills.push(...page.fills)
    for (const gap of page.gaps) gaps.add(gap)
    cursor = page.next
    if (cursor === undefined) break
  }
  if (cursor !== undefined) gaps.add(`only the newest ${fills.length} fills are in it: choose a shorter span`)
  const rows = fills.reverse().map((fill) => Object.values(COLUMNS).map((text) => text(fill) ?? ''))
  return { text: `${renderCsv(Object.keys(COLUMNS), rows)}\n`, rows: rows.length, gaps: [...gaps] }
}

/** `fills-paper-30d.csv`: of an account's name, only what every file system takes. */
export function fillsFileName(account: string, span: string): string {
  return `fills-${account.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')}-${span}.csv`
}
