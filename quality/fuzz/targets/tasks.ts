// `tasks.json`: work that outlives its command; hookline only reads it.
import { decodeServerFrame, encodeFrame } from '../../../src/protocol/decode.ts'
import { openTasks, scrubTask, type Task } from '../../../src/stores/tasks.ts'
import { storeTarget } from '../store-target.ts'
import { type OpenTarget, promise } from '../target.ts'

const task = {
  id: 't1',
  kind: 'chase',
  account: 'paper',
  symbol: 'BTCUSDT',
  command: 'chase buy 0.01',
  runId: 'r',
  status: 'running',
  progress: 0.5,
  startedAt: 1,
  updatedAt: 2,
}

export const open: OpenTarget = () =>
  storeTarget({
    fileName: 'tasks.json',
    open(directory) {
      const store = openTasks(directory)
      return { read: store.list, problem: store.problem, problems: store.problems }
    },
    seeds: [{ version: 1, tasks: [task, { ...task, id: 't2', status: 'done', startedAt: 3, note: 'mine' }] }],
    words: ['version', 'tasks', ...Object.keys(task), 'done', 'failed', 'cancelled', 'interrupted'],
    check(store) {
      const frame = encodeFrame({ t: 'state:tasks', tasks: (store.read() as readonly Task[]).map(scrubTask) })
      promise(decodeServerFrame(frame).ok, 'a page can read what a good file holds')
    },
  })
