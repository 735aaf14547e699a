// Which lines share a write, and when it begins: the request of an order is prepared meanwhile.
import { describe, expect, it } from 'vitest'
import { createGroupCommit } from '../../src/stores/durable-journal.ts'

function start() {
  const writes: string[][] = []
  const ends: (() => void)[] = []
  const commits = createGroupCommit(
    (groups) => {
      writes.push(groups.flatMap(({ lines }) => lines))
      return new Promise((resolve) => ends.push(resolve))
    },
    async (error) => error as Error,
  )
  const add = (line: string, isFollowed = false) => commits.add({ lines: [line], isSynced: true, isFollowed })
  return { writes, ends, add, commits }
}

describe('a write', () => {
  it('has all that one tick adds', async () => {
    const { writes, add } = start()
    void add('one')
    await new Promise<void>((resolve) => process.nextTick(resolve))
    expect(writes).toEqual([['one']])
  })

  it('waits for what its writer adds, and begins with that', async () => {
    const { writes, add } = start()
    void add('intent', true)
    await Promise.resolve()
    expect(writes).toEqual([])
    void add('counted')
    expect(writes).toEqual([['intent', 'counted']])
  })

  it('begins by the next tick where nothing is added', async () => {
    const { writes, add } = start()
    void add('intent', true)
    await new Promise<void>((resolve) => process.nextTick(resolve))
    expect(writes).toEqual([['intent']])
  })

  it('takes all that came while another was under way, and is over before the next begins', async () => {
    const { writes, ends, add, commits } = start()
    const first = add('one')
    await new Promise<void>((resolve) => process.nextTick(resolve))
    const [second, third] = [add('two', true), add('three')]
    await new Promise<void>((resolve) => setImmediate(resolve))
    expect(writes).toEqual([['one']])
    ends.shift()?.()
    await first
    expect(writes).toEqual([['one'], ['two', 'three']])
    ends.shift()?.()
    await Promise.all([second, third, commits.idle()])
    void add('four')
    await new Promise<void>((resolve) => process.nextTick(resolve))
    expect(writes.at(-1)).toEqual(['four'])
  })
})

it('writes all that a tick adds at once', async () => {
  const written: number[] = []
  const commits = createGroupCommit(
    async (groups) => void written.push(groups.length),
    async (error) => error as Error,
  )
  await Promise.all(Array.from({ length: 100 }, () => commits.add({ lines: ['{}'], isSynced: true })))
  expect(written).toEqual([100])
})
