// A channel of config.json, opened: how it sends, and how often. Loaded with the first notice that is to be sent.

import type { KeyOwner } from '../credentials/credentials.ts'
import { CredentialsError, type Keys } from '../credentials/keys.ts'
import type { KeyPlace } from '../stores/accounts.ts'
import type { ChannelSettings } from '../stores/notices.ts'
import type { Deliver } from './channel-sender.ts'
import { desktopDelivery } from './desktop.ts'
import { NoticeError, ownerOf } from './notice.ts'
import { TELEGRAM_API, telegramDelivery } from './telegram.ts'
import { TelegramChat } from './telegram-chat.ts'
import { readWebhookUrl, webhookDelivery } from './webhook.ts'

export interface ChannelSurroundings {
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  readonly version: string
  readonly now: () => number
  readonly readKeys: (owner: KeyOwner, place: KeyPlace) => Promise<Keys>
}

export function openChannel(channel: ChannelSettings, surroundings: ChannelSurroundings): Deliver {
  const { platform, env, version, now, readKeys } = surroundings
  const secret = () => readSecret(channel, readKeys)
  switch (channel.type) {
    case 'desktop':
      return desktopDelivery({ platform, env })
    case 'telegram':
      return telegramDelivery({ chatId: channel.chatId ?? '', token: secret, now, api: botApi(channel) })
    case 'webhook':
      return webhookDelivery({ url: channel.url ?? '', secret, now, version })
  }
}

type ChatSurroundings = Pick<ChannelSurroundings, 'now' | 'readKeys'> & Pick<ChatOptions, 'pause'>
type ChatOptions = ConstructorParameters<typeof TelegramChat>[0]

/** The chat of a Telegram channel, to be read. */
export function openChat(
  channel: ChannelSettings,
  { now, pause, readKeys }: ChatSurroundings,
  events: Pick<ChatOptions, 'seen' | 'onEvent' | 'onChange'>,
): TelegramChat {
  const token = () => readSecret(channel, readKeys)
  return new TelegramChat({ ...events, chatId: channel.chatId ?? '', token, api: botApi(channel), now, pause })
}

/** Where the Bot API of a channel is: Telegram's own, or a server of the operator's. @throws {NoticeError} `not-supported` */
function botApi({ api = TELEGRAM_API }: ChannelSettings): string {
  const address = readWebhookUrl(api)
  if ('why' in address) throw new NoticeError('not-supported', `the address of the Bot API is refused: ${address.why}`)
  return api.replace(/\/+$/, '')
}

/** @throws {NoticeError} `locked`, `no-secret` */
async function readSecret({ name, keys }: ChannelSettings, readKeys: ChannelSurroundings['readKeys']): Promise<string> {
  const hint = `\`notices add ${name}\` asks for it`
  if (keys === undefined) throw new NoticeError('no-secret', `channel ${name} has no secret`, { hint })
  let found: Keys
  try {
    found = await readKeys(ownerOf(name), keys)
  } catch (cause) {
    if (cause instanceof CredentialsError && cause.code === 'vault-locked') {
      throw new NoticeError('locked', 'the vault, which has its secret, is locked', {
        hint: 'type `vault unlock`; its notices wait until then',
        cause,
      })
    }
    throw new NoticeError('no-secret', `the secret of channel ${name} cannot be had from the ${keys.from}`, {
      hint,
      cause,
    })
  }
  if (found.secret !== undefined) return found.secret
  throw new NoticeError('no-secret', `the ${keys.from} has no secret of channel ${name}`, { hint })
}
