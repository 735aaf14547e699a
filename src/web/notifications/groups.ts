// What of hookline's notices a person may be told away from the page, in groups that they can choose.
import type { NoticeRow } from '../../protocol/rows.ts'

export const GROUPS = ['failures', 'fills', 'stops', 'guards', 'said'] as const
export type Group = (typeof GROUPS)[number]

const GROUP_OF: ReadonlyMap<string, Group> = new Map([
  ['fill', 'fills'],
  ['stop', 'stops'],
  ['guard', 'guards'],
  ['halt', 'guards'],
  ['said', 'said'],
  ['failed-hook', 'failures'],
  ['paused-hook', 'failures'],
  ['unknown-order', 'failures'],
  ['task', 'failures'],
])

/** A kind that is not known yet counts as a failure unless it is mere information. */
export function groupOf({ kind, severity }: Pick<NoticeRow, 'kind' | 'severity'>): Group | undefined {
  const group = GROUP_OF.get(kind) ?? 'failures'
  return group === 'failures' && severity === 'info' ? undefined : group
}

interface Told {
  readonly group: Group
  readonly text: string
  /** The same notice in two tabs is shown once. */
  readonly tag: string
}

const MOST = 3
const MOST_TEXT = 200

/** Newest last; more than a few at once are one. */
export function toldOf(rows: readonly NoticeRow[], chosen: readonly Group[]): Told[] {
  const told = rows.flatMap((row) => {
    const group = groupOf(row)
    if (group === undefined || !chosen.includes(group)) return []
    return [{ group, text: row.text.slice(0, MOST_TEXT), tag: `hookline.${row.id}.${row.at}` }]
  })
  const last = told.at(-1)
  if (last === undefined || told.length <= MOST) return told
  const worst = told.find(({ group }) => group === 'failures') ?? last
  return [{ ...last, group: worst.group, text: `${told.length} notices; the last: ${last.text}` }]
}
