// The audit log on a real disk: several processes, crashes in the middle of a line, and hands that change it.
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openAuditLog } from '../../src/stores/audit-log.ts'
import { bundleChild, startChild } from './child-program.ts'

function audit() {
  const directory = tempDirectory()
  const path = join(directory, 'audit.jsonl')
  const head = join(directory, 'audit-head.json')
  const log = openAuditLog(directory, () => 1_000)
  const lines = () => readFileSync(path, 'utf8').trim().split('\n')
  const record = async (...deeds: readonly string[]) => {
    for (const what of deeds) await log.append({ what })
  }
  return { directory, path, head, log, lines, record }
}

const whatOf = ({ log }: ReturnType<typeof audit>) => log.read().map(({ what }) => what)

test('keeps what was done in order, closed to others, and makes nothing by being read', async () => {
  const one = audit()
  expect([one.log.read(), existsSync(one.path), existsSync(one.head)]).toEqual([[], false, false])
  expect(one.log.verify()).toMatchObject({ whole: true, entries: 0 })
  await one.log.append({ what: 'hook create', by: { source: 'repl', runId: 'r' }, details: { name: 'dip' } })
  await one.record('b')
  expect(one.log.read()).toEqual([
    { n: 1, at: 1_000, what: 'hook create', by: { source: 'repl', runId: 'r' }, details: { name: 'dip' } },
    { n: 2, at: 1_000, what: 'b' },
  ])
  expect(one.log.verify()).toMatchObject({ whole: true, entries: 2, torn: 0 })
  expect([statSync(one.path).mode & 0o777, statSync(one.head).mode & 0o777]).toEqual([0o600, 0o600])
})

const WRITER = `
  import { openAuditLog } from './audit-log.ts'
  const [directory, name, count] = process.argv.slice(2)
  const log = openAuditLog(directory)
  async function write() {
    for (let index = 0; index < Number(count); index++) await log.append({ what: name + ' ' + index })
  }
  void write()
`

test('four processes that write at once make one chain, and lose nothing', { timeout: 60_000 }, async () => {
  const one = audit()
  const program = await bundleChild(tempDirectory(), WRITER)
  const writers = ['a', 'b', 'c', 'd'].map((name) => startChild(program, [one.directory, name, '25']))
  expect(await Promise.all(writers.map((writer) => once(writer, 'exit')))).toEqual(Array(4).fill([0, null]))
  expect(one.log.verify()).toMatchObject({ whole: true, entries: 100 })
  const own = (name: string) => whatOf(one).filter((what) => what.startsWith(name))
  for (const name of ['a', 'b', 'c', 'd'])
    expect(own(name)).toEqual(Array.from({ length: 25 }, (_, n) => `${name} ${n}`))
})

test('a process killed while it writes leaves a chain that goes on', { timeout: 60_000 }, async () => {
  const one = audit()
  const program = await bundleChild(tempDirectory(), WRITER)
  for (let kill = 0; kill < 3; kill++) {
    const from = existsSync(one.path) ? statSync(one.path).size : 0
    const writer = startChild(program, [one.directory, 'a', '1000'])
    await expect
      .poll(() => (existsSync(one.path) ? statSync(one.path).size : 0), { interval: 1, timeout: 20_000 })
      .toBeGreaterThan(from + 300 * kill)
    writer.kill('SIGKILL')
    await once(writer, 'exit')
  }
  await one.record('after')
  expect(one.log.verify()).toMatchObject({ whole: true })
  expect(whatOf(one).at(-1)).toBe('after')
})

describe('a line that a crash cut short', () => {
  test('stays, and the next line answers for it', async () => {
    const one = audit()
    await one.record('a')
    appendFileSync(one.path, '{"n":2,"at":10')
    expect(one.log.verify()).toMatchObject({ whole: true, entries: 1, torn: 1 })
    await one.record('b')
    expect(whatOf(one)).toEqual(['a', 'torn line', 'b'])
    expect(one.lines()[1]).toBe('{"n":2,"at":10')
    expect(one.log.verify()).toMatchObject({ whole: true, entries: 3, torn: 1 })
  })

  test('of which only the newline is missing is a line', async () => {
    const one = audit()
    await one.record('a', 'b')
    truncateSync(one.path, statSync(one.path).size - 1)
    await one.record('c')
    expect(whatOf(one)).toEqual(['a', 'b', 'c'])
    expect(one.log.verify()).toMatchObject({ whole: true, entries: 3, torn: 0 })
  })

  test('before its end was noted is part of the chain', async () => {
    const one = audit()
    await one.record('a')
    const noted = readFileSync(one.head)
    await one.record('b')
    writeFileSync(one.head, noted)
    expect(one.log.verify()).toMatchObject({ whole: true, entries: 2 })
    await one.record('c')
    expect(one.log.verify()).toMatchObject({ whole: true, entries: 3 })
  })
})

describe('what somebody changed stays found, also once more was written', () => {
  test.each<[string, (one: ReturnType<typeof audit>) => void]>([
    ['the last line is gone', ({ path, lines }) => writeFileSync(path, `${lines().slice(0, 2).join('\n')}\n`)],
    ['all lines are gone', ({ path }) => rmSync(path)],
    ['a line was changed', ({ path, lines }) => writeFileSync(path, `${lines().join('\n').replace('"b"', '"x"')}\n`)],
    [
      'the last line was changed, with a hash of its own',
      ({ path, lines }) =>
        writeFileSync(
          path,
          `${lines()
            .join('\n')
            .replace(/[0-9a-f]{4}"\}$/, '0000"}')}\n`,
        ),
    ],
  ])('%s', async (_what, change) => {
    const one = audit()
    await one.record('a', 'b', 'c')
    change(one)
    expect(one.log.verify().whole).toBe(false)
    await one.record('d')
    expect(one.log.verify().whole).toBe(false)
    expect(whatOf(one).at(-1)).toBe('d')
  })
})

test('switches are noted when the log has said others last, whichever process said them', async () => {
  const one = audit()
  const other = openAuditLog(one.directory)
  const entry = (before: object) => ({ what: 'switches', details: { before } })
  await one.log.appendSwitches(() => ({ on: true }), { on: true }, entry)
  expect(existsSync(one.path)).toBe(false)
  await one.log.appendSwitches(() => ({ on: false }), { on: true }, entry)
  await other.appendSwitches(() => ({ on: false }), { on: true }, entry)
  await one.record('between')
  await other.appendSwitches(() => ({ on: true }), { on: true }, entry)
  expect(one.log.read().map(({ details }) => details?.before)).toEqual([{ on: true }, undefined, { on: false }])
})

test('says why it cannot be written, and writes nothing elsewhere', async () => {
  const one = audit()
  const target = join(tempDirectory(), 'theirs')
  writeFileSync(target, '')
  symlinkSync(target, one.path)
  await expect(one.record('a')).rejects.toMatchObject({ code: 'store-write-failed' })
  expect(readFileSync(target, 'utf8')).toBe('')
})

test('is not said to be whole while its noted end cannot be read, and what is wrong with that file is said', async () => {
  const one = audit()
  await one.record('a', 'b')
  writeFileSync(one.head, '{')
  expect(one.log.verify()).toEqual({ whole: false, why: expect.stringContaining('audit-head.json is not JSON') })
  writeFileSync(one.path, readFileSync(one.path, 'utf8').replace('"what":"a"', '"what":"x"'))
  expect(one.log.verify()).toMatchObject({ whole: false, line: 1 })
})

test('writes nothing through a link whose target is missing, and says that it is one', async () => {
  const one = audit()
  const target = join(tempDirectory(), 'elsewhere')
  symlinkSync(target, one.path)
  await expect(one.log.append({ what: 'a' })).rejects.toThrow('link to a file that does not exist')
  expect(existsSync(target)).toBe(false)
})

test('lines that were removed with audit-head.json are missed for good', async () => {
  const one = audit()
  await one.record('a', 'b', 'c', 'd')
  truncateSync(one.path, `${one.lines().slice(0, 2).join('\n')}\n`.length)
  rmSync(one.head)
  const next = openAuditLog(one.directory)
  expect(next.verify()).toMatchObject({ whole: false })
  for (const what of ['e', 'f']) await next.append({ what })
  expect(next.read().map(({ what }) => what)).toEqual(['a', 'b', 'audit-head.json was missing', 'e', 'f'])
  expect(next.verify()).toMatchObject({ whole: false, line: 3 })
})

test('a first line without audit-head.json is missed too', async () => {
  const one = audit()
  await one.record('a', 'b')
  truncateSync(one.path, `${one.lines()[0]}\n`.length)
  rmSync(one.head)
  const next = openAuditLog(one.directory)
  await next.append({ what: 'c' })
  expect(next.verify()).toMatchObject({ whole: false, line: 2 })
})
