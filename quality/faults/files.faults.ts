// Faults of files: writers killed in the middle, disks that refuse, files edited, damaged and removed under a running hookline, and
// several processes on one directory.
import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { paperJournals } from '../../harness/files/paper-account.ts'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type CreatedHook, createHook, LISTENING, RunningHookline } from '../../harness/process/hookline.ts'
import { startRepl } from '../../harness/process/piped-repl.ts'
import { RawClient } from '../../harness/wire/raw-http.ts'
import { WsClient } from '../../harness/wire/ws-client.ts'
import { findingOf } from './checks.ts'
import { DAMAGES, DamagedStores, NAMED, SAVES } from './damaged-stores.ts'
import { fire } from './fire-hook.ts'
import { KILLED, type KillTally, killWriters } from './killed-writers.ts'
import { giveToNobody, startAsNobody } from './nobody.ts'
import {
  checkRecovery,
  checkRefusals,
  countRuns,
  FIRES,
  prepareStores,
  STORES,
  survivesLogLine,
} from './refused-writes.ts'
import { scenario } from './scenario.ts'
import { mountSmallDisk, NO_DISK } from './small-disk.ts'
import { countSaying, fingerprint, writeStores } from './store-writes.ts'

scenario(
  39,
  'kill -9 during writes of config, hooks and a paper account, 300 times (of 1 000)',
  'always old or new, at most 1 temporary file; the next write within 10 s',
  async () => {
    const tally: KillTally = { kills: 0, locked: 0, withinWrite: 0, torn: 0, mostTemporaries: 0, slowestNextMs: 0 }
    await Promise.all(KILLED.map((store) => killWriters(store, tally)))
    const { kills, locked, withinWrite, torn, mostTemporaries, slowestNextMs } = tally
    return {
      got: `${kills} kills, of ${locked} at files with a lock ${withinWrite} within a write: ${torn} torn, ≤ ${mostTemporaries} temporary, next write after ${(slowestNextMs / 1_000).toFixed(1)} s`,
      holds: torn === 0 && mostTemporaries <= 1 && slowestNextMs <= 10_000 && kills === 300 && withinWrite > locked / 3,
    }
  },
  15,
)

scenario(
  40,
  'the disk is full: ENOSPC on every store, the journal and the log',
  'fires run, each write says why, files stay; all is written once there is room',
  async () => {
    const disk = mountSmallDisk()
    if (!disk) return NO_DISK
    const { directory } = disk
    const hook = await prepareStores(directory)
    const logged = () => statSync(join(directory, 'hookline.log')).size
    const before = logged()
    const repl = await startRepl(directory)
    // The first line after a start: nobody has answered the check-in.
    await expect.poll(logged, { timeout: 5_000 }).toBeGreaterThan(before)
    const asking = await WsClient.hello({ label: 'to be approved' })
    await repl.prints('to be approved')
    disk.fill(['hookline.log', 'runs.jsonl', ...paperJournals(directory, 'paper')])
    const { figures, checks } = await checkRefusals(repl, directory, hook, 'ENOSPC')
    repl.say('y')
    await repl.prints('the approval could not be saved')
    disk.free()
    repl.say('y')
    await asking.nextFrame('welcome')
    const recovery = await checkRecovery(repl, hook)
    disk.fill(['hookline.log'])
    return findingOf({ ...checks, ...recovery, 'a line of the log': await survivesLogLine() }, figures)
  },
)

scenario(
  40,
  'a start on a read-only disk: EROFS on every store, the journal and the log',
  'fires run, each write says why, files stay; all is written once the disk can be',
  async () => {
    const disk = mountSmallDisk()
    if (!disk) return NO_DISK
    const { directory } = disk
    const hook = await prepareStores(directory)
    disk.makeReadOnly(true)
    const repl = await startRepl(directory)
    const { figures, checks } = await checkRefusals(repl, directory, hook, 'EROFS')
    const survives = await survivesLogLine()
    disk.makeReadOnly(false)
    const recovery = await checkRecovery(repl, hook)
    return findingOf({ ...checks, 'a line of the log': survives, ...recovery }, figures)
  },
)

scenario(
  40,
  'permission is denied: EACCES on every store, the journal and the log',
  'fires run, each write says why, files stay; all is written once it may be',
  async () => {
    const directory = tempDirectory()
    const hook = await prepareStores(directory)
    giveToNobody(directory)
    const closed = ['runs.jsonl', 'hookline.log'].map((name) => join(directory, name))
    for (const path of closed) chmodSync(path, 0o000)
    const repl = await startAsNobody(directory)
    for (const name of paperJournals(directory, 'paper')) chmodSync(join(directory, name), 0o400)
    chmodSync(directory, 0o555)
    const { figures, checks } = await checkRefusals(repl, directory, hook, 'EACCES')
    const survives = await survivesLogLine()
    chmodSync(directory, 0o700)
    for (const path of [...closed, ...paperJournals(directory, 'paper').map((name) => join(directory, name))])
      chmodSync(path, 0o600)
    const recovery = await checkRecovery(repl, hook)
    return findingOf({ ...checks, 'a line of the log': survives, ...recovery }, figures)
  },
)

const SILENT = 60
/** Fewer than a write needs while the silent ones are there, more than it needs once they are gone. */
const SPARE_DESCRIPTORS = 5

scenario(
  40,
  `descriptors run out: EMFILE under ${SILENT} silent connections`,
  'an open connection fires on, each write says why, last good serves; all well afterwards',
  async () => {
    const directory = tempDirectory()
    const hook = await prepareStores(directory)
    const repl = await startRepl(directory)
    await writeStores(repl)
    const client = await new RawClient().connected()
    const fireAgain = async () => (await client.send(requestOf(hook)).answer()).status
    const statuses = [await fireAgain()]
    const limit = readdirSync(`/proc/${repl.pid}/fd`).length + SPARE_DESCRIPTORS
    execFileSync('prlimit', ['--pid', String(repl.pid), `--nofile=${limit}:${limit}`])
    const silent = Array.from({ length: SILENT }, () => new RawClient())
    await Promise.all(silent.map((each) => each.connected()))
    const made = await createHook(directory, 'made', 'echo made')
    const before = fingerprint(directory)
    for (let fires = 0; fires < FIRES; fires++) statuses.push(await fireAgain())
    const refused = countSaying(await writeStores(repl), /error: .*cannot write [\w.-]+\.jsonl?: .*EMFILE/)
    const isUnchanged = fingerprint(directory) === before
    for (const each of silent) each.close()
    await expect.poll(() => fire(made).catch(() => undefined), { timeout: 10_000 }).toMatchObject({ status: 200 })
    const accepted = statuses.filter((status) => status === 200).length
    return findingOf(
      {
        'an open connection': accepted === statuses.length,
        'each write says why': refused === STORES,
        'files stay': isUnchanged,
        'no line per refused connection': !repl.stdout.includes('cannot use'),
        'fires run afterwards': (await countRuns(repl, hook)) === FIRES,
        'all are written afterwards': countSaying(await writeStores(repl), /error: /) === 0,
        'a line of the log': await survivesLogLine(),
      },
      `${accepted} of ${statuses.length} fires accepted, ${refused} of ${STORES} writes refused`,
    )
  },
)

function requestOf({ id, token }: CreatedHook): string {
  return `POST /hook/${id} HTTP/1.1\r\nHost: 127.0.0.1:53219\r\nX-Hook-Token: ${token}\r\nContent-Length: 0\r\n\r\n`
}

scenario(
  41,
  'ten files are saved in 3 ways, nine damaged in 5, rewritten slowly under a REPL',
  'a good save is served at once, else the last good; nothing is written over',
  async () => {
    const stores = await DamagedStores.start()
    for (const save of SAVES) {
      stores.apply(save)
      await stores.look(save.name, 'new')
      await stores.restore()
    }
    let [changed, refused] = [0, 0]
    for (const damage of DAMAGES) {
      stores.apply(damage, stores.damaged)
      await stores.look(damage.name, 'old', stores.damaged)
      const writes = await stores.tryWrites()
      changed += writes.changed
      refused += writes.refused
      await stores.restore()
    }
    await stores.rewriteSlowly(5)
    const writes = (STORES - 1) * DAMAGES.length
    return {
      got: `${stores.tellLooks()}; ${refused} of ${writes} writes refused with the file's name, ${changed} files changed`,
      holds: stores.misfits.length === 0 && refused === writes && changed === 0,
    }
  },
)

/** Two looks of the watcher. */
const TELL_MS = 2_000

scenario(
  41,
  `${NAMED.length} files that the prompt reads are damaged in 5 ways under a REPL`,
  'the REPL names each, within 2 s (behaviour 22) and in `status`',
  async () => {
    const stores = await DamagedStores.start()
    let [unasked, status] = [0, 0]
    for (const damage of DAMAGES) {
      stores.apply(damage, stores.damaged)
      const named = await stores.countNamed(TELL_MS)
      unasked += named.unasked
      status += named.status
      await stores.restore()
    }
    const damaged = NAMED.length * DAMAGES.length
    return {
      got: `${unasked} of ${damaged} named unasked, ${status} of ${damaged} by \`status\``,
      holds: unasked === damaged && status === damaged,
    }
  },
)

scenario(
  41,
  'files are gone for a moment and come back; gone for 5 s',
  'served on for 0.8 s as if nothing were (stores/fresh-reader.ts), then as deleted; back at once',
  async () => {
    const stores = await DamagedStores.start()
    const mayGo = stores.files.filter(
      ({ name }) => !['config.json', 'accounts.json', 'trusted-clients.json', 'listener.json'].includes(name),
    )
    const goneAt = performance.now()
    stores.remove(mayGo)
    await stores.look('gone for under 0.8 s', 'old', mayGo)
    const lookedAfter = performance.now() - goneAt
    await stores.restore()
    stores.remove(mayGo)
    // The grace time begins at the first look.
    await stores.look('gone', 'old', mayGo)
    await sleep(5_000)
    await stores.look('gone for 5 s', 'nothing', mayGo)
    await stores.restore()
    stores.remove(stores.files.filter(({ name }) => name === 'trusted-clients.json'))
    const cutAt = performance.now()
    const { code } = await stores.reader.page.closed()
    const cutAfter = performance.now() - cutAt
    return {
      got: `${stores.tellLooks()}; sessions cut with ${code} after ${(cutAfter / 1_000).toFixed(2)} s`,
      holds: stores.misfits.length === 0 && lookedAfter < 800 && code === 4409 && cutAfter < 1_000,
    }
  },
)

const UPDATES = 500

scenario(
  42,
  `two REPLs on one directory make ${UPDATES} hooks each; the second finds the port taken`,
  'none is lost; the second names port and pid, goes on, and both end with 0 under --strict',
  async () => {
    const directory = tempDirectory()
    const first = new RunningHookline(directory, ['--strict'])
    await first.prints(LISTENING)
    const second = new RunningHookline(directory, ['--strict'])
    await second.prints(`127.0.0.1:53219 is held by the hookline with pid ${first.pid}`)
    const from = performance.now()
    const names = [first, second].map((repl, which) => {
      const made = Array.from({ length: UPDATES }, (_, index) => `hook-${which}-${index}`)
      repl.child.stdin.end(made.map((name) => `hook create ${name} "echo ok"\n`).join(''))
      return made
    })
    const ended = await Promise.all([first.ended(), second.ended()])
    const seconds = (performance.now() - from) / 1_000
    const { hooks } = JSON.parse(readFileSync(join(directory, 'hooks.json'), 'utf8')) as { hooks: { name: string }[] }
    const stored = new Set(hooks.map(({ name }) => name))
    const lost = names.flat().filter((name) => !stored.has(name)).length
    const codes = ended.map(({ code }) => code)
    return {
      got: `${stored.size} of ${2 * UPDATES} stored, ${lost} lost, in ${seconds.toFixed(1)} s; exit codes ${codes.join(' and ')}`,
      holds: lost === 0 && hooks.length === 2 * UPDATES && codes.every((code) => code === 0),
    }
  },
)
