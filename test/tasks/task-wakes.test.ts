import { expect, test } from 'vitest'
import { TaskWakes } from '../../src/tasks/task-wakes.ts'

function stageOf() {
  let now = 1_000
  const delays: { readonly until: number; readonly signal: AbortSignal; readonly end: () => void }[] = []
  const wakes = new TaskWakes({
    now: () => now,
    delay: (ms, signal) =>
      new Promise<void>((resolve) => {
        delays.push({ until: now + ms, signal, end: resolve })
        signal.addEventListener('abort', () => resolve())
      }),
  })
  const woken: string[] = []
  const waiting = () => delays.filter(({ signal }) => !signal.aborted)
  return {
    wakes,
    woken,
    delays,
    waiting,
    set: (sleeper: object, name: string, at: number | undefined) => wakes.set(sleeper, at, () => woken.push(name)),
    async pass(until: number) {
      now = until
      for (const delay of waiting()) if (delay.until <= now) delay.end()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test('a hundred tasks that wait for one moment have one timer, and wake together', async () => {
  const stage = stageOf()
  for (let index = 0; index < 100; index += 1) stage.set({}, `${index}`, 1_250)
  expect(stage.delays).toHaveLength(1)
  await stage.pass(1_249)
  expect(stage.woken).toHaveLength(0)
  await stage.pass(1_250)
  expect(stage.woken).toHaveLength(100)
})

test('an earlier wake ends the sleep, a later one does not', async () => {
  const stage = stageOf()
  const [one, two] = [{}, {}]
  stage.set(one, 'one', 2_000)
  stage.set(two, 'two', 3_000)
  expect(stage.delays).toHaveLength(1)
  stage.set(two, 'two', 1_500)
  expect(stage.waiting().map(({ until }) => until)).toContain(1_500)
  await stage.pass(1_500)
  expect(stage.woken).toEqual(['two'])
  await stage.pass(2_000)
  expect(stage.woken).toEqual(['two', 'one'])
})

test('a wake takes the place of the one before, and none is left when none is wanted', async () => {
  const stage = stageOf()
  const one = {}
  stage.set(one, 'early', 1_100)
  stage.set(one, 'late', 1_200)
  await stage.pass(1_100)
  expect(stage.woken).toEqual([])
  stage.set(one, 'none', undefined)
  expect(stage.delays.every(({ signal, until }) => signal.aborted || until <= 1_100)).toBe(true)
  await stage.pass(5_000)
  expect(stage.woken).toEqual([])
})

test('what is due already wakes at once', () => {
  const stage = stageOf()
  stage.set({}, 'now', 1_000)
  expect(stage.woken).toEqual(['now'])
  expect(stage.delays).toHaveLength(0)
})
