// What was made, as rows of a table: one for each key and currency, because currencies are never added to one another.
import type { Frame } from '../../../protocol/frames.ts'

export const WAYS = ['day', 'symbol', 'hook', 'account'] as const
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

/** Who ordered, in words: `hook:dip`, `repl`, `other`. */
export function makerName(key: string): string {
  if (key === 'repl') return 'by hand'
  if (key === 'other') return 'not known to hookline'
  const [, kind, name] = /^(hook|web|copier|task):(.+)$/s.exec(key) ?? []
  if (name === undefined) return key
  return kind === 'web' ? `page ${name}` : `${kind} ${name}`
}
