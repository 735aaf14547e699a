// The filters of the journal as its address has them: `/journal?state=failed&hook=dip&span=7d`. Pure.
import { defined } from '../../../base/defined.ts'
import type { Question } from '../../../client/questions.ts'
import { outcomeOf } from '../../runs/run-words.ts'

export const SPANS = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000, '30d': 2_592_000_000 } as const
export const OUTCOMES = ['ok', 'failed', 'skipped', 'expired', 'stopped', 'refused', 'interrupted', 'running'] as const
const NAMES = ['hook', 'source', 'account', 'symbol', 'state', 'text', 'span'] as const
type Name = (typeof NAMES)[number]

/** What is absent lets everything through. */
export type RunFilters = { readonly [name in Name]?: string }

const MAX_LENGTH = 64

export function readFilters(search: string): RunFilters {
  const given = new URLSearchParams(search)
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = (given.get(name) ?? '').slice(0, MAX_LENGTH)
      return value === '' ? [] : [[name, value]]
    }),
  )
}

/** With its question mark; empty where nothing is filtered. */
export function writeFilters(filters: RunFilters): string {
  const pairs = NAMES.flatMap((name) => (filters[name] ? [[name, filters[name]]] : []))
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

/** hookline knows of `skipped` and its like as of failed ones: those are told apart by {@link passes}. */
const STATES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ ok: 'done', skipped: 'failed', expired: 'failed', stopped: 'failed', refused: 'failed' }),
)

export function questionOf(
  { hook, source, account, symbol, state, text, span }: RunFilters,
  now: number,
): NonNullable<Question<'runs:query'>['filters']> {
  const ms = span === undefined ? undefined : SPANS[span as keyof typeof SPANS]
  return {
    ...defined({ hookId: hook, source, account, symbol: symbol?.toUpperCase() }),
    ...(state === undefined ? {} : { status: STATES.get(state) ?? state }),
    ...defined({ text }),
    ...(ms === undefined ? {} : { from: now - ms }),
  }
}

/** What the answer to {@link questionOf} still has too many of. */
export function passes(run: Parameters<typeof outcomeOf>[0], { state }: RunFilters): boolean {
  return state === undefined || outcomeOf(run) === state
}
