import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { keepNoticeResults } from '../../src/app/open-notices.ts'
import { openConfigStore } from '../../src/stores/config.ts'
import { openNoticeResults, openUnsentNotices, UNSENT_FOR_MS } from '../../src/stores/notices.ts'

it('how the last notice of each channel went is there for another process', async () => {
  const directory = tempDirectory()
  const store = openNoticeResults(directory)
  await store.note(new Map([['phone', { at: 1, error: 'no answer within 5 s' }]]), ['phone', 'desktop'])
  await openNoticeResults(directory).note(new Map([['desktop', { at: 2 }]]), ['phone', 'desktop'])
  expect([store.find('phone'), store.find('desktop'), store.find('toString')]).toEqual([
    { at: 1, error: 'no answer within 5 s' },
    { at: 2 },
    undefined,
  ])
  expect(statSync(join(directory, 'notice-results.json')).mode & 0o777).toBe(0o600)
})

it('what a channel that is gone has left goes with the next result', async () => {
  const directory = tempDirectory()
  const store = openNoticeResults(directory)
  await store.note(new Map([['phone', { at: 1 }]]), ['phone'])
  await store.note(new Map([['desktop', { at: 2 }]]), ['desktop'])
  expect(JSON.parse(readFileSync(join(directory, 'notice-results.json'), 'utf8'))).toMatchObject({
    channels: { desktop: { at: 2 } },
  })
  expect(store.find('phone')).toBeUndefined()
})

it('results are written at the end at the latest, each channel with its last', async () => {
  const directory = tempDirectory()
  const config = openConfigStore(directory)
  await config.changeNotices(() => ({ desktop: {} }))
  const store = openNoticeResults(directory)
  const problems: unknown[] = []
  const kept = keepNoticeResults(store, config, (error) => void problems.push(error))
  for (let at = 1; at <= 5; at++) kept.note('desktop', { at })
  expect(store.find('desktop')).toBeUndefined()
  await kept.close()
  expect(store.find('desktop')).toEqual({ at: 5 })
  expect(problems).toEqual([])
})

describe('what is not sent yet', () => {
  const row = (text: string, at = 1_000) => ({ id: 1, at, kind: 'task', severity: 'warn', text, count: 1 })
  const notice = (id: string, at?: number) => ({ channel: 'phone', id, row: row(id, at) })
  const [first, second] = [
    { pid: 1_001, born: '1' },
    { pid: 1_002, born: '2' },
  ]
  function stage() {
    const directory = tempDirectory()
    const alive = new Set([1_001, 1_002])
    let now = 2_000
    const open = (identity: { readonly pid: number; readonly born: string }) =>
      openUnsentNotices(directory, { identity, isAlive: ({ pid }) => alive.has(pid), now: () => now })
    const pass = (ms: number) => {
      now += ms
    }
    return { directory, alive, open, pass }
  }

  it('is taken over by one process once that of the other has ended, and not before', async () => {
    const { directory, alive, open } = stage()
    const [one, other] = [open(first), open(second)]
    await one.keep([notice('a'), notice('b')], [])
    await other.keep([notice('c')], [])
    expect(await other.takeOver()).toEqual([])
    alive.delete(1_001)
    expect(await other.takeOver()).toEqual([notice('a'), notice('b')])
    expect(await other.takeOver()).toEqual([])
    await other.keep([notice('b')], [])
    alive.delete(1_002)
    alive.add(1_001)
    expect(await open(first).takeOver()).toEqual([notice('b')])
    expect(statSync(join(directory, 'notices-unsent.json')).mode & 0o777).toBe(0o600)
  })

  it('is dropped after a day', async () => {
    const { alive, open, pass } = stage()
    await open(first).keep([notice('a', 2_000), notice('b', 3_000)], [])
    alive.delete(1_001)
    pass(UNSENT_FOR_MS)
    expect(await open(second).takeOver()).toEqual([notice('b', 3_000)])
  })

  it('makes no file where there is nothing to send', async () => {
    const { directory, open } = stage()
    await open(first).keep([], [])
    expect(existsSync(join(directory, 'notices-unsent.json'))).toBe(false)
  })

  it('has the report of each alert that ended since the first look, once', async () => {
    const { open, pass } = stage()
    const [one, other] = [open(first), open(second)]
    const alert = (id: string, updatedAt: number) => ({ id, updatedAt })
    const early = alert('early', 2_000)
    expect(await one.claim([early])).toEqual([])
    await one.takeOver()
    expect(await one.claim([early])).toEqual([])
    await one.keep([], ['told'])
    pass(10_000)
    const [told, lost] = [alert('told', 5_000), alert('lost', 5_000)]
    expect(await other.claim([told])).toEqual([])
    expect(await Promise.all([one.claim([told, lost]), other.claim([lost])])).toEqual([[lost], []])
    pass(UNSENT_FOR_MS)
    expect(await one.claim([alert('old', 5_000)])).toEqual([])
  })
})
