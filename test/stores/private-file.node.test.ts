// What a name in the config directory may lead to (behaviour 21). A FIFO without a writer would hold up whoever opens it for ever, so a
// test that does not end is a failure too.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openDurableJournal } from '../../src/stores/durable-journal.ts'
import { openHookStore } from '../../src/stores/hooks.ts'
import { openJournalFile } from '../../src/stores/journal-file.ts'
import { openLineFile } from '../../src/stores/line-file.ts'
import { openLineArchive } from '../../src/stores/paper-state.ts'
import { lookAtRecord } from '../../src/stores/private-file.ts'

const hooks = (secret: string) =>
  JSON.stringify({ hooks: [{ id: 'a'.repeat(32), name: 'a', secret, command: 'echo', createdAt: 1 }] })
const SOUND = hooks('b'.repeat(32))
const NOBODY = 65_534

function hookFile() {
  const directory = tempDirectory()
  const path = join(directory, 'hooks.json')
  return { directory, path, store: openHookStore(directory) }
}

function outside(text = SOUND): string {
  const path = join(tempDirectory(), 'elsewhere.json')
  writeFileSync(path, text)
  return path
}

describe('a store', () => {
  test.each<[string, string, (path: string, directory: string) => void]>([
    ['a FIFO', 'is not a regular file', (path) => execFileSync('mkfifo', [path])],
    ['a device', 'is not a regular file', (path) => symlinkSync('/dev/zero', path)],
    ['a directory', 'is not a regular file', (path) => mkdirSync(path)],
    ['a link out of the directory', 'links out of its directory', (path) => symlinkSync(outside(), path)],
    [
      'a link over a link out of the directory',
      'links out of its directory',
      (path, directory) => {
        symlinkSync(outside(), join(directory, 'between'))
        symlinkSync('between', path)
      },
    ],
    [
      'a file that its group may write to',
      'may be written by other users',
      (path) => {
        writeFileSync(path, SOUND)
        chmodSync(path, 0o620)
      },
    ],
    [
      'a file that all may write to',
      'may be written by other users',
      (path) => {
        writeFileSync(path, SOUND)
        chmodSync(path, 0o602)
      },
    ],
  ])('does not use %s, says so, and writes nothing', async (_what, message, make) => {
    const { path, store, directory } = hookFile()
    make(path, directory)
    expect(store.list()).toEqual([])
    expect(store.problem()).toMatchObject({ kind: 'file', path, message })
    await expect(store.create({ name: 'b', command: 'echo' })).rejects.toMatchObject({ name: 'StoreError' })
  })

  test('does not use a file of another user, also for root', ({ skip }) => {
    skip(process.getuid?.() !== 0, 'only root can give a file away')
    const { path, store } = hookFile()
    writeFileSync(path, SOUND)
    chownSync(path, NOBODY, NOBODY)
    expect(store.list()).toEqual([])
    expect(store.problem()).toMatchObject({ kind: 'file', message: 'belongs to another user' })
  })

  test('follows a link within the directory, and a directory that is a link itself', () => {
    const { directory, path, store } = hookFile()
    mkdirSync(join(directory, 'dotfiles'))
    writeFileSync(join(directory, 'dotfiles', 'hooks.json'), SOUND)
    symlinkSync(join('dotfiles', 'hooks.json'), path)
    expect(store.list()).toHaveLength(1)
    const linked = join(tempDirectory(), 'linked')
    symlinkSync(directory, linked)
    expect(openHookStore(linked).list()).toHaveLength(1)
  })

  test('leaves a link out of the directory as it is when it is asked to write', async () => {
    const { path, store } = hookFile()
    const target = outside()
    symlinkSync(target, path)
    await expect(store.revokeAll()).rejects.toMatchObject({ code: 'store-corrupt' })
    expect(readFileSync(target, 'utf8')).toBe(SOUND)
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
  })
})

describe('a journal', () => {
  const odd: readonly [string, (path: string) => void][] = [
    ['a FIFO', (path) => execFileSync('mkfifo', [path])],
    ['a link out of the directory', (path) => symlinkSync(outside('theirs\n'), path)],
    ['a device', (path) => symlinkSync('/dev/null', path)],
  ]

  test.each(odd)('that is %s is not opened: runs, and the log', (_what, make) => {
    const path = join(tempDirectory(), 'runs.jsonl')
    make(path)
    const problems: (Error | undefined)[] = []
    const file = openJournalFile({ path, onProblem: (error) => problems.push(error) })
    expect(file.readLines()).toEqual([])
    file.append('{}')
    file.flush()
    file.close()
    expect(problems.map((error) => error?.message)).toEqual([expect.stringMatching(/^it (is not a regular|links out)/)])
    expect(readThrough(path)).not.toContain('{}')
  })

  test.each(odd)('that is %s is not opened: orders', async (_what, make) => {
    const path = join(tempDirectory(), 'orders.jsonl')
    make(path)
    const journal = openDurableJournal({ path, carryOver: (lines) => lines })
    await expect(journal.append(['{}'])).rejects.toMatchObject({ code: 'store-write-failed' })
    await expect(journal.read()).rejects.toMatchObject({ code: 'store-corrupt' })
    expect(readThrough(path)).not.toContain('{}')
    await journal.close()
  })

  test.each(odd)('that is %s is not opened: a history of a paper account', async (_what, make) => {
    const path = join(tempDirectory(), 'paper-paper.jsonl')
    make(path)
    const archive = openLineArchive({ path, maxBytes: 1_000 })
    expect(archive.readNew()).toEqual([])
    await expect(archive.append(['{}'])).rejects.toMatchObject({ name: 'StoreError' })
    expect(readThrough(path)).not.toContain('{}')
  })

  test.each(odd)('that is %s is not opened: the lines typed', (_what, make) => {
    const path = join(tempDirectory(), 'history')
    make(path)
    const problems: string[] = []
    const file = openLineFile({ path, maxLines: 10, onProblem: ({ message }) => problems.push(message) })
    expect(file.read()).toEqual([])
    file.append('{}')
    expect(problems).toEqual([expect.stringMatching(/it (is not a regular file|links out of its directory)/)])
    expect(readThrough(path)).not.toContain('{}')
  })
})

/** What a link leads to; a FIFO holds nothing. */
function readThrough(path: string): string {
  return lstatSync(path).isSymbolicLink() ? readFileSync(path, 'utf8') : ''
}

describe('a file that is added to', () => {
  test.each([0o000, 0o277, 0o777])('is 0600 under umask %o', async (mask) => {
    const directory = tempDirectory()
    const [synced, grouped] = [join(directory, 'orders.jsonl'), join(directory, 'runs.jsonl')]
    const before = process.umask(mask)
    try {
      const durable = openDurableJournal({ path: synced, carryOver: () => [] })
      const journal = openJournalFile({ path: grouped })
      await durable.append(['{}'])
      journal.append('{}')
      journal.flush()
      await durable.close()
      journal.close()
    } finally {
      process.umask(before)
    }
    expect([synced, grouped].map((path) => lstatSync(path).mode & 0o777)).toEqual([0o600, 0o600])
  })
})

describe('a look at a file that is added to', () => {
  test.each<[string, string, (path: string) => void]>([
    ['a FIFO', 'is not a regular file', (path) => execFileSync('mkfifo', [path])],
    ['a directory', 'is not a regular file', (path) => mkdirSync(path)],
    ['a link out of the directory', 'links out of its directory', (path) => symlinkSync(outside(), path)],
  ])('opens nothing, and says why %s cannot be used', (_, why, make) => {
    const path = join(tempDirectory(), 'tasks.jsonl')
    make(path)
    expect(lookAtRecord(path).fault).toBe(`tasks.jsonl cannot be read: it ${why}`)
  })

  test('tells one file from the next, and one that is there from none', () => {
    const path = join(tempDirectory(), 'tasks.jsonl')
    expect(lookAtRecord(path)).toEqual({ identity: '' })
    writeFileSync(path, '')
    const first = lookAtRecord(path)
    writeFileSync(path, '{}\n')
    expect(lookAtRecord(path)).toEqual(first)
    writeFileSync(`${path}.new`, '')
    renameSync(`${path}.new`, path)
    expect(lookAtRecord(path).fault).toBeUndefined()
    expect(lookAtRecord(path).identity).not.toBe(first.identity)
  })
})
