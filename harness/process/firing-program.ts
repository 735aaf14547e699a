// A hookline of its own process, all but its doors: fires the hook that it is sent, at once, and answers with the end of the run.
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { App } from '../../src/app/app.ts'
import { fireRequest } from '../../src/runtime/trigger-fire.ts'

export interface FireOrder {
  readonly hook: string
  /** By this clock, ms since the epoch: two processes fire at the same moment. */
  readonly at: number
}

export interface FireEnd {
  readonly success: boolean
  readonly error?: string
}

const silent = () => {}
const app = new App({
  env: process.env,
  listen: 'none',
  events: {
    listener: silent,
    order: silent,
    task: silent,
    meanwhile: silent,
    warn: silent,
    problem: silent,
    question: silent,
    editQuestion: silent,
    activity: silent,
  },
})
const answer = (end: FireEnd) => (process as unknown as ChildProcess).send?.(end)
const end = (_run: unknown, { success, error }: FireEnd) => void answer({ success, ...(error && { error }) })
app.runner.addSink({ output: silent, done: end, unbegun: end })

process.on('message', ({ hook: name, at }: FireOrder) => {
  const hook = app.ports.hooks.resolve(name)
  while (Date.now() < at) {
    // A timer comes a millisecond late, or two.
  }
  const request = { ...fireRequest(hook), runId: randomUUID() }
  app.runner.fire(request, hook, silent)
})
await app.connect('paper')
answer({ success: true })
