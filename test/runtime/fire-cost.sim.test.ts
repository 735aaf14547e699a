// What a fire asks of the disk: time shows a look too many on an idle machine only, a count on any.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../../harness/process/running-app.ts'
import { type FireAnswer, fireHook } from '../../src/listener/http/hook-fire.ts'
import { beginInput } from '../../src/stores/event-loop-turn.ts'

const FILES = ['config.json', 'hooks.json', 'panic.json', 'stops.json']
const BURST = 20

/** Until the test has ended: looks by the file's name, and writes of one file. */
function countCalls(written: string) {
  const { lstatSync, writeSync } = fs
  let calls: string[] = []
  Object.assign(fs, {
    lstatSync: (...args: Parameters<typeof lstatSync>) => {
      // Of a file that has just been written, its content is read anew with each look.
      if (args[1]?.bigint === true) calls.push(basename(String(args[0])))
      return lstatSync(...args)
    },
    writeSync: (...args: Parameters<typeof writeSync>) => {
      if (fs.fstatSync(args[0]).ino === fs.statSync(written).ino) calls.push(`write ${basename(written)}`)
      return writeSync(...args)
    },
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(fs, { lstatSync, writeSync })
    syncBuiltinESMExports()
  })
  return (what: string): number => {
    const count = calls.filter((call) => call === what).length
    calls = calls.filter((call) => call !== what)
    return count
  }
}

it.each([1, BURST])(
  '%i at once look once at each file that decides, and are two writes of the journal',
  async (many) => {
    const { app, directory, createHook, runsDone } = await startApp({
      listen: 'none',
      config: { listener: { enabled: true, remoteExec: true } },
    })
    const { id, secret: token } = await createHook('echo ok', { parallel: 100 })
    const { config, hooks, panic } = app.ports
    const unasked = () => expect.unreachable()
    const journal = { firstRun: unasked, repeated: unasked }
    const ports = { config, hooks, panic, runner: app.runner, journal, isServing: () => true, onWrongToken: unasked }
    const answers: FireAnswer['status'][] = []
    const fireAtOnce = async (before: number) => {
      beginInput()
      for (let sent = 0; sent < many; sent += 1)
        fireHook({ id, token, key: undefined, readBody: unasked }, ports, ({ status }) => answers.push(status))
      await runsDone(before + many)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await fireAtOnce(0)
    const journalPath = join(directory, 'runs.jsonl')
    const countOf = countCalls(journalPath)
    const least = new Map<string, number>()
    // What watches the files may look at one in between: it does not at each of these.
    for (let round = 1; round <= 9; round += 1) {
      await fireAtOnce(round * many)
      for (const what of [...FILES, 'write runs.jsonl'])
        least.set(what, Math.min(countOf(what), least.get(what) ?? Number.POSITIVE_INFINITY))
    }
    expect(Object.fromEntries(least)).toEqual({
      ...Object.fromEntries(FILES.map((file) => [file, 1])),
      'write runs.jsonl': 2,
    })
    expect(new Set(answers)).toEqual(new Set([200]))
  },
)
