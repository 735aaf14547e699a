import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Fifo, UnorderedSet } from '../../src/runtime/collections.ts'

it('a set holds what was added and not removed, whatever the order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), (steps) => {
      const set = new UnorderedSet<{ place: number }>()
      const expected = new Set<{ place: number }>()
      for (const step of steps) {
        const held = [...expected][step]
        if (held) {
          set.remove(held)
          expected.delete(held)
        } else {
          const item = { place: 0 }
          set.add(item)
          expected.add(item)
        }
      }
      expect(new Set(set.list())).toEqual(expected)
      expect(set.size).toBe(expected.size)
    }),
  )
})

it('a queue gives things back in the order they came, however many pass through', () => {
  const queue = new Fifo<{ readonly number: number }>()
  let taken = 0
  for (let number = 0; number < 10_000; number++) {
    queue.add({ number })
    if (number % 3 !== 0) expect(queue.take()?.number).toBe(taken++)
  }
  expect(queue.list().map(({ number }) => number)).toEqual(Array.from({ length: queue.length }, (_, i) => taken + i))
  while (queue.length > 0) expect(queue.take()?.number).toBe(taken++)
  expect(queue.take()).toBeUndefined()
})
