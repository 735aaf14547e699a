// Faults of strangers: bytes that come before anybody has said who they are.
import { setTimeout as sleep } from 'node:timers/promises'
import { createHook, post, RunningHookline } from '../test/cli/hookline.ts'
import { RawClient } from '../test/support/raw-http.ts'
import { tempDirectory } from '../test/support/temp-directory.ts'
import { scenario } from './scenario.ts'

const SILENT = 500

scenario(
  9,
  '500 connections are opened and never say a word',
  'all closed in ≤ 6 s (headersTimeout + 1 s), a fire meanwhile answered in < 250 ms',
  async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'h', 'echo ok')
    await RunningHookline.listening(directory)
    const openedAt = performance.now()
    const silent = await Promise.all(Array.from({ length: SILENT }, () => new RawClient().connected()))
    const firedAt = performance.now()
    const { status } = await post(hook.url, hook.token)
    const fireMs = performance.now() - firedAt
    const ended = Promise.all(silent.map((client) => client.ended())).then(() => performance.now() - openedAt)
    const closedMs = await Promise.race([ended, sleep(10_000, Number.POSITIVE_INFINITY)])
    return {
      got: `closed after ${(closedMs / 1_000).toFixed(1)} s, the fire answered ${status} in ${fireMs.toFixed(0)} ms`,
      holds: closedMs <= 6_000 && status === 200 && fireMs < 250,
    }
  },
)
