import type { NoticePort } from '../../src/notices/notice.ts'
import { Notices } from '../../src/notices/notices.ts'
import type { ConfigStore } from '../../src/stores/config.ts'
import { failLoudly } from './guarded-account.ts'

/** Kept, and delivered to no one. */
export function quietNotices(config: ConfigStore, now: () => number): NoticePort {
  return new Notices({
    now,
    settings: () => config.read().notices,
    open: async () => async () => {},
    pause: async () => {},
    warn: () => {},
    onBug: failLoudly,
  })
}
