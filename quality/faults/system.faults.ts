// Faults of the system around hookline: a port that is taken, signals under load, output without end, rotation.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, LISTENING, RunningHookline } from '../../harness/process/hookline.ts'
import { startRepl } from '../../harness/process/piped-repl.ts'
import { stopBusy } from './busy-stop.ts'
import { fire } from './fire-hook.ts'
import { fireUntil, floodOf, mirrored, residentBytes } from './flood.ts'
import { countForged, countForgedJson } from './forged-lines.ts'
import { readJournal, runsEnded } from './journal-lines.ts'
import { Ipv6Only, mayMakeMachine, PORT_HOLDERS, type TakeOver, takeOver } from './port-holders.ts'
import { scenario } from './scenario.ts'
import { forgeLines, openTexts, useSecrets, writeKeys } from './traces.ts'
import { openPage, trustPages } from './trusted-page.ts'
import { writeJournal, writeLog } from './written-logs.ts'

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

scenario(
  43,
  `the port is held by ${Object.keys(PORT_HOLDERS).join(', ')}`,
  'said within 2.5 s by whom, the prompt works, taken over within 2 s of its being free',
  async () => {
    const takeOvers: TakeOver[] = []
    for (const hold of Object.values(PORT_HOLDERS)) takeOvers.push(await takeOver(hold))
    const slowest = (of: 'saidMs' | 'takenMs') => Math.max(...takeOvers.map((each) => each[of]))
    const working = takeOvers.filter(({ works }) => works).length
    return {
      got: `${working} of ${takeOvers.length} work on; said within ${seconds(slowest('saidMs'))}, taken over within ${seconds(slowest('takenMs'))}`,
      holds: working === takeOvers.length && slowest('saidMs') <= 2_500 && slowest('takenMs') <= 2_000,
    }
  },
)

const WITHOUT_MS = 5_000

scenario(
  43,
  `the machine has no 127.0.0.1 (IPv6 only) for ${seconds(WITHOUT_MS)}, then gets it`,
  'said once, goes on, listens within 2 s of having the address',
  async () => {
    if (!mayMakeMachine())
      return { got: 'nothing: no machine', holds: false, short: 'a network namespace is not permitted here' }
    const hookline = new Ipv6Only(tempDirectory())
    await expect.poll(() => hookline.stdout, { timeout: 5_000 }).toContain('cannot use 127.0.0.1:53219')
    await sleep(WITHOUT_MS)
    const said = hookline.stdout.split('cannot use 127.0.0.1:53219').length - 1
    hookline.addIpv4()
    const from = performance.now()
    await expect.poll(() => hookline.stdout, { timeout: 5_000 }).toContain(LISTENING)
    const tookMs = performance.now() - from
    return {
      got: `said ${said} times, listening after ${seconds(tookMs)}`,
      holds: said === 1 && hookline.isAlive && tookMs <= 2_000,
    }
  },
)

const BUSY = { runs: 50, pages: 20 }

scenario(
  44,
  `SIGTERM and SIGINT come under ${BUSY.runs} running hooks and ${BUSY.pages} pages`,
  'pages get 1001, late fires 503, every run an end; exit 0 within 6 s (runs get 5 s)',
  async () => {
    const stops = [await stopBusy('SIGTERM', BUSY), await stopBusy('SIGINT', BUSY)]
    const told = stops.reduce((sum, stop) => sum + stop.told, 0)
    const openEnded = stops.reduce((sum, stop) => sum + stop.openEnded, 0)
    const slowest = Math.max(...stops.map(({ exitMs }) => exitMs))
    const both = (of: 'lateStatus' | 'code') => stops.map((stop) => stop[of]).join(' and ')
    return {
      got: `${told} of ${2 * BUSY.pages} told 1001, late ${both('lateStatus')}, ${openEnded} runs without end; exit ${both('code')} within ${seconds(slowest)}`,
      holds:
        told === 2 * BUSY.pages &&
        openEnded === 0 &&
        slowest <= 6_000 &&
        stops.every(({ code, lateStatus }) => code === 0 && lateStatus === 503),
    }
  },
)

const FLOOD_FIRES = 3
const FLOOD_THOUSANDS = 9
const SHOWN_LENGTH = 1_000
const MiB = 1_024 * 1_024

scenario(
  45,
  'a hook prints 100 MB in three runs; fifty more are under way when SIGTERM comes',
  'lines cut at 1 000, surplus counted, fires < 250 ms (p99), +64 MiB; exit within 6 s',
  async () => {
    const directory = tempDirectory()
    const flood = await createHook(directory, 'flood', floodOf(FLOOD_THOUSANDS))
    const endless = await createHook(directory, 'endless', floodOf(FLOOD_THOUSANDS))
    const small = await createHook(directory, 'small', 'echo seen')
    const warm = await createHook(directory, 'warm', floodOf(5))
    const hookline = await RunningHookline.listening(directory)
    await runsEnded(directory, [(await fire(warm)).runId])
    const before = residentBytes(hookline)
    let peak = before
    const runIds: string[] = []
    for (let fired = 0; fired < FLOOD_FIRES; fired++) runIds.push((await fire(flood)).runId)
    const p99 = await fireUntil(small, () => {
      peak = Math.max(peak, residentBytes(hookline))
      const journal = readJournal(directory)
      return runIds.every((runId) => journal.done(runId).length > 0)
    })
    // It has run; we have yet to read all it printed.
    await expect
      .poll(() => mirrored(hookline.stdout, flood).total, { timeout: 10_000 })
      .toBe(FLOOD_FIRES * FLOOD_THOUSANDS * 1_000)
    const { shown, leftOut, longest } = mirrored(hookline.stdout, flood)
    for (let fired = 0; fired < 50; fired++) await fire(endless)
    await hookline.prints('[hook:endless] x')
    const from = performance.now()
    hookline.signal('SIGTERM')
    const { code } = await hookline.ended()
    const exitMs = performance.now() - from
    const growth = peak - before
    return {
      got: `${shown} lines of ≤ ${longest} shown, ${leftOut} counted; p99 ${p99.toFixed(0)} ms, +${(growth / MiB).toFixed(0)} MiB; exit ${code} after ${seconds(exitMs)}`,
      holds: longest <= SHOWN_LENGTH && p99 < 250 && growth < 64 * MiB && code === 0 && exitMs <= 6_000,
    }
  },
)

const FIRED = 45_000
const TYPED = 3_000

scenario(
  46,
  'the journal is rotated at 5 MB: two processes write as fast as they can',
  'no run without its start and its end, no line torn, at over 1 000 lines/s',
  async () => {
    const { perSecond, rotations, lost, torn } = await writeJournal(FIRED, TYPED)
    return {
      got: `${perSecond.toFixed(0)} lines/s, ${rotations} rotations: ${lost} of ${FIRED + TYPED} runs lost, ${torn} lines torn`,
      holds: lost === 0 && torn === 0 && rotations >= 2 && perSecond >= 1_000,
    }
  },
)

const BUGS = 20_000

scenario(
  46,
  'the log is rotated at 5 MB: one process writes much, another little',
  'no line lost or torn, the last one is found, one descriptor each, at over 1 000 lines/s',
  async () => {
    const { perSecond, rotations, lost, torn, isLastFound, descriptors } = await writeLog(BUGS)
    return {
      got: `${perSecond.toFixed(0)} lines/s, ${rotations} rotations: ${lost} lost, ${torn} torn, last ${isLastFound ? '' : 'not '}found, ${descriptors.join(' + ')} descriptors`,
      holds:
        lost === 0 &&
        torn === 0 &&
        isLastFound &&
        descriptors.every((open) => open === 1) &&
        rotations >= 2 &&
        perSecond >= 1_000,
    }
  },
)

scenario(
  46,
  'secrets are looked for everywhere; strangers send colours, line ends, bidi marks',
  '0 secrets but in hooks.json and accounts.json, 0 on the wire; 0 forged lines',
  async () => {
    const directory = tempDirectory()
    const trusted = { clientId: randomUUID() }
    trustPages(directory, trusted)
    writeKeys(directory)
    const repl = await startRepl(directory)
    const page = await openPage(trusted)
    page.send({ t: 'subscribe', topics: ['accounts', 'hooks', 'hook-output', 'tasks'] })
    const secrets = await useSecrets(directory, repl, page)
    await forgeLines(repl)
    repl.child.stdin.end()
    await repl.ended()
    const texts = [...openTexts(directory), ...page.received]
    const leaked = secrets.filter((secret) => texts.some((text) => text.includes(secret))).length
    const [log = '', journal = ''] = ['hookline.log', 'runs.jsonl'].map((name) =>
      readFileSync(join(directory, name), 'utf8'),
    )
    const forged = countForged(repl.stdout) + countForgedJson(log) + countForgedJson(journal)
    const refusals = log.split('refused a WebSocket').length - 1
    return {
      got: `${leaked} of ${secrets.length} secrets in ${texts.length} texts; ${forged} lines forged, ${refusals} refusals logged`,
      holds: leaked === 0 && secrets.length >= 8 && forged === 0 && refusals >= 2 && page.received.length > 10,
    }
  },
)
