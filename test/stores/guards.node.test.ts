// guards.json fails towards safety: whatever is wrong with it, the accounts that it may speak of are halted, and it is said why (behaviour 40).
import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openGuardStore } from '../../src/stores/guards.ts'

const SOUND = { guards: [{ account: 'main', limits: { order: '500' } }, { account: 'other' }] }

function stage(content: unknown) {
  const directory = tempDirectory()
  const path = join(directory, 'guards.json')
  if (content !== undefined)
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
  return { directory, path, store: openGuardStore(directory, { now: () => 1 }) }
}

describe('guards.json', () => {
  it('that was never there holds nobody up', () => {
    expect(stage(undefined).store.read('main')).toEqual({ state: 'active', simulated: false, limits: {} })
  })

  it.each([
    ['is cut off', '{"guards":[{"account":"main"'],
    ['is of another shape', { guards: 'none' }],
    ['has a state that does not exist', { all: { state: 'stopped' }, guards: [] }],
    ['has a state twice', '{"guards":[{"account":"main","state":"halted","state":"active"}]}'],
    ['has a limit twice', '{"guards":[{"account":"main","limits":{"order":"5","order":"off"}}]}'],
    ['has a state whose name is misspelt', { guards: [{ account: 'main', State: 'halted' }] }],
    ['has a state for all whose name is misspelt', { all: { sate: 'halted' }, guards: [] }],
    ['has a limit whose name is misspelt', { guards: [{ account: 'main', limits: { oder: '500' } }] }],
    ['has everything under a misspelt name', { guards: [], All: { state: 'halted' } }],
    ['is of a newer hookline', { version: 99, guards: [] }],
  ])('that %s halts every account, and says so', async (_, content) => {
    const { store } = stage(content)
    for (const account of ['main', 'nobody']) {
      expect(store.read(account)).toMatchObject({ state: 'halted', doubt: 'guards.json cannot be read' })
    }
    expect(store.problem()).toBeDefined()
    await expect(store.release('main')).rejects.toThrow(/guards\.json/)
    expect(store.read('main').state).toBe('halted')
  })

  it.each([
    ['a limit that is a number', { account: 'bad', limits: { order: 500 } }],
    ['a limit that is no amount', { account: 'bad', limits: { day: '1e9' } }],
    ['a limit below zero', { account: 'bad', limits: { rate: '-1' } }],
    ['no account', { state: 'active' }],
  ])('with a row of %s: those that have a good row go on, all others are halted', (_, row) => {
    const { store } = stage({ guards: [...SOUND.guards, row] })
    expect(store.read('main')).toMatchObject({ state: 'active', limits: { order: '500' } })
    expect(store.read('bad')).toMatchObject({ state: 'halted', doubt: 'a row of guards.json cannot be read' })
  })

  it('with two rows of an account halts that one', () => {
    const { store } = stage({ guards: [...SOUND.guards, { account: 'main' }] })
    expect(store.read('main')).toMatchObject({ state: 'halted', doubt: 'guards.json has two rows of it' })
    expect(store.read('other').state).toBe('active')
  })

  it('that is gone while hookline runs halts after a moment, until `resume` writes it anew', async () => {
    const { store, path } = stage(SOUND)
    expect(store.read('main').state).toBe('active')
    rmSync(path)
    expect(store.read('main')).toMatchObject({ state: 'active', limits: { order: '500' } })
    await expect
      .poll(() => store.read('main'), { timeout: 3_000 })
      .toMatchObject({ state: 'halted', doubt: 'guards.json is gone' })
    await store.release(undefined)
    expect(store.read('main').state).toBe('active')
  })

  it('that went while nothing was asked of it halts at the first look', async () => {
    const { store, path } = stage(SOUND)
    expect(store.read('main').state).toBe('active')
    await new Promise((resolve) => setTimeout(resolve, 900))
    rmSync(path)
    expect(store.read('main')).toMatchObject({ state: 'halted', doubt: 'guards.json is gone' })
  })

  it('whose link leads nowhere halts', () => {
    const { directory, path } = stage(undefined)
    symlinkSync(join(directory, 'nowhere.json'), path)
    expect(openGuardStore(directory).read('main').state).toBe('halted')
  })

  it('that others may write, that is a directory, or that belongs to another user halts', () => {
    const writable = stage(SOUND)
    chmodSync(writable.path, 0o666)
    expect(openGuardStore(writable.directory).read('main').state).toBe('halted')
    const folder = stage(undefined)
    mkdirSync(folder.path)
    expect(folder.store.read('main').state).toBe('halted')
    if (process.getuid?.() !== 0) return
    const foreign = stage(SOUND)
    chownSync(foreign.path, 12_345, 12_345)
    expect(openGuardStore(foreign.directory).read('main').state).toBe('halted')
  })

  it('keeps a halt over a restart, and tells other processes at once', async () => {
    const { directory, store } = stage(SOUND)
    const other = openGuardStore(directory)
    expect(other.read('main').state).toBe('active')
    await store.restrict('main', 'halted', 'hook dip')
    for (const each of [other, openGuardStore(directory)]) {
      expect(each.read('main')).toEqual({
        state: 'halted',
        since: 1,
        lastRestricted: 1,
        by: 'hook dip',
        simulated: false,
        limits: { order: '500' },
      })
    }
  })

  it('holds a halt in this process though it cannot be written', async () => {
    const { store, path } = stage(SOUND)
    rmSync(path)
    mkdirSync(path)
    const saved = store.restrict('main', 'halted', 'the terminal')
    expect(store.read('main').state).toBe('halted')
    await expect(saved).rejects.toThrow()
    expect(store.read('main').state).toBe('halted')
  })

  it('gives what two processes say at the same time its room, and the stricter holds', async () => {
    const { directory, store } = stage(SOUND)
    const other = openGuardStore(directory)
    await Promise.all([
      store.restrict('main', 'reducing', 'its loss limit'),
      other.restrict('main', 'halted', 'hook dip'),
      store.setLimits('main', { day: '100' }),
      other.simulate('other', true),
    ])
    expect(openGuardStore(directory).read('main')).toMatchObject({
      state: 'halted',
      limits: { order: '500', day: '100' },
    })
    expect(openGuardStore(directory).read('other').simulated).toBe(true)
  })
})
