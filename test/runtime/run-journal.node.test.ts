// `runs.jsonl`: started and done lines, interrupted runs told once, rotation, and a disk that says no.
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { defined } from '../../src/base/defined.ts'
import { type JournalledRun, openRunJournal, type RunJournalOptions } from '../../src/runtime/run-journal.ts'
import { ownIdentity } from '../../src/stores/kernel-files.ts'
import '../../harness/tiers/runs.ts'

const DEAD = 2 ** 22 + 1

function open(options: Partial<RunJournalOptions> = {}) {
  const path = options.path ?? join(tempDirectory(), 'runs.jsonl')
  const journal = openRunJournal({ ...options, path })
  const lines = (file = path) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const start = (runId: string, command = 'echo ok') =>
    new Promise<JournalledRun>((written) => {
      const run = { runId, source: 'hook', command, origin: 'dip', hookId: 'abc' } as const
      const started = journal.start(run, 'paper', () => written(started))
    })
  return { path, journal, lines, start }
}

/** A lone surrogate stays what it is: JSON writes it as an escape. */
function asTheDiskHasIt(line: object): unknown {
  return JSON.parse(JSON.stringify(line))
}

function startLine(runId: string, pid: number, born?: string): string {
  const who = { pid, ...defined({ born }) }
  const line = { t: 'start', runId, at: 1, source: 'hook', origin: 'dip', command: 'buy $1', account: 'paper', ...who }
  return `${JSON.stringify(line)}\n`
}

/** As the journal of a process that still runs would have it. */
function identityOfParent(): { readonly born: string } {
  const fields = readFileSync(`/proc/${process.ppid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return { born: fields[19] ?? '' }
}

describe('the run journal', () => {
  it('has a start in the file before it says so', async () => {
    const { start, lines } = open({ now: () => 7 })
    await start('a')
    expect(lines()).toEqual([
      {
        t: 'start',
        runId: 'a',
        at: 7,
        source: 'hook',
        origin: 'dip',
        hook: 'abc',
        command: 'echo ok',
        account: 'paper',
        ...ownIdentity(),
      },
    ])
  })

  it('keeps any text as it is', () => {
    const text = fc.string({ unit: 'binary' })
    const anyRun = fc.record({ source: fc.constant('hook' as const), command: text, origin: text, hookId: text })
    fc.assert(
      fc.property(anyRun, text, text, (run, account, error) => {
        const { journal, lines } = open({ now: () => 7 })
        const runId = randomUUID()
        journal.done(
          journal.start({ runId, ...run }, account, () => {}),
          { success: false, error },
        )
        journal.close()
        const { source, command, origin, hookId: hook } = run
        const start = { t: 'start', runId, at: 7, source, origin, hook, command, account, ...ownIdentity() }
        expect(lines()).toEqual([start, { t: 'done', runId, at: 7, ok: false, error }].map(asTheDiskHasIt))
      }),
    )
  })

  it('writes the lines of one turn at once, in order', async () => {
    const { start, lines } = open()
    await Promise.all(['a', 'b', 'c'].map((runId) => start(runId)))
    expect(lines().map(({ runId }) => runId)).toEqual(['a', 'b', 'c'])
  })

  it('is readable by its owner only', async () => {
    const { start, path } = open()
    await start('a')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('does not report a run whose end was not yet written', async () => {
    const { journal, start } = open({ isAlive: () => false })
    journal.done(await start('a'), { success: true })
    expect(journal.takeInterrupted()).toEqual([])
  })

  it('reports runs of dead processes as interrupted, once', async () => {
    const { journal, path } = open()
    writeFileSync(
      path,
      `${startLine('dead', DEAD)}${startLine('ended', DEAD)}{"t":"done","runId":"ended","at":2,"ok":true}\n`,
    )
    expect(journal.takeInterrupted()).toMatchObject([{ runId: 'dead', command: 'buy $1', origin: 'dip' }])
    expect(journal.takeInterrupted()).toEqual([])
    expect(open({ path }).journal.takeInterrupted()).toEqual([])
  })

  it('leaves runs of living processes and its own alone', async () => {
    const { journal, path, start } = open({ isAlive: ({ pid }) => pid === 77 })
    writeFileSync(path, startLine('alive', 77))
    await start('mine')
    expect(journal.takeInterrupted()).toEqual([])
  })

  it.runIf(existsSync('/proc/self/stat'))('reports a run whose pid another process has by now (on Linux)', () => {
    const { journal, path } = open()
    const { born } = identityOfParent()
    writeFileSync(path, `${startLine('dead', process.ppid, `${born}0`)}${startLine('alive', process.ppid, born)}`)
    expect(journal.takeInterrupted().map(({ runId }) => runId)).toEqual(['dead'])
  })

  it('takes a line torn by a crash for no line, and does not glue the next one to it', async () => {
    const { path, start, journal } = open()
    writeFileSync(path, `${startLine('dead', DEAD)}{"t":"start","runId":"to`)
    await start('next')
    journal.close()
    expect(readFileSync(path, 'utf8')).toContain('"to\n{"t":"start","runId":"next"')
    expect(journal.takeInterrupted()).toMatchObject([{ runId: 'dead' }])
  })

  it('keeps one backup when the file grows too large, and carries unfinished runs over', async () => {
    const { start, journal, lines, path } = open({ maxBytes: 2_000 })
    await start('long')
    for (let index = 0; index < 50; index++) {
      journal.done(await start(`short-${index}`), { success: true })
    }
    journal.close()
    expect(statSync(path).size).toBeLessThanOrEqual(2_400)
    expect(lines(`${path}.1`).length).toBeGreaterThan(0)
    expect(lines().filter(({ t, runId }) => t === 'start' && runId === 'long')).toHaveLength(1)
  })

  it('knows every key, and the last runs of a hook, after any number of files, in this process and in the next', async () => {
    let at = 0
    const { path, journal } = open({ maxBytes: 4_000, countedRuns: () => 20, now: () => ++at })
    const names = Array.from({ length: 100 }, (_, index) => `key-${index}`)
    const inode = () => statSync(path).ino
    const inodes = new Set<number>()
    for (const key of names) {
      const run = { runId: `run-${key}`, source: 'hook', command: 'echo', hookId: 'h', key } as const
      await new Promise<void>((written) => {
        const started = journal.start(run, 'paper', () => written())
        started.begun = started.at
        journal.fires.began('h', { runId: run.runId, at: started.at, resumed: 0, file: started.file })
        journal.done(started, { success: true })
      })
      inodes.add(inode())
      const next = open({ path, now: () => at }).journal
      const [known, fired] = [names.filter((name) => next.firstRun('h', name) !== undefined), names.indexOf(key) + 1]
      expect(known).toEqual(names.slice(0, fired))
      const counted = next.fires.of('h').begun.map(({ runId }) => runId)
      expect(counted.slice(-20)).toEqual(known.slice(-20).map((name) => `run-${name}`))
      next.close()
    }
    expect(inodes.size).toBeGreaterThan(2)
    expect(names.map((name) => journal.firstRun('h', name))).toEqual(names.map((name) => `run-${name}`))
    journal.close()
  })

  it('that carries more over than a file may have is not set aside at every write', async () => {
    const { path, start } = open({ maxBytes: 1_000 })
    const inodes = new Set<number>()
    for (let run = 0; run < 100; run++) {
      await start(`open ${run}`)
      inodes.add(statSync(path).ino)
      // Its number is not given again while it has a name.
      linkSync(path, `${path}.${run}`)
    }
    expect(inodes.size).toBeLessThan(15)
  })

  it('goes on in the new file after another process has rotated it', async () => {
    const path = join(tempDirectory(), 'runs.jsonl')
    const first = open({ path, maxBytes: 1_000 })
    const second = open({ path, maxBytes: 1_000 })
    await first.start('seen-by-first')
    for (let index = 0; index < 10; index++) await second.start(`fill-${index}`)
    await new Promise((resolve) => setTimeout(resolve, 1_050))
    await first.start('after')
    first.journal.close()
    second.journal.close()
    expect(first.lines().some(({ runId }) => runId === 'after')).toBe(true)
  })

  it('says once that it cannot write, accepts all the same, and says when it works again', async () => {
    const directory = tempDirectory()
    const path = join(directory, 'gone', 'runs.jsonl')
    const problems: (string | undefined)[] = []
    const { start } = open({
      path,
      onProblem: (error) => problems.push((error as NodeJS.ErrnoException | undefined)?.code),
    })
    await start('a')
    await start('b')
    expect(problems).toEqual(['ENOENT'])
    const { mkdirSync } = await import('node:fs')
    mkdirSync(join(directory, 'gone'))
    await start('c')
    expect(problems).toEqual(['ENOENT', undefined])
    expect(readFileSync(path, 'utf8')).toContain('"runId":"c"')
  })

  it('makes the file anew after somebody removed it', async () => {
    const { start, path } = open()
    await start('a')
    rmSync(path)
    await new Promise((resolve) => setTimeout(resolve, 1_050))
    await start('b')
    expect(readFileSync(path, 'utf8')).toContain('"runId":"b"')
    appendFileSync(path, '')
  })
})
