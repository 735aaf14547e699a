import type { WorkFrame } from '../sessions/session-state.ts'

/** What a page asks besides topics, commands and edits. */
export type DeskFrame = Exclude<
  WorkFrame,
  {
    readonly t:
      | 'subscribe'
      | 'unsubscribe'
      | 'cmd:exec'
      | 'preview'
      | 'hooks:counts'
      | 'hooks:test'
      | `mutate:${string}`
  }
>
