// What a person should not miss: it stays in the list behind the bell until it was looked at.
import { create } from 'zustand'
import type { ConsolePage } from '../../protocol/console-pages.ts'

export interface Notice {
  readonly id: number
  readonly at: number
  readonly tone: 'warn' | 'error'
  readonly text: string
  /** Where it happened: its icon in the rail bears a mark. */
  readonly page: ConsolePage
  readonly href?: string | undefined
  readonly isSeen: boolean
  readonly times: number
}

const MOST = 50

interface Notices {
  readonly notices: readonly Notice[]
  readonly lastId: number
}

/** Newest first. */
export const useNotices = create<Notices>(() => ({ notices: [], lastId: 0 }))

export function notice(news: Pick<Notice, 'tone' | 'text' | 'page' | 'href'>): void {
  useNotices.setState(({ notices, lastId }) => {
    const id = lastId + 1
    const same = notices.find(({ text, isSeen }) => text === news.text && !isSeen)
    const others = notices.filter((each) => each !== same)
    const added = { ...news, id, at: Date.now(), isSeen: false, times: (same?.times ?? 0) + 1 }
    return { lastId: id, notices: [added, ...others].slice(0, MOST) }
  })
}

/** @param page looked at as a whole; undefined: the list was opened */
export function markSeen(page?: ConsolePage): void {
  const isMeant = (each: Notice) => !each.isSeen && (page === undefined || each.page === page)
  if (!useNotices.getState().notices.some(isMeant)) return
  useNotices.setState(({ notices }) => ({
    notices: notices.map((each) => (isMeant(each) ? { ...each, isSeen: true } : each)),
  }))
}
