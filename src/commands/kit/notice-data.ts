// The channels of notices, for programs. Secrets and paths of addresses are not among it.
import type { NoticeKind } from '../../notices/notice.ts'
import type { ChannelType } from '../../stores/notices.ts'

export interface NoticesData {
  readonly type: 'notices'
  readonly channels: readonly {
    readonly name: string
    readonly type: ChannelType
    readonly to: string
    /** Absent: all. */
    readonly kinds?: readonly NoticeKind[]
    readonly waiting: number
    readonly sent: number
    readonly failed: number
    readonly leftOut: number
    /** ms since the epoch. */
    readonly lastAt?: number
    readonly lastError?: string
  }[]
  readonly quiet?: string
}
