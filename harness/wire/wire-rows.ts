// Rows and requests that several of these tests need.
import { randomUUID } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CrossTradeConfig, Frame } from '../../src/protocol/frames.ts'

export function crossTradeConfig(change: Partial<CrossTradeConfig> = {}): CrossTradeConfig {
  return {
    id: randomUUID(),
    enabled: true,
    masterAccount: 'paper',
    masterWeight: 1,
    copiers: [{ account: 'copy', weight: -0.5, mode: 'Market' }],
    updatedAt: 1_000,
    ...change,
  }
}

export function taskRow(change: Partial<Frame<'state:tasks'>['tasks'][number]> = {}) {
  return {
    id: randomUUID(),
    kind: 'chase',
    account: 'paper',
    symbol: 'BTCUSDT',
    command: 'buy $10',
    runId: randomUUID(),
    status: 'running',
    progress: 0,
    startedAt: 1,
    updatedAt: 2,
    ...change,
  }
}

/** Replaces a file of the config directory the way most editors and programs do: written beside it, then renamed over it. */
export function replaceFile(directory: string, name: string, content: unknown): void {
  const beside = join(directory, `.${name}.${randomUUID()}`)
  writeFileSync(beside, JSON.stringify(content))
  renameSync(beside, join(directory, name))
}

/** Fires the hook over HTTP. */
export async function fire({ id, secret }: { readonly id: string; readonly secret: string }) {
  const answer = await fetch(`http://127.0.0.1:53219/hook/${id}`, {
    method: 'POST',
    headers: { 'X-Hook-Token': secret },
  })
  return { status: answer.status, body: (await answer.json()) as { ok: boolean; runId?: string; error?: string } }
}
