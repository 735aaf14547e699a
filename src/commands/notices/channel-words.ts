// Channels as people read them.
import { shownUrl } from '../../notices/webhook.ts'
import type { ChannelSettings } from '../../stores/notices.ts'

/** Where it goes: `chat 123`, `https://example.com/…`. An address may hold a secret of its receiver. */
export function whereTo({ type, chatId, url }: ChannelSettings): string {
  if (type === 'telegram') return `chat ${chatId ?? ''}`
  return type === 'webhook' ? shownUrl(url ?? '') : 'this desktop'
}

export function kindWords({ kinds }: ChannelSettings): string {
  if (kinds === undefined) return 'all'
  return kinds.length === 0 ? 'none' : kinds.join(' ')
}
