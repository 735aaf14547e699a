// What a person should not miss: it stays in the list behind the bell until it was looked at.
import { create } from 'zustand'
import type { ConsolePage } from '../../protocol/console.ts'
import type { NoticeRow } from '../../protocol/rows.ts'

// --- What of hookline's notices a person may be told away from the page, in groups that they can choose.

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

const MAX_AT_ONCE = 3
const MOST_TEXT = 200

/** Newest last; more than a few at once are one. */
export function toldOf(rows: readonly NoticeRow[], chosen: readonly Group[]): Told[] {
  const told = rows.flatMap((row) => {
    const group = groupOf(row)
    if (group === undefined || !chosen.includes(group)) return []
    return [{ group, text: row.text.slice(0, MOST_TEXT), tag: `hookline.${row.id}.${row.at}` }]
  })
  const last = told.at(-1)
  if (last === undefined || told.length <= MAX_AT_ONCE) return told
  const worst = told.find(({ group }) => group === 'failures') ?? last
  return [{ ...last, group: worst.group, text: `${told.length} notices; the last: ${last.text}` }]
}

interface Notice {
  readonly id: number
  readonly at: number
  readonly tone: 'info' | 'warn' | 'error'
  readonly text: string
  /** Where it happened: its icon in the rail bears a mark. */
  readonly page: ConsolePage
  readonly href?: string | undefined
  readonly isSeen: boolean
  readonly times: number
  /** Its id at hookline, which told it. */
  readonly toldAs?: number
}

const MAX_KEPT = 50

export interface Notices {
  readonly notices: readonly Notice[]
  readonly lastId: number
  /** The newest that hookline has told; undefined: it tells none, and the page notes what it sees itself. */
  readonly toldId?: number
}

/** Newest first. */
export const useNotices = create<Notices>(() => ({ notices: [], lastId: 0 }))

export function notice(news: Pick<Notice, 'tone' | 'text' | 'page' | 'href'>): void {
  useNotices.setState(({ notices, lastId }) => {
    const id = lastId + 1
    const same = notices.find(({ text, isSeen }) => text === news.text && !isSeen)
    const others = notices.filter((each) => each !== same)
    const added = { ...news, id, at: Date.now(), isSeen: false, times: (same?.times ?? 0) + 1 }
    return { lastId: id, notices: [added, ...others].slice(0, MAX_KEPT) }
  })
}

/** What hookline told: what it had told before this page came counts as seen. @returns what is new, oldest first */
export function takeTold(rows: readonly NoticeRow[]): NoticeRow[] {
  const before = useNotices.getState()
  useNotices.setState(withTold(before, rows))
  return newAmong(before, rows)
}

/** Those that had not been told yet, and those that were said again. */
export function newAmong({ notices, toldId }: Notices, rows: readonly NoticeRow[]): NoticeRow[] {
  if (toldId === undefined) return []
  const isAnew = (rows.at(-1)?.id ?? 0) < toldId
  return rows.filter(({ id, count }) => {
    const before = isAnew ? undefined : notices.find(({ toldAs }) => toldAs === id)
    return before === undefined ? isAnew || id > toldId : count > before.times
  })
}

export function withTold(state: Notices, rows: readonly NoticeRow[]): Notices {
  const highest = rows.at(-1)?.id ?? 0
  // Ids begin anew with a new process.
  const isAnew = state.toldId !== undefined && highest < state.toldId
  const known = isAnew ? state.notices.map(({ toldAs: _toldAs, ...rest }) => rest) : state.notices
  let { lastId } = state
  const told = rows.map((row): Notice => {
    const before = known.find((each: Notice) => each.toldAs === row.id)
    if (before === undefined) lastId += 1
    return {
      id: before?.id ?? lastId,
      at: row.at,
      text: row.text,
      times: row.count,
      toldAs: row.id,
      tone: TONES.get(row.severity) ?? 'warn',
      ...placeOfNotice(row),
      isSeen: before?.isSeen ?? state.toldId === undefined,
    }
  })
  const others = known.filter((each: Notice) => !told.some(({ toldAs }) => toldAs === each.toldAs))
  const notices = [...told, ...others].sort((a, b) => b.at - a.at || b.id - a.id).slice(0, MAX_KEPT)
  return { notices, lastId, toldId: highest }
}

const TONES: ReadonlyMap<string, Notice['tone']> = new Map([
  ['info', 'info'],
  ['warn', 'warn'],
  ['urgent', 'error'],
])

export function placeOfNotice({ kind, hook }: NoticeRow): Pick<Notice, 'page' | 'href'> {
  if (hook !== undefined) return { page: 'hooks', href: `/hooks/${encodeURIComponent(hook)}` }
  return kind === 'failed-hook' ? { page: 'journal', href: '/journal' } : { page: 'trade', href: '/trade' }
}

/** @param page looked at as a whole; undefined: the list was opened */
export function markSeen(page?: ConsolePage): void {
  const isMeant = (each: Notice) => !each.isSeen && (page === undefined || each.page === page)
  if (!useNotices.getState().notices.some(isMeant)) return
  useNotices.setState(({ notices }) => ({
    notices: notices.map((each) => (isMeant(each) ? { ...each, isSeen: true } : each)),
  }))
}
