// Which hooks the list shows, and in which order. Pure.
import type { Answer } from '../../../client/questions.ts'
import type { HookRow } from '../../../protocol/frames.ts'

export type HookDay = Answer<'hooks:counts'>['hooks'][number]
export type HookLeft = NonNullable<Answer<'hooks:counts'>['left']>[number]
export const ORDERS = { fired: 'Last fired', name: 'Name', failed: 'Most failures' } as const
export type HookOrder = keyof typeof ORDERS

export function shownHooks(
  hooks: readonly HookRow[],
  days: ReadonlyMap<string, HookDay>,
  { text, order }: { readonly text: string; readonly order: HookOrder },
): readonly HookRow[] {
  const wanted = text.trim().toLowerCase()
  const fits = ({ name, command, id }: HookRow) => `${name}\n${command}\n${id}`.toLowerCase().includes(wanted)
  const rank = ({ id }: HookRow) => {
    const day = days.get(id)
    return order === 'fired' ? (day?.last?.at ?? 0) : order === 'failed' ? (day?.failed ?? 0) : 0
  }
  return hooks.filter(fits).sort((a, b) => rank(b) - rank(a) || a.name.localeCompare(b.name))
}

export const PARTS = ['ok', 'failed', 'skipped', 'expired'] as const

export function dayWords(day: HookDay | undefined): string {
  if (day === undefined || day.fires === 0) return 'no fires in 24 h'
  const parts = PARTS.flatMap((part) => (day[part] > 0 ? [`${day[part]} ${part}`] : []))
  return `${day.fires} ${day.fires === 1 ? 'fire' : 'fires'} in 24 h: ${parts.join(', ')}`
}
