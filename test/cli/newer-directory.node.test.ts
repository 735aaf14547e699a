// A state directory of a newer hookline, one on a read-only disk, and a user without a home: words, and nothing lost.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BINARY, exec, run } from '../../harness/process/hookline.ts'
import { filesOf, openStores, storeProblems } from '../../src/app/open-stores.ts'
import { openAuditLog } from '../../src/stores/audit-log.ts'
import { openDurableJournal } from '../../src/stores/durable-journal.ts'
import { openJournalFile } from '../../src/stores/journal-file.ts'

const NEWER = '{"version":2}\n{"t":"new kind","x":1}\n'
const WORDS = 'is of version 2, written by a newer hookline; this one writes version 1'

const contentsOf = (directory: string) =>
  Object.fromEntries(
    readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => [name, readFileSync(join(directory, name), 'utf8')]),
  )

describe('a file of a newer hookline', () => {
  it.each(filesOf(openStores('/nowhere')).map(({ path }) => basename(path)))('%s is named as such', (name) => {
    const directory = tempDirectory()
    writeFileSync(join(directory, name), '{"version":99}')
    expect(storeProblems(openStores(directory))).toContainEqual({
      kind: 'newer',
      path: join(directory, name),
      message: expect.stringContaining('is of version 99, written by a newer hookline'),
    })
  })

  it('is not written to, of whichever kind of journal it is', async () => {
    const directory = tempDirectory()
    const at = (name: string) => join(directory, name)
    for (const name of ['runs.jsonl', 'orders.jsonl', 'audit.jsonl']) writeFileSync(at(name), NEWER)
    const problems: string[] = []
    const runs = openJournalFile({ path: at('runs.jsonl'), onProblem: (error) => problems.push(`${error?.message}`) })
    const written = new Promise((resolve) => runs.append('{}', resolve))
    expect(await written).toBe(false)
    expect(problems).toEqual([`it ${WORDS}`])
    const orders = openDurableJournal({ path: at('orders.jsonl'), carryOver: () => [] })
    await expect(orders.append(['{}'])).rejects.toMatchObject({
      code: 'store-write-failed',
      message: `cannot write orders.jsonl: it ${WORDS}`,
      hint: `update hookline; until then it does not write to ${at('orders.jsonl')}`,
    })
    await expect(openAuditLog(directory).append({ event: 'x' } as never)).rejects.toMatchObject({
      message: `cannot write audit.jsonl: it ${WORDS}`,
    })
    for (const name of ['runs.jsonl', 'orders.jsonl', 'audit.jsonl']) expect(readFileSync(at(name), 'utf8')).toBe(NEWER)
  })

  it('is written to where its version is 1, or a line of it has a version elsewhere', async () => {
    const path = join(tempDirectory(), 'runs.jsonl')
    for (const head of ['{"version":1}\n', '{"t":"x","version":2}\n', '']) {
      writeFileSync(path, head)
      const journal = openJournalFile({ path })
      expect(await new Promise((resolve) => journal.append('{}', resolve))).toBe(true)
      journal.close()
    }
  })
})

describe('hookline over a directory whose journals a newer one wrote', () => {
  it('sends no order, names each journal, and changes none', async () => {
    const directory = tempDirectory()
    await exec(directory, 'buy 100usd BTCUSDT')
    const journals = ['orders.jsonl', 'runs.jsonl', 'tasks.jsonl', 'audit.jsonl']
    for (const name of journals) writeFileSync(join(directory, name), NEWER)
    const paper = readFileSync(join(directory, 'paper-paper.json'), 'utf8')
    const { stderr, code } = await run(directory, ['exec', 'buy 100usd BTCUSDT'])
    expect(stderr).toContain(`cannot write orders.jsonl: it ${WORDS}`)
    expect(code).toBe(1)
    const { stdout } = await run(directory, ['exec', 'status'])
    const status = stdout + (await run(directory, ['exec', 'status'])).stderr
    for (const name of journals) {
      expect(status).toContain(`${join(directory, name)}`)
      expect(readFileSync(join(directory, name), 'utf8')).toBe(NEWER)
    }
    expect(JSON.parse(readFileSync(join(directory, 'paper-paper.json'), 'utf8')).orders).toEqual(
      JSON.parse(paper).orders,
    )
  })
})

describe('a user', () => {
  it.each(['', 'relative/home'])(
    'whose HOME is `%s` keeps state where the system has the home of that user',
    async (home) => {
      const folder = tempDirectory()
      const { stdout } = spawnSync(process.execPath, [BINARY, 'doctor', '--json'], {
        encoding: 'utf8',
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: home },
      })
      const checks: readonly { readonly check: string; readonly what: string }[] = JSON.parse(stdout).checks
      expect(checks.find(({ check }) => check === 'directory')?.what).toMatch(/^\//)
      expect(readdirSync(folder)).toEqual([])
    },
  )

  it('of no name and without HOME is asked for a directory', ({ skip }) => {
    skip(process.getuid?.() !== 0, 'only root can become a user that the system does not know')
    const folder = tempDirectory()
    for (const file of ['hookline.cjs', 'main.cjs']) copyFileSync(join(BINARY, '..', file), join(folder, file))
    chmodSync(folder, 0o755)
    const { stdout, stderr, status } = spawnSync(process.execPath, [join(folder, 'hookline.cjs'), 'exec', 'status'], {
      encoding: 'utf8',
      cwd: '/',
      env: { PATH: process.env.PATH },
      uid: 54_321,
    })
    expect(stderr).toMatch(
      /^error: hookline cannot start: this user has no home directory, and HOME is not set \(set HOOKLINE_CONFIG_DIR to a directory of your own\)\n$/,
    )
    expect([stdout, status]).toEqual(['', 1])
  })
})

describe('an installation that an update left half done', () => {
  it.each<[string, (program: string) => void]>([
    ['is missing', (program) => rmSync(program)],
    ['is damaged', (program) => truncateSync(program, 100_000)],
  ])('whose program %s prints one line, and leaves the state alone', async (what, damage) => {
    const [directory, folder] = [tempDirectory(), tempDirectory()]
    await exec(directory, 'buy 100usd BTCUSDT')
    const before = contentsOf(directory)
    for (const file of ['hookline.cjs', 'main.cjs']) copyFileSync(join(BINARY, '..', file), join(folder, file))
    damage(join(folder, 'main.cjs'))
    expect(await run(directory, ['exec', 'positions'], { binary: join(folder, 'hookline.cjs') })).toEqual({
      stdout: '',
      stderr: `error: this installation of hookline is incomplete: ${join(folder, 'main.cjs')} ${what} (install it again)\n`,
      code: 1,
    })
    expect(contentsOf(directory)).toEqual(before)
  })
})

describe('a state directory on a read-only disk', () => {
  it('is read, and every write to it is refused in words', async ({ skip }) => {
    const directory = tempDirectory()
    await exec(directory, 'buy 100usd BTCUSDT')
    mkdirSync(join(directory, 'sub'))
    const before = contentsOf(directory)
    const mounting = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 77; shift; exec "$@"'
    const readOnly = (...args: readonly string[]) =>
      spawnSync(
        'unshare',
        ['--map-root-user', '--mount', 'sh', '-c', mounting, 'sh', directory, process.execPath, BINARY, ...args],
        {
          encoding: 'utf8',
          env: { PATH: process.env.PATH, HOME: directory, HOOKLINE_CONFIG_DIR: directory },
        },
      )
    const positions = readOnly('exec', 'positions')
    skip(positions.error !== undefined || positions.status === 77, 'this machine gives no mounts of its own')
    expect(positions.stdout).toContain('BTCUSDT')
    const order = readOnly('exec', 'buy 100usd BTCUSDT')
    expect(order.stderr).toContain('the file system is read-only (EROFS)')
    expect(order.status).toBe(1)
    expect(contentsOf(directory)).toEqual(before)
  })
})
