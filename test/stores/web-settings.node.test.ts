import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openWebSettings } from '../../src/stores/web-settings.ts'
import { bundleChild, runChild } from './child-program.ts'

const LISTENER_ID = '0a6f1c2e-3b4d-4e5f-8a9b-0c1d2e3f4a5b'
const OTHER_ID = '7d1f4f0e-52a1-4c3b-9b1e-6f2f0f6f8a11'
const NOTHING = { cli: { checkins: {} }, trustedListenerIds: {} }

function settingsAt(now: () => number = () => 1_700_000_000_000) {
  const directory = tempDirectory()
  const path = join(directory, 'web-settings.json')
  return {
    directory,
    path,
    store: openWebSettings(directory, now),
    write: (content: unknown) => writeFileSync(path, JSON.stringify(content)),
    stored: () => JSON.parse(readFileSync(path, 'utf8')) as unknown,
  }
}

test('without a file there is nothing, and reading writes none', () => {
  const { path, store } = settingsAt()
  expect(store.read()).toEqual(NOTHING)
  expect(existsSync(path)).toBe(false)
})

test('a check-in is kept with its time, for the owner only', async () => {
  const { path, store, stored } = settingsAt()
  await store.checkIn('darwin', { listenerId: LISTENER_ID, version: '1.2.3' })
  const expected = {
    cli: { checkins: { darwin: { at: 1_700_000_000_000, listenerId: LISTENER_ID, version: '1.2.3' } } },
  }
  expect(store.read()).toEqual({ ...expected, trustedListenerIds: {} })
  expect(stored()).toEqual(expected)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('trusting what is trusted and forgetting what is not there write nothing', async () => {
  const { path, store } = settingsAt()
  await expect(store.trust({ laptop: null })).resolves.toEqual(NOTHING)
  expect(existsSync(path)).toBe(false)
  const settings = await store.trust({ laptop: LISTENER_ID })
  const { ino } = statSync(path)
  await expect(store.trust({ laptop: LISTENER_ID, phone: null })).resolves.toEqual(settings)
  expect(statSync(path).ino).toBe(ino)
})

test('what is no UUID is never written', async () => {
  const { path, store } = settingsAt()
  await expect(store.trust({ laptop: 'me' })).rejects.toMatchObject({ code: 'invalid-value' })
  await expect(store.checkIn('linux', { listenerId: 'me', version: '1' })).rejects.toMatchObject({
    code: 'invalid-value',
  })
  expect(existsSync(path)).toBe(false)
})

test.each<[string, unknown]>([
  ['cli must be an object', { cli: [] }],
  ['cli.checkins.linux.at is missing', { cli: { checkins: { linux: { listenerId: LISTENER_ID, version: '1' } } } }],
  [
    'cli.checkins.win32.listenerId must be a UUID',
    { cli: { checkins: { win32: { at: 1, listenerId: 'x', version: '1' } } } },
  ],
  ['trustedListenerIds.laptop must be a UUID', { trustedListenerIds: { laptop: 'me' } }],
  ['trustedListenerIds must be a record', { trustedListenerIds: [] }],
])('a file in which %s trusts nobody and stays as it is', async (message, content) => {
  const { store, write, stored } = settingsAt()
  write(content)
  expect(store.read()).toEqual(NOTHING)
  expect(store.problem()).toMatchObject({ message })
  await expect(store.trust({ laptop: LISTENER_ID })).rejects.toMatchObject({ code: 'store-corrupt' })
  expect(stored()).toEqual(content)
})

test('another process’s change shows at the next look', async () => {
  const { directory, store } = settingsAt()
  const other = openWebSettings(directory)
  await other.trust({ laptop: LISTENER_ID })
  expect(store.read().trustedListenerIds).toEqual({ laptop: LISTENER_ID })
  await store.trust({ laptop: OTHER_ID })
  expect(other.read().trustedListenerIds).toEqual({ laptop: OTHER_ID })
})

const writer = `
  import { openWebSettings } from './web-settings.ts'
  const [directory, name, platform] = process.argv.slice(2)
  const settings = openWebSettings(directory)
  async function main() {
    for (let at = 0; at < 50; at += 1) {
      await settings.trust({ [name + at]: '${LISTENER_ID}' })
      await settings.checkIn(platform, { listenerId: '${LISTENER_ID}', version: '0.0.' + at })
    }
  }
  void main()
`

test('two processes that change it at once lose nothing of each other’s', { timeout: 60_000 }, async () => {
  const directory = tempDirectory()
  const program = await bundleChild(directory, writer)
  const config = join(directory, 'config')
  mkdirSync(config)
  await Promise.all([runChild(program, [config, 'left', 'linux']), runChild(program, [config, 'right', 'darwin'])])
  const { cli, trustedListenerIds } = openWebSettings(config).read()
  expect(Object.keys(trustedListenerIds)).toHaveLength(100)
  expect(cli.checkins).toMatchObject({ linux: { version: '0.0.49' }, darwin: { version: '0.0.49' } })
})
