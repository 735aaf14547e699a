import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Database } from '../../src/web-hosting/database.ts'
import { type Asker, StatementTurns, type TurnOptions } from '../../src/web-hosting/statement-turns.ts'

afterEach(() => void vi.useRealTimers())

/** A database whose statements end when the test says so. */
function stage(options: Partial<TurnOptions> = {}) {
  const running = new Map<string, () => void>()
  const begun: string[] = []
  const begin = (text: string): Promise<never[]> => {
    begun.push(text)
    return new Promise((resolve) => running.set(text, () => resolve([])))
  }
  const database: Database = {
    query: (text) => begin(text),
    transaction: async (work) => {
      await begin('transaction')
      return work(database)
    },
    close: async () => {},
  }
  const turns = new StatementTurns(database, { connections: 4, ...options })
  const outcomes: Record<string, string> = {}
  return {
    begun,
    outcomes,
    running: () => [...running.keys()],
    send(asker: Asker, ...texts: readonly string[]): void {
      for (const text of texts)
        turns
          .of(asker)
          .query(text)
          .then(
            () => Object.assign(outcomes, { [text]: 'done' }),
            ({ code }) => Object.assign(outcomes, { [text]: code }),
          )
    },
    transact: (asker: Asker) => turns.of(asker).transaction(async () => 'kept'),
    async end(...texts: readonly string[]): Promise<void> {
      for (const text of texts) {
        running.get(text)?.()
        running.delete(text)
      }
      await settle()
    },
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}

const person = (name: string): Asker => ({ kind: 'person', name })
const visitor = (name: string): Asker => ({ kind: 'visitor', name })
const stranger = (name: string): Asker => ({ kind: 'stranger', name })

describe('a connection to the database', () => {
  it('is held by one person twice at most, however many statements wait', async () => {
    const { send, running, end } = stage()
    send(person('ada'), 'a1', 'a2', 'a3', 'a4', 'a5')
    await settle()
    expect(running()).toEqual(['a1', 'a2'])
    send(person('bob'), 'b1')
    await settle()
    expect(running()).toEqual(['a1', 'a2', 'b1'])
    await end('a1')
    expect(running()).toEqual(['a2', 'b1', 'a3'])
  })

  it('goes from person to person in turn, not by who has sent first or most', async () => {
    const { send, begun, end } = stage({ connections: 1, ofAsker: 2 })
    send(person('ada'), 'a1', 'a2', 'a3', 'a4')
    send(person('bob'), 'b1', 'b2')
    send(person('cleo'), 'c1')
    for (let turn = 0; turn < 7; turn++) await end(begun.at(-1) ?? '')
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  })

  it('goes to persons, visitors and strangers in turn, and any number of addresses leave the most to persons', async () => {
    const { send, running, begun, end } = stage({ connections: 3 })
    for (let index = 0; index < 50; index++) {
      send(stranger(`192.0.2.${index}`), `s${index}`)
      send(visitor(`192.0.2.${index}`), `v${index}`)
    }
    await settle()
    expect(running()).toEqual(['s0', 'v0'])
    send(person('ada'), 'a1', 'a2')
    send(person('bob'), 'b1')
    await settle()
    expect(running()).toEqual(['s0', 'v0', 'a1'])
    await end('s0')
    expect(begun.at(-1)).toBe('s1')
    await end('v0', 's1')
    expect(begun.slice(-2)).toEqual(['v1', 'a2'])
    await end('a1', 'a2')
    expect(begun.slice(-2)).toEqual(['s2', 'b1'])
  })

  it('is held for all of a transaction', async () => {
    const { transact, send, running, end } = stage({ connections: 1 })
    const kept = transact(person('ada'))
    send(person('bob'), 'b1')
    await settle()
    expect(running()).toEqual(['transaction'])
    await end('transaction')
    expect(await kept).toBe('kept')
    expect(running()).toEqual(['b1'])
  })

  it('is refused to who has too many that wait, and to nobody else', async () => {
    const { send, outcomes, running } = stage({ waiting: 2 })
    send(person('ada'), 'a1', 'a2', 'a3', 'a4', 'a5')
    send(person('bob'), 'b1')
    send(stranger('ada'), 'x1')
    await settle()
    expect(outcomes).toEqual({ a5: 'too-many-waiting' })
    expect(running()).toEqual(['a1', 'a2', 'b1', 'x1'])
  })

  it('is waited for no longer than a statement may take', async () => {
    vi.useFakeTimers()
    const { send, outcomes, running, end } = stage({ connections: 1, waitMs: 3_000 })
    send(person('ada'), 'a1')
    send(person('bob'), 'b1', 'b2')
    await vi.advanceTimersByTimeAsync(2_999)
    expect(outcomes).toEqual({})
    await vi.advanceTimersByTimeAsync(1)
    expect(outcomes).toEqual({ b1: 'database-busy', b2: 'database-busy' })
    send(person('bob'), 'b3')
    await end('a1')
    expect(running()).toEqual(['b3'])
  })
})

it('of any statements of any askers no more run than may, none runs twice, and all run', async () => {
  const sends = fc.array(
    fc.record({ kind: fc.constantFrom('person', 'visitor', 'stranger'), name: fc.constantFrom('a', 'b', 'c') }),
    { maxLength: 40 },
  )
  await fc.assert(
    fc.asyncProperty(sends, fc.infiniteStream(fc.nat()), async (askers, choices) => {
      const { send, running, begun, outcomes, end } = stage({ connections: 3, waiting: 100 })
      const names = new Map(askers.map((asker, index) => [`${index}`, asker]))
      for (const [text, asker] of names) send(asker as Asker, text)
      await settle()
      while (running().length > 0) {
        const now = running()
        expect(now.length).toBeLessThanOrEqual(3)
        for (const kind of ['visitor', 'stranger'])
          expect(now.filter((each) => names.get(each)?.kind === kind).length).toBeLessThanOrEqual(1)
        for (const { kind, name } of names.values()) {
          const own = now.filter((each) => names.get(each)?.kind === kind && names.get(each)?.name === name)
          expect(own.length).toBeLessThanOrEqual(2)
        }
        await end(now[(choices.next().value ?? 0) % now.length] ?? '')
      }
      expect(begun.toSorted()).toEqual([...names.keys()].toSorted())
      expect(Object.values(outcomes)).toEqual(askers.map(() => 'done'))
    }),
  )
})
