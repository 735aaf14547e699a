import { setTimeout as sleep } from 'node:timers/promises'
import { rawRequest } from '../../../harness/wire/raw-http.ts'

const PATIENCE_MS = 60_000

/**
 * Resolves once this process listens.
 * @param lookMs looking oftener takes the processor from who starts
 */
export async function untilHealthy(pid: number, lookMs = 1): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  while (performance.now() < until) {
    const answer = await rawRequest('GET /health HTTP/1.1\r\nHost: 127.0.0.1:53219\r\n\r\n').catch(() => undefined)
    if (answer?.status === 200 && JSON.parse(answer.body).pid === pid) return
    await sleep(lookMs)
  }
  throw new Error('hookline does not listen')
}
