import { setTimeout as sleep } from 'node:timers/promises'
import { rawRequest } from '../../../harness/wire/raw-http.ts'
import type { Hook } from '../../../src/stores/hooks.ts'

export interface Firing {
  /** Which hook is next; undefined: none any more. */
  readonly next: () => Hook | undefined
  /** Until the next fire, in ms. */
  readonly pause: () => number
}

/** Fires on so many connections, whether or not anybody answers. @returns ends it, with how many fires were accepted */
export function keepFiring(connections: number, { next, pause }: Firing): () => Promise<number> {
  let isOver = false
  let fires = 0
  const firing = Array.from({ length: connections }, async () => {
    while (!isOver) {
      const hook = next()
      if (hook === undefined) return
      if (await fire(hook)) fires += 1
      await sleep(pause())
    }
  })
  return async () => {
    isOver = true
    await Promise.all(firing)
    return fires
  }
}

/** @returns whether it was accepted; not where nobody listens */
export async function fire({ id, secret }: Pick<Hook, 'id' | 'secret'>): Promise<boolean> {
  const head = `POST /hook/${id} HTTP/1.1\r\nHost: 127.0.0.1:53219\r\nX-Hook-Token: ${secret}\r\nContent-Length: 0\r\n\r\n`
  const answer = await rawRequest(head).catch(() => undefined)
  return answer?.status === 200
}
