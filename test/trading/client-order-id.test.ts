import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientOrderId, MAX_ATTEMPTS, protectiveOrderId } from '../../src/trading/order-plan.ts'

const RUN = '0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f1'

describe('an order id', () => {
  it('has 32 hexadecimal characters that begin with those of the run', () => {
    expect(clientOrderId(RUN, 0)).toBe('0f1e2d3c4b5a49788695a4b300000000')
    expect(clientOrderId(RUN, 258)).toBe('0f1e2d3c4b5a49788695a4b300000102')
  })

  it('is the same for the same run and step, and for no other', () => {
    const step = fc.integer({ min: 0, max: 0xffffff })
    fc.assert(
      fc.property(fc.uuid(), step, step, (run, a, b) => {
        expect(clientOrderId(run, a)).toMatch(/^[0-9a-f]{32}$/)
        expect(clientOrderId(run, a) === clientOrderId(run, b)).toBe(a === b)
      }),
    )
  })

  it('is made of any other id of a run too', () => {
    expect(clientOrderId('task-7', 1)).toMatch(/^[0-9a-f]{24}00000001$/)
    expect(clientOrderId('task-7', 1)).not.toBe(clientOrderId('task-8', 1))
  })

  it('of a stop or take-profit differs from its entry and from every other attempt', () => {
    const entry = clientOrderId(RUN, 3)
    const attempts = Array.from({ length: MAX_ATTEMPTS + 1 }, (_, attempt) => attempt)
    const roles = ['stop', 'take'] as const
    const ids = [entry, ...roles.flatMap((role) => attempts.map((attempt) => protectiveOrderId(entry, role, attempt)))]
    expect(new Set(ids).size).toBe(2 * MAX_ATTEMPTS + 3)
    expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true)
    expect(protectiveOrderId(entry, 'stop', 0)).toBe('0f1e2d3c4b5a49788695a4b380000003')
  })

  it('has no step or attempt beyond its digits', () => {
    expect(() => clientOrderId(RUN, 0x1000000)).toThrow(RangeError)
    expect(() => clientOrderId(RUN, -1)).toThrow(RangeError)
    expect(() => protectiveOrderId(clientOrderId(RUN, 0), 'stop', MAX_ATTEMPTS + 1)).toThrow(RangeError)
  })
})
