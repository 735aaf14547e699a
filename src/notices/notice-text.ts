// Notices as one line of plain text each. What they say may come from a venue, an alert or a page: it is made printable and cut, and no channel
// reads markup in it (behaviours 20, 50).
import { printable } from '../language/printable.ts'
import type { Notice, NoticeRow } from './notice.ts'

/** In UTF-16 units. */
export const TEXT_LENGTH = 400
const NAME_LENGTH = 64

/** The notice with its texts made safe. */
export function cutNotice({ kind, severity, text, account, hook }: Notice): Notice {
  return {
    kind,
    severity,
    text: printable(text.trim(), TEXT_LENGTH).trimEnd(),
    ...(account === undefined ? {} : { account: printable(account, NAME_LENGTH) }),
    ...(hook === undefined ? {} : { hook: printable(hook, NAME_LENGTH) }),
  }
}

/** What is the same said again. */
export function keyOf({ kind, text, account, hook }: Notice | NoticeRow): string {
  return JSON.stringify([kind, account, hook, text])
}

/** `[paper] bought 0.003 BTCUSDT at 65,012.5 (×3)`. */
export function noticeLine({ text, account, count }: Pick<NoticeRow, 'text' | 'account' | 'count'>): string {
  const where = account === undefined ? '' : `[${account}] `
  return `${where}${text}${count > 1 ? ` (×${count})` : ''}`
}

/** Several in one message, oldest first. @param leftOut had no room in the queue @param maxLength in UTF-16 units */
export function messageOf(rows: readonly NoticeRow[], leftOut: number, maxLength = Number.POSITIVE_INFINITY): string {
  const missing = leftOut === 0 ? [] : [`${leftOut === 1 ? '1 notice' : `${leftOut} notices`} before this left out`]
  const text = [...missing, ...rows.map(noticeLine)].join('\n')
  // Without half of a character at its end.
  return text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')
}
