// An app whose notices go to a webhook and to a Telegram bot, both on this machine.
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import type { NoticeReceiver } from '../../harness/network/notice-receiver.ts'
import { type RunningApp, startApp } from '../../harness/process/running-app.ts'

export const KEY = Buffer.alloc(32, 5)
export const TOKEN = `123456789:${'TokenOfTheBot'.repeat(3)}`

/** @param settings of `notices`, in place of those */
export async function telling(receiver: NoticeReceiver, settings: object = {}): Promise<RunningApp> {
  return startApp({ directory: tempDirectory(), config: { notices: channelsTo(receiver, settings) } })
}

/** `notices` of config.json. */
export function channelsTo(receiver: NoticeReceiver, settings: object = {}): object {
  const secretIn = (name: string, secret: string) => {
    const path = join(tempDirectory(), name)
    writeFileSync(path, JSON.stringify({ secret }))
    chmodSync(path, 0o600)
    return { from: 'file', path }
  }
  return {
    webhooks: [
      { name: 'phone', url: `${receiver.origin}/in`, keys: secretIn('whsec', `whsec_${KEY.toString('base64')}`) },
    ],
    telegram: { chatId: '42', keys: secretIn('token', TOKEN), kinds: [], api: receiver.origin },
    ...settings,
  }
}

export interface Told {
  readonly type: string
  readonly data: { readonly kind: string; readonly severity: string; readonly text: string; readonly hook?: string }
}

export const toldTo = ({ received }: NoticeReceiver): readonly Told[] =>
  received.filter(({ url }) => url === '/in').map(({ body }) => JSON.parse(body) as Told)
