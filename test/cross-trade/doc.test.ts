// docs/cross-trade.md says what the code does, where that can be compared.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MAX_CRASHES } from '../../src/app/supervise-engine.ts'
import { CEILING_MS, QUIET_MS } from '../../src/cross-trade/account-link.ts'
import { BEAT_MS } from '../../src/cross-trade/engine-lease.ts'
import type { CopierStateName } from '../../src/cross-trade/engine-port.ts'
import { STALE_MS } from '../../src/stores/cross-trade.ts'

const paper = readFileSync(join(import.meta.dirname, '../../docs/cross-trade.md'), 'utf8')

/** A state without a line here does not compile. */
const STATES: Readonly<Record<CopierStateName, true>> = {
  'in-step': true,
  differs: true,
  behind: true,
  waiting: true,
  blocked: true,
  paused: true,
  stale: true,
  unknown: true,
}

test('the table has every state of a copier, and no other', () => {
  const [, section = ''] = paper.split('## States of a copier')
  const [table = ''] = section.split('\n## ')
  const named = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name)
  expect(named).toEqual(Object.keys(STATES))
})

test('its times are those of the code', () => {
  expect(paper).toContain(`quiet for ${QUIET_MS} ms, and ${CEILING_MS} ms at most`)
  // A figure may be at the end of a line.
  expect(paper.replaceAll('\n', ' ')).toContain(
    `its heartbeat, every ${BEAT_MS / 1_000} s; after ${STALE_MS / 1_000} s without one`,
  )
  expect(MAX_CRASHES + 1).toBe(6)
})
