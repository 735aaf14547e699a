// Notices stay in the list behind the bell until they are seen.
import { create } from 'zustand'
import { readJson, TAB_STORAGE, writeJson } from '../../client/text-storage.ts'
import type { ConsolePage } from '../../protocol/console.ts'
import type { NoticeRow } from '../../protocol/rows.ts'
import type { Group } from '../state/preferences.ts'

// --- groups of notices: a person chooses which give a sound or a notification

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

/** With the name of its account, where the text has not got it. @param shown the account that is looked at already */
export function noticeText({ text, account }: Pick<Notice, 'text' | 'account'>, shown?: string): string {
  const isKnown = account === undefined || account === shown || text.split(/[^\w-]+/).includes(account)
  return isKnown ? text : `${account}: ${text}`
}

interface Notification {
  readonly group: Group
  readonly text: string
  /** The same notice in two tabs is shown once. */
  readonly tag: string
}

const MAX_AT_ONCE = 3
const MOST_TEXT = 200

/** Newest last; more than a few at once are one. @param shown as of {@link noticeText} */
export function notificationsOf(rows: readonly NoticeRow[], chosen: readonly Group[], shown?: string): Notification[] {
  const chosenRows = rows.flatMap((row) => {
    const group = groupOf(row)
    if (group === undefined || !chosen.includes(group)) return []
    return [{ group, text: noticeText(row, shown).slice(0, MOST_TEXT), tag: `hookline.${row.id}.${row.at}` }]
  })
  const last = chosenRows.at(-1)
  if (last === undefined || chosenRows.length <= MAX_AT_ONCE) return chosenRows
  const worst = chosenRows.find(({ group }) => group === 'failures') ?? last
  return [{ ...last, group: worst.group, text: `${chosenRows.length} notices; the last: ${last.text}` }]
}

interface Notice {
  readonly id: number
  readonly at: number
  readonly tone: 'info' | 'warn' | 'error'
  readonly text: string
  readonly account?: string | undefined
  /** Where it happened. */
  readonly page: ConsolePage
  readonly href?: string | undefined
  /** An order, a fire or a task has failed: its page bears a mark. */
  readonly isFailure: boolean
  readonly isSeen: boolean
  readonly times: number
  /** Its id in the hookline that sent it. */
  readonly notifiedAs?: number
}

const MAX_KEPT = 50

export interface Notices {
  readonly notices: readonly Notice[]
  readonly lastId: number
  /** The newest from hookline; undefined: it sends none, and the page makes its own. */
  readonly notifiedId?: number
  /** What was seen in this tab before it was loaded; undefined: it is new. */
  readonly seen?: Seen
}

interface Seen {
  /** All up to this time, ms since the epoch. */
  readonly until: number
  /** The times of those after it. */
  readonly later: readonly number[]
}

const SEEN_KEY = 'hookline.seen'

/** Newest first. */
export const useNotices = create<Notices>(() => {
  const seen = readJson(SEEN_KEY, TAB_STORAGE)
  return { notices: [], lastId: 0, ...(isSeenBefore(seen) ? { seen } : {}) }
})

export function notice(news: Pick<Notice, 'tone' | 'text' | 'page' | 'href' | 'isFailure'>): void {
  useNotices.setState(({ notices, lastId }) => {
    const id = lastId + 1
    const same = notices.find(({ text, isSeen }) => text === news.text && !isSeen)
    const others = notices.filter((each) => each !== same)
    const added = { ...news, id, at: Date.now(), isSeen: false, times: (same?.times ?? 0) + 1 }
    return { lastId: id, notices: [added, ...others].slice(0, MAX_KEPT) }
  })
}

useNotices.subscribe(({ notices, notifiedId }) => {
  const seen = seenOf(notices)
  if (notifiedId !== undefined && seen !== undefined) writeJson(SEEN_KEY, seen, TAB_STORAGE)
})

/** So that a reload keeps what is new. A page that is looked at is seen while an older notice of another is not. @param notices newest first @returns undefined: there are none */
export function seenOf(notices: readonly Pick<Notice, 'at' | 'isSeen'>[]): Seen | undefined {
  const [newest] = notices
  if (newest === undefined) return undefined
  const oldestUnseen = notices.findLast(({ isSeen }) => !isSeen)
  const until = oldestUnseen === undefined ? newest.at : oldestUnseen.at - 1
  const later = notices.flatMap(({ at, isSeen }) => (isSeen && at > until ? [at] : []))
  return { until, later }
}

function isSeenBefore(value: unknown): value is Seen {
  if (typeof value !== 'object' || value === null) return false
  const { until, later } = value as Record<string, unknown>
  return typeof until === 'number' && Array.isArray(later)
}

function wasSeen({ notifiedId, seen }: Notices, at: number): boolean {
  if (notifiedId !== undefined) return false
  return seen === undefined || at <= seen.until || seen.later.includes(at)
}

/** Takes the notices of a frame: those from before this tab was opened count as seen. @returns what is new, oldest first */
export function takeNotices(rows: readonly NoticeRow[]): NoticeRow[] {
  const before = useNotices.getState()
  useNotices.setState(withNotices(before, rows))
  return newAmong(before, rows)
}

/** Rows not taken before, and rows that hookline sent again. */
export function newAmong({ notices, notifiedId }: Notices, rows: readonly NoticeRow[]): NoticeRow[] {
  if (notifiedId === undefined) return []
  const isAnew = (rows.at(-1)?.id ?? 0) < notifiedId
  return rows.filter(({ id, count }) => {
    const before = isAnew ? undefined : notices.find(({ notifiedAs }) => notifiedAs === id)
    return before === undefined ? isAnew || id > notifiedId : count > before.times
  })
}

export function withNotices(state: Notices, rows: readonly NoticeRow[]): Notices {
  const highest = rows.at(-1)?.id ?? 0
  // Ids begin anew with a new process.
  const isAnew = state.notifiedId !== undefined && highest < state.notifiedId
  const known = isAnew ? state.notices.map(({ notifiedAs: _notifiedAs, ...rest }) => rest) : state.notices
  let { lastId } = state
  const chosenRows = rows.map((row): Notice => {
    const before = known.find((each: Notice) => each.notifiedAs === row.id)
    if (before === undefined) lastId += 1
    return {
      id: before?.id ?? lastId,
      at: row.at,
      text: row.text,
      account: row.account,
      times: row.count,
      notifiedAs: row.id,
      tone: TONES.get(row.severity) ?? 'warn',
      ...placeOfNotice(row),
      isFailure: groupOf(row) === 'failures',
      isSeen: before?.isSeen ?? wasSeen(state, row.at),
    }
  })
  const others = known.filter((each: Notice) => !chosenRows.some(({ notifiedAs }) => notifiedAs === each.notifiedAs))
  const ended = endedHalts(rows)
  const notices = [...chosenRows, ...others]
    .map((each: Notice) =>
      each.notifiedAs !== undefined && ended.has(each.notifiedAs) ? { ...each, isSeen: true } : each,
    )
    .sort((a, b) => b.at - a.at || b.id - a.id)
    .slice(0, MAX_KEPT)
  return { ...state, notices, lastId, notifiedId: highest }
}

/** What is no longer so asks for no look: a halt that a later row of the same account has ended. */
function endedHalts(rows: readonly NoticeRow[]): ReadonlySet<number> {
  const halts = rows.filter(({ kind, account }) => kind === 'halt' && account !== undefined)
  const ends = halts.filter(({ severity }) => severity === 'info')
  const isEnded = ({ account, at, id }: NoticeRow) =>
    ends.some((end) => end.account === account && (end.at > at || (end.at === at && end.id > id)))
  return new Set(halts.filter(isEnded).map(({ id }) => id))
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
