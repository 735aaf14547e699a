// hookline told to stop while hooks run and pages are connected.
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type CreatedHook, createHook, isPortClosed, RunningHookline } from '../../harness/process/hookline.ts'
import { RawClient } from '../../harness/wire/raw-http.ts'
import type { WsClient } from '../../harness/wire/ws-client.ts'
import { fire } from './fire-hook.ts'
import { readJournal } from './journal-lines.ts'
import { openPage, trustPages } from './trusted-page.ts'

export interface Stop {
  readonly exitMs: number
  readonly code: number | null
  /** Pages that were told 1001. */
  readonly told: number
  /** The answer to a fire on a connection that was open before. */
  readonly lateStatus: number
  /** Runs that the journal does not have the end of. */
  readonly openEnded: number
}

export async function stopBusy(signal: NodeJS.Signals, count: { runs: number; pages: number }): Promise<Stop> {
  const directory = tempDirectory()
  const trusted = { clientId: randomUUID() }
  trustPages(directory, trusted)
  const hook = await createHook(directory, 'alert', 'sleep 10m', '--parallel', '100')
  const hookline = await RunningHookline.listening(directory)
  // It listens a moment before it lets pages in.
  const opens = () => openPage(trusted).then(close, () => false)
  await expect.poll(opens, { timeout: 5_000 }).toBe(true)
  const pages = await Promise.all(Array.from({ length: count.pages }, () => openPage(trusted)))
  const runIds: string[] = []
  while (runIds.length < count.runs) runIds.push((await fire(hook)).runId)
  const late = await beginFire(hook)
  const from = performance.now()
  hookline.signal(signal)
  await expect.poll(isPortClosed, { interval: 5 }).toBe(true)
  const { status } = await late.send(`X-Hook-Token: ${hook.token}\r\nContent-Length: 0\r\n\r\n`).answer()
  const { code } = await hookline.ended()
  const exitMs = performance.now() - from
  const codes = await Promise.all(pages.map((page) => page.closed()))
  const journal = readJournal(directory)
  return {
    exitMs,
    code,
    told: codes.filter((closed) => closed.code === 1001).length,
    lateStatus: status,
    openEnded: runIds.filter((runId) => journal.done(runId).length !== 1).length,
  }
}

/** Half a head, so that the connection counts as busy. The request after it tells that hookline has read that far. */
async function beginFire(hook: CreatedHook): Promise<RawClient> {
  const client = await new RawClient().connected()
  client.send(`POST /hook/${hook.id} HTTP/1.1\r\nHost: 127.0.0.1:53219\r\n`)
  await fetch('http://127.0.0.1:53219/health')
  return client
}

async function close(page: WsClient): Promise<true> {
  await page.leave()
  return true
}
