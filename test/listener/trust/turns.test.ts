// Work of strangers that is done in turn: no more of it at once than there is room for.
import { expect, it } from 'vitest'
import { createTurns } from '../../../src/listener/sessions/session-state.ts'

it('lets two of many work at once, in order, and goes on after one that fails', async () => {
  const inTurn = createTurns(2)
  const begun: number[] = []
  const ends: ((fails: boolean) => void)[] = []
  const work = (id: number) => () =>
    new Promise<number>((resolve, reject) => {
      begun.push(id)
      ends.push((fails) => (fails ? reject(new Error('failed')) : resolve(id)))
    })
  const all = [0, 1, 2, 3, 4].map((id) => inTurn(work(id)).catch(() => -1))
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  await settled()
  expect(begun).toEqual([0, 1])
  ends[1]?.(true)
  await settled()
  expect(begun).toEqual([0, 1, 2])
  for (const id of [0, 2, 3, 4]) {
    ends[id]?.(false)
    await settled()
  }
  expect(await Promise.all(all)).toEqual([0, -1, 2, 3, 4])
})
