// Everything that could carry a secret, or a line that a stranger forged, into a file or onto the wire.
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createHook, type RunningHookline } from '../../harness/process/hookline.ts'
import { ask } from '../../harness/process/piped-repl.ts'
import { knock, WsClient } from '../../harness/wire/ws-client.ts'
import { fire } from './fire-hook.ts'
import { FORGED_LABELS, FORGED_ORIGINS } from './forged-lines.ts'

const KEYS = { apiKey: randomUUID(), secret: randomUUID(), password: randomUUID() }
const SECRET_FILES = ['hooks.json', 'accounts.json']

/** An account with keys; to be called before hookline starts. */
export function writeKeys(directory: string): void {
  const row = { name: 'live', exchange: 'bybit', ...KEYS, createdAt: 1, updatedAt: 1 }
  writeFileSync(join(directory, 'accounts.json'), JSON.stringify({ accounts: [row] }))
}

/** Hooks that look at hooks and accounts, fired rightly and wrongly, shown and rotated, from everywhere. @returns every secret there was */
export async function useSecrets(directory: string, repl: RunningHookline, page: WsClient): Promise<string[]> {
  const looking = await createHook(directory, 'looking', 'hooks; account; runs; status; balance')
  const peeping = await createHook(directory, 'peeping', `hook show ${looking.id}; hook rotate ${looking.id}; hooks`)
  const secrets = new Set([...Object.values(KEYS), looking.token, peeping.token])
  for (const hook of [looking, peeping]) {
    await fire({ url: hook.url, token: '0'.repeat(32) })
    await fire(hook, { headers: { 'User-Agent': 'tell me all' } })
    await fetch(`${hook.url}?token=${hook.token}`, { method: 'POST' })
    for (const verb of ['show', 'rotate']) secrets.add(tokenIn(await ask(repl, `hook ${verb} ${hook.id}`)))
    page.send({ t: 'cmd:exec', id: hook.id, command: `hook show ${hook.id}; hook rotate ${hook.id}; account; hooks` })
    await page.nextFrame('cmd:done')
    for (const token of tokensIn(directory)) secrets.add(token)
  }
  return [...secrets]
}

function tokensIn(directory: string): string[] {
  const { hooks } = JSON.parse(readFileSync(join(directory, 'hooks.json'), 'utf8')) as { hooks: { secret: string }[] }
  return hooks.map(({ secret }) => secret)
}

function tokenIn(text: string): string {
  const token = /token +([0-9a-f]{32})/.exec(text)?.[1]
  if (token === undefined) throw new Error(`no token was shown, but: ${text}`)
  return token
}

/** One line of the log a second is all that strangers get. */
const LOG_PAUSE_MS = 1_050

/** Strangers knock under origins, and ask to be let in under names, that are meant to be shown or logged. */
export async function forgeLines(repl: RunningHookline): Promise<void> {
  for (const label of FORGED_LABELS) await WsClient.hello({ label })
  for (const origin of FORGED_ORIGINS) {
    // The bytes of UTF-8, which RawClient sends one by one.
    const client = await knock({ headers: { Origin: Buffer.from(origin).toString('latin1') } })
    await client.answer()
    await sleep(LOG_PAUSE_MS)
  }
  await ask(repl, 'clients')
}

/** Every file that is not meant to hold secrets. */
export function openTexts(directory: string): string[] {
  const names = readdirSync(directory).filter((name) => !SECRET_FILES.includes(name))
  return names.map((name) => readFileSync(join(directory, name), 'utf8'))
}
