// Which hooks the list shows, and in which order. Pure.
import type { Answer } from '../../../client/questions.ts'
import type { HookRow } from '../../../protocol/frames.ts'

export type HookDay = Answer<'hooks:counts'>['hooks'][number]
export type HookLeft = NonNullable<Answer<'hooks:counts'>['left']>[number]
export const ORDERS = {
  fired: 'Last fired',
  name: 'Name',
  fires: 'Most fires',
  failed: 'Most failures',
  slow: 'Slowest',
} as const
export type HookOrder = keyof typeof ORDERS

export function shownHooks(
  hooks: readonly HookRow[],
  days: ReadonlyMap<string, HookDay>,
  { text, order }: { readonly text: string; readonly order: HookOrder },
): readonly HookRow[] {
  const wanted = text.trim().toLowerCase()
  const fits = ({ name, command, id, account = '', paused }: HookRow) =>
    [name, command, id, account, paused ? 'paused' : ''].join('\n').toLowerCase().includes(wanted)
  const rank = ({ id }: HookRow) => rankOf(days.get(id), order)
  return hooks.filter(fits).sort((a, b) => rank(b) - rank(a) || a.name.localeCompare(b.name))
}

/** Greatest first. */
function rankOf(day: HookDay | undefined, order: HookOrder): number {
  switch (order) {
    case 'fired':
      return day?.last?.at ?? 0
    case 'fires':
      return day?.fires ?? 0
    case 'failed':
      return day?.failed ?? 0
    case 'slow':
      return day?.p95Ms ?? 0
    default:
      return 0
  }
}

export const PARTS = ['ok', 'failed', 'skipped', 'expired'] as const

export function dayWords(day: HookDay | undefined): string {
  if (day === undefined || day.fires === 0) return 'no fires in 24 h'
  const parts = PARTS.flatMap((part) => (day[part] > 0 ? [`${day[part]} ${part}`] : []))
  return `${day.fires} ${day.fires === 1 ? 'fire' : 'fires'} in 24 h: ${parts.join(', ')}`
}
