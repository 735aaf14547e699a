// What is not sent yet: when it goes to the file, and who sends it after the end of a process.
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { quietEvents } from '../../src/app/app-events.ts'
import { followUnsent, keepUnsent, withNotices } from '../../src/app/open-notices.ts'
import type { Notice } from '../../src/notices/notice.ts'
import { openUnsentNotices, type UnsentNotice } from '../../src/stores/notices.ts'
import type { Task } from '../../src/stores/tasks.ts'

const ALERT: Task = {
  id: 'alert-1',
  kind: 'alert',
  account: 'paper',
  symbol: 'BTCUSDT',
  command: 'alert BTCUSDT > 70000',
  runId: 'run-1',
  status: 'done',
  progress: 1,
  startedAt: 1_000,
  updatedAt: 60_000,
  reason: 'BTCUSDT is at 70,010.5, above 70,000',
}

/** A process that listens, on files that others left. */
function stage({ isMain = true, channels = [{ name: 'desktop', type: 'desktop' }] as const, tasks = [ALERT] } = {}) {
  const directory = tempDirectory()
  let now = 30_000
  const store = openUnsentNotices(directory, { now: () => now, isAlive: ({ pid }) => pid !== 1_001 })
  const dead = openUnsentNotices(directory, { now: () => now, identity: { pid: 1_001 }, isAlive: () => true })
  const taken: UnsentNotice[] = []
  const sent: Notice[] = []
  const problems: unknown[] = []
  let due = (): void => {}
  const stop = followUnsent({
    stores: { config: { read: () => ({ notices: { channels } }) as never }, unsentNotices: store },
    log: { bug: () => {}, writeSeldom: (...problem: unknown[]) => void problems.push(problem) } as never,
    isMain: () => isMain,
    port: { takeOver: (notices) => void taken.push(...notices), send: (notice) => void sent.push(notice) },
    tasks: () => tasks,
    now: () => now,
    startTimer(_ms, run) {
      due = run
      return () => {
        due = () => {}
      }
    },
  })
  const look = async (at: number) => {
    now = at
    const before = due
    due()
    await expect.poll(() => due === before).toBe(false)
  }
  return { store, dead, taken, sent, problems, look, stop }
}

const row = { id: 1, at: 0, kind: 'said', severity: 'info', text: 'look', count: 1 }

it('what a dead process left is sent once, with its time', async () => {
  const { dead, taken, look, problems } = stage({ tasks: [] })
  await dead.keep([{ channel: 'desktop', id: 'a', row }], [])
  await look(30_000)
  await look(35_000)
  expect(taken).toEqual([{ channel: 'desktop', id: 'a', row: { ...row, text: 'look (at 1970-01-01 00:00:00 UTC)' } }])
  expect(problems).toEqual([])
})

it('the report of an alert that its process did not come to is sent once, with its time', async () => {
  const { sent, look } = stage()
  await look(30_000)
  await look(65_000)
  expect(sent).toEqual([])
  await look(71_000)
  await look(76_000)
  expect(sent).toMatchObject([
    { kind: 'task', text: expect.stringMatching(/above 70,000.* \(at 1970-01-01 00:01:00 UTC\)$/) },
  ])
})

it('an alert whose report was given to the channels is not reported again', async () => {
  const { store, sent, look } = stage()
  await look(30_000)
  const kept = keepUnsent(
    store,
    () => [],
    () => {},
  )
  const events = withNotices(quietEvents, { notify: () => {}, isMain: () => true, reported: kept.reported })
  events.task({ type: 'status', task: ALERT }, () => undefined)
  await kept.flush()
  await look(71_000)
  expect(sent).toEqual([])
})

it.each([
  ['a process that does not listen', { isMain: false }],
  ['one without channels', { channels: [] }],
] as const)('%s takes nothing over', async (_what, options) => {
  const { dead, taken, sent, look } = stage(options as never)
  await dead.keep([{ channel: 'desktop', id: 'a', row }], [])
  await look(30_000)
  await look(80_000)
  expect([taken, sent]).toEqual([[], []])
})

it('what becomes unsent is in the file at once, once for each turn, and not again while it stays so', async () => {
  const writes: string[][] = []
  let unsent: readonly string[] = []
  const kept = keepUnsent(
    { keep: async (notices) => void writes.push(notices.map(({ id }) => id)) },
    () => unsent.map((id) => ({ channel: 'phone', id, row })),
    () => {},
  )
  unsent = ['a', 'b']
  kept.changed()
  kept.changed()
  await kept.flush()
  await kept.flush()
  expect(writes).toEqual([['a', 'b']])
  unsent = []
  kept.changed()
  await kept.flush()
  expect(writes).toEqual([['a', 'b'], []])
})

it('the report of an alert stays to be noted where the file cannot be written', async () => {
  const given: (readonly string[])[] = []
  const problems: unknown[] = []
  const kept = keepUnsent(
    {
      async keep(_notices, alerts) {
        given.push(alerts)
        if (given.length === 1) throw new Error('disk full')
      },
    },
    () => [],
    (error) => void problems.push(error),
  )
  kept.reported('a')
  await kept.flush()
  await kept.flush()
  expect(problems).toHaveLength(1)
  expect(given).toEqual([['a'], ['a']])
})
