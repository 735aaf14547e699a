import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openLastSeen } from '../../src/stores/last-seen.ts'

const NOW = 1_795_326_743_949

function storeWith(at: number) {
  const directory = tempDirectory()
  const accounts = { paper: { at, orders: [], positions: [] } }
  writeFileSync(join(directory, 'last-seen.json'), JSON.stringify({ accounts }), { mode: 0o600 })
  return openLastSeen(directory, () => NOW)
}

describe('what an account held when it was last seen', () => {
  it('is what was seen later, whichever process writes last', async () => {
    const store = storeWith(NOW + 5)
    await store.note('paper', { at: NOW, orders: [], positions: [] })
    expect(store.find('paper')?.at).toBe(NOW + 5)
  })

  it.each([NOW + 86_400_000, Number.MAX_SAFE_INTEGER])('is not kept for ever by a time to come: %i', async (at) => {
    const store = storeWith(at)
    await store.note('paper', { at: NOW, orders: [], positions: [] })
    expect(store.find('paper')?.at).toBe(NOW)
  })
})
