// No limit without a test: each row of the tables is used by name in some test, so that it cannot be changed or dropped unseen.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { LISTENER_LIMITS } from '../../../src/listener/listener-limits.ts'
import { WIRE_LIMITS } from '../../../src/protocol/frames.ts'

const TESTS = resolve(import.meta.dirname, '../..')

/** Everything but what only holds the tables against the documents. */
const texts = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts') && !path.startsWith('protocol-doc'))
  .map((path) => readFileSync(join(TESTS, path), 'utf8'))

/** Held by the number of behaviour 142 in test/cli/after-start.port.test.ts. */
const HELD_BY_NUMBER = 'LISTENER_LIMITS.clientHintMs'

const limits = Object.entries({ WIRE_LIMITS, LISTENER_LIMITS })
  .flatMap(([table, rows]) => Object.keys(rows).map((row) => `${table}.${row}`))
  .filter((limit) => limit !== HELD_BY_NUMBER)

it.each(limits)('%s is held by a test', (limit) => {
  const name = new RegExp(`\\b${limit.replace('.', '\\.')}\\b`)
  expect(texts.some((text) => name.test(text))).toBe(true)
})
