import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { keepNoticeResults } from '../../src/app/open-notices.ts'
import { openConfigStore } from '../../src/stores/config.ts'
import { openNoticeResults } from '../../src/stores/notices.ts'

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
