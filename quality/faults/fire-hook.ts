// Fires as senders send them: with a body, with headers of their own, and with what came of each.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CreatedHook } from '../../harness/process/hookline.ts'

export type WrittenHook = Pick<CreatedHook, 'id' | 'name' | 'url' | 'token'>

/** Makes `hooks.json` as a person does who writes it: nothing checks the commands. @param commands by the hook's name */
export function writeHooks(directory: string, commands: Readonly<Record<string, string>>): WrittenHook[] {
  const rows = Object.entries(commands).map(([name, command], index) => {
    const [id, secret] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')]
    return { id, name, secret, command, createdAt: index }
  })
  writeFileSync(join(directory, 'hooks.json'), JSON.stringify({ hooks: rows }))
  return rows.map(({ id, name, secret }) => ({ id, name, token: secret, url: `http://127.0.0.1:53219/hook/${id}` }))
}

export interface Fired {
  readonly status: number
  /** Of an accepted fire. */
  readonly runId: string
}

export interface Sent {
  readonly body?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

export async function fire(
  hook: Pick<CreatedHook, 'url' | 'token'>,
  { body = '', headers = {} }: Sent = {},
): Promise<Fired> {
  const response = await fetch(hook.url, { method: 'POST', body, headers: { 'X-Hook-Token': hook.token, ...headers } })
  const { runId = '' } = (await response.json()) as { runId?: string }
  return { status: response.status, runId }
}

/** The statuses and how often each came: `20 × 200`. */
export function tellStatuses(fired: readonly Pick<Fired, 'status'>[]): string {
  const counts = new Map<number, number>()
  for (const { status } of fired) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ')
}

export function runIdsOf(fired: readonly Fired[]): string[] {
  return [...new Set(fired.map(({ runId }) => runId).filter((runId) => runId !== ''))]
}
