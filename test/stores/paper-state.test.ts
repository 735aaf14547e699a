import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openPaperState } from '../../src/stores/paper-state.ts'

describe('paper state', () => {
  const parse = (value: unknown): { readonly wallet?: string; readonly journal?: string } => value as object
  const changes = {
    encode: (_from: object, to: object) => JSON.stringify(to),
    apply: (_from: object, to: unknown) => to as object,
  }

  test('is one file per account', async () => {
    const directory = tempDirectory()
    await openPaperState(directory, 'main_2', { parse, changes, defaults: {} }).update(() => ({ wallet: '1' }))
    expect(existsSync(join(directory, 'paper-main_2.json'))).toBe(true)
  })

  test.each(['', '../x', 'a/b', 'a.b', 'x'.repeat(33)])('refuses the account name "%s"', (name) => {
    const open = () => openPaperState(tempDirectory(), name, { parse, changes, defaults: {} })
    expect(open).toThrow(expect.objectContaining({ code: 'invalid-value' }))
  })
})
