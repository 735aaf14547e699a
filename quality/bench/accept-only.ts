// The accept path alone, for `fires.mjs`: the real listener, stores, runner and journal, but no run is ever started, so that nothing
// behind the answer is left: no parsing, no command, no output, no line for its end. A runner whose runs never end would only fill up,
// so a new one, with a new journal on the same file, takes over every five hundred fires: opening them then hardly counts. The one
// before lets go of its fires, whose greatest age would otherwise keep them all in memory for half a minute. The file is set aside here before a
// journal would: to each it is the file of another process, whose lines it would read first.
import { renameSync, unlink } from 'node:fs'
import { join } from 'node:path'
import { App } from '../../src/app/app.ts'
import { quietEvents } from '../../src/app/app-events.ts'
import { createWebSide } from '../../src/app/open-listener.ts'
import { openStores } from '../../src/app/open-stores.ts'
import { Listener } from '../../src/listener/listener.ts'
import { RUN_LIMITS } from '../../src/runtime/fire-queue.ts'
import { openRunJournal } from '../../src/runtime/run-journal.ts'
import { Runner } from '../../src/runtime/runner.ts'

const FIRES_PER_RUNNER = 500
/** Of 300 bytes each, below the 5 MB of a journal. */
const FIRES_PER_FILE = 10_000

const fail = (error: unknown): never => {
  throw error
}
const { directory, ports, connect, environment, runner, authority } = new App({
  env: process.env,
  listen: 'none',
  events: { ...quietEvents, warn: fail },
})
const { config, hooks } = ports

const path = join(directory, 'runs.jsonl')

function openRunner() {
  const journal = openRunJournal({ path, onProblem: fail })
  const limits = { ...RUN_LIMITS, running: 0, waiting: Number.POSITIVE_INFINITY }
  return { journal, runner: new Runner({ environment, journal, authority, limits, reportBug: fail }) }
}

let current = openRunner()
let fires = 0

const ignore = () => {}

function setAside() {
  renameSync(path, `${path}.1`)
  unlink(`${path}.1`, ignore)
}

const web = createWebSide({
  desk: {
    runArchive: ports.runArchive,
    orderHistory: ports.orderHistory,
    notes: ports.notes,
    runPages: { page: async () => ({ runs: [] }), find: async () => undefined },
    fills: { list: () => [], watch: () => () => {} },
    equity: { latest: () => [], watch: () => () => {}, read: async () => [], note() {} },
    copies: async () => [],
    names: () => fail(new Error('nobody completes anything here')) as never,
  },

  stores: openStores(directory),
  clock: environment.clock,
  files: [],
  notices: { list: () => [], watch: () => ignore },
  focus: ports.focus,
  connect,
  disconnect: ports.disconnect,
  runner,
  preview: ports.preview,
  proposals: ports.proposals,
  guardBook: ports.guardBook,
  hookCounts: ports.hookCounts,
  hookFacts: ports.hookFacts,
  replayHook: async () => fail(new Error('nobody replays anything here')) as never,
  events: { question: ignore, editQuestion: ignore, activity: ignore, unattended: ignore, unproven: ignore, bug: fail },
})
const listener = new Listener({
  config,
  hooks,
  web,
  panic: ports.panic,
  isConsoleServed: async () => true,
  onWrongToken: ({ id }) => fail(new Error(`a token of ${id} was wrong`)),
  onForeignPage: (reason) => fail(new Error(reason)),
  onTooManyRuns: () => fail(new Error('a fire was turned away')),
  onRefusedUpgrade: fail,
  onUnknownUser: fail,
  runner: {
    hasRoom: (hookId) => current.runner.hasRoom(hookId),
    fire(request, hook, answer) {
      if (++fires % FIRES_PER_RUNNER === 0) {
        current.journal.close()
        void current.runner.drain(0)
        if (fires % FIRES_PER_FILE === 0) setAside()
        current = openRunner()
      }
      current.runner.fire(request, hook, answer)
    },
    addSink: (sink) => current.runner.addSink(sink),
    refuseFire: (request) => fail(new Error(`the body of ${request.command} was read`)),
  },
  journal: {
    firstRun: (hookId, key) => current.journal.firstRun(hookId, key),
    repeated: (runId, written) => current.journal.repeated(runId, written),
  },
  notify: ({ type }) => {
    if (type !== 'listening') fail(new Error(`the listener is ${type}`))
  },
})
await listener.start()
process.once('SIGTERM', () => void listener.stop())
