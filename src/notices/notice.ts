// What the operator is told wherever they are (behaviour 50): one line, of a kind, with what it is about.
import { NOTICE_KINDS, type NoticeKind, type NoticeRow } from '../protocol/rows.ts'

export type { NoticeKind, NoticeRow }
export { NOTICE_KINDS }

/** `urgent`: it is told in quiet hours too. */
export type Severity = 'info' | 'warn' | 'urgent'

export interface Notice {
  readonly kind: NoticeKind
  readonly severity: Severity
  /** May be anything; it is made printable and cut. */
  readonly text: string
  readonly account?: string
  /** The name of the hook. */
  readonly hook?: string
}
