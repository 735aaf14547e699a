// One table of stores: whatever file is broken, `status` and the notices name it.
import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { problemNotice } from '../../src/app/notices.ts'
import { filesOf, openStores, reportInvalidFiles, storeProblems } from '../../src/app/open-stores.ts'
import type { StoreProblem } from '../../src/stores/store-error.ts'

const NAMES = filesOf(openStores('/nowhere')).map(({ path }) => basename(path))

describe('the table of stores', () => {
  it('has every file that src/stores names', () => {
    const folder = resolve(import.meta.dirname, '../../src/stores')
    const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    const named = sources.flatMap((text) => [...text.matchAll(/'([a-z-]+\.json)'/g)].map(([, name]) => name))
    expect(NAMES.toSorted()).toEqual([...new Set(named)].sort())
    expect(new Set(NAMES).size).toBe(NAMES.length)
  })

  it('opens without reading or making a file', () => {
    const directory = tempDirectory()
    for (const name of NAMES) writeFileSync(join(directory, name), '{')
    const stores = openStores(directory)
    expect(filesOf(stores).flatMap((file) => file.problems())).toEqual([])
    const empty = tempDirectory()
    expect(storeProblems(openStores(empty))).toEqual([])
    expect(readdirSync(empty)).toEqual([])
  })
})

describe.each(NAMES)('%s', (name) => {
  it('is named by status and by the notice when it is broken, and by neither once it is fixed', async () => {
    const session = await createSession()
    const path = join(session.directory, name)
    const good = name === 'accounts.json' ? readFileSync(path) : undefined
    writeFileSync(path, '{\n  "a": 1,\n}\n')
    const lines = await session.run('status')
    expect(lines).toContainEqual(expect.stringMatching(/^print files +1 invalid$/))
    expect(lines.at(-1)).toBe(`warn ${path}, line 3: is not JSON: property name expected`)
    const [problem, ...others] = session.ports.fileProblems()
    expect(others).toEqual([])
    expect(problem && problemNotice(problem)).toEqual({
      kind: 'error',
      text: `${path}:3: is not JSON: property name expected; hookline won't overwrite the file until you fix it`,
    })
    writeFileSync(path, good ?? soundOf(name))
    expect(await session.run('status')).toContainEqual(expect.stringMatching(/^print files +all readable$/))
  })

  it('is named when it goes bad later, once', async () => {
    const directory = tempDirectory()
    const told: StoreProblem[] = []
    onTestFinished(reportInvalidFiles(filesOf(openStores(directory)), (problem) => told.push(problem)))
    const path = join(directory, name)
    writeFileSync(path, '{')
    await vi.waitUntil(() => told.length > 0, { timeout: 5_000, interval: 5 })
    expect(told).toMatchObject([{ kind: 'file', path }])
  })
})

const IDENTITY = '{"listenerId":"0a6f1c2e-3b4d-4e5f-8a9b-0c1d2e3f4a5b","createdAt":1}'
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const KEY = JSON.stringify({
  privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  createdAt: 1,
})

const VAULT = {
  kdf: 'scrypt N=131072 r=8 p=1',
  salt: '0'.repeat(64),
  check: { nonce: '0'.repeat(24), data: '0'.repeat(32) },
  entries: [],
}

/** Of a file that may not be made anew. */
function soundOf(name: string): string {
  if (name === 'listener.json') return IDENTITY
  if (name === 'console-key.json') return JSON.stringify({ key: 'k'.repeat(43), createdAt: 1 })
  return name === 'listener-key.json' ? KEY : sound(name)
}

function sound(name: string): string {
  const keys: Readonly<Record<string, string>> = {
    'hooks.json': 'hooks',
    'trusted-clients.json': 'clients',
    'cross-trade.json': 'configs',
    'tasks.json': 'tasks',
    'guards.json': 'guards',
  }
  if (name === 'vault.json') return JSON.stringify(VAULT)
  if (name === 'practice-market.json') return JSON.stringify({ seed: 's' })
  if (name === 'audit-head.json') return JSON.stringify({ n: 0, hash: '0'.repeat(64) })
  const key = keys[name]
  return key === undefined ? '{}' : JSON.stringify({ [key]: [] })
}

describe('a row with a mistake', () => {
  const row = { clientId: 'tab', label: 'Console', origin: 'https://good.com', approvedAt: 1 }

  it('is told once when it comes, and not again when another joins it or lines move', async () => {
    const directory = tempDirectory()
    const path = join(directory, 'trusted-clients.json')
    const told: string[] = []
    const save = (clients: readonly unknown[], space?: number) =>
      writeFileSync(path, JSON.stringify({ clients }, null, space))
    save([{ ...row, label: 1 }])
    const files = filesOf(openStores(directory))
    onTestFinished(reportInvalidFiles(files, ({ message }) => told.push(message)))
    save(
      [
        { ...row, label: 1 },
        { ...row, origin: 2 },
      ],
      2,
    )
    await vi.waitUntil(() => told.length > 0, { timeout: 5_000, interval: 5 })
    expect(told).toEqual(['clients[1].origin must be a string'])
  })

  it('is a warning that says what becomes of it; a newer file too', () => {
    const notice = (kind: StoreProblem['kind']) =>
      problemNotice({ kind, path: '/c/hooks.json', line: 3, message: 'hooks[0].id \u001b[31mmust be' })
    expect(notice('row')).toEqual({
      kind: 'warn',
      text: '/c/hooks.json:3: hooks[0].id  [31mmust be; that row is not used, the others are; hookline leaves it as it is',
    })
    expect(notice('newer').kind).toBe('warn')
  })

  it('counts as one file, however many rows', async () => {
    const session = await createSession()
    const content = {
      clients: [
        { ...row, label: 1 },
        { ...row, origin: 2 },
      ],
    }
    writeFileSync(join(session.directory, 'trusted-clients.json'), JSON.stringify(content, null, 2))
    const lines = await session.run('status')
    expect(lines).toContainEqual(expect.stringMatching(/^print files +1 invalid$/))
    expect(lines.filter((line) => line.startsWith('warn '))).toHaveLength(2)
  })
})
