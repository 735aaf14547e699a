import type { Frame } from '../../../protocol/frames.ts'

// What was made, as rows of a table: one for each key and currency, because currencies are never added to one another.

const WAYS = ['day', 'symbol', 'hook', 'account'] as const
export type Way = (typeof WAYS)[number]

type PnlPage = Frame<'pnl:page'>
export type Sums = PnlPage['total']['sums'][number]

export interface MadeRow extends Sums {
  readonly key: string
  readonly fills: number
}

export function wayOf(text: string | null): Way {
  return WAYS.find((way) => way === text) ?? 'day'
}

export function madeRows({ groups }: Pick<PnlPage, 'groups'>): readonly MadeRow[] {
  return groups.flatMap(({ key, fills, sums }) => sums.map((sum) => ({ ...sum, key, fills })))
}

/** How long the bar of each is, from 0 to 1 of the longest in its currency. Floats, because pixels are. */
export function barParts(rows: readonly MadeRow[]): ReadonlyMap<MadeRow, number> {
  const sizeOf = ({ net }: MadeRow) => Math.abs(Number(net))
  const most = new Map<string, number>()
  for (const row of rows) most.set(row.currency, Math.max(most.get(row.currency) ?? 0, sizeOf(row)))
  return new Map(rows.map((row) => [row, sizeOf(row) / (most.get(row.currency) || 1)]))
}

/** Who ordered, in words: `hook:dip`, `repl`, `other`. */
export function makerName(key: string): string {
  if (key === 'repl') return 'by hand'
  if (key === 'other') return 'not known to hookline'
  const [, kind, name] = /^(hook|web|copier|task):(.+)$/s.exec(key) ?? []
  if (name === undefined) return key
  return kind === 'web' ? `page ${name}` : `${kind} ${name}`
}
