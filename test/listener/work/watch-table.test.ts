import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Watcher, WatchTable } from '../../../src/listener/requests/watches.ts'

interface Session extends Watcher {
  readonly errors: string[]
}

function session(id: string): Session {
  const errors: string[] = []
  return { id, errors, send: ({ error }) => void errors.push(error) }
}

function openTable() {
  const table = new WatchTable<Session, { end(): void }, { count: number }>({
    what: 'markets',
    perSession: 2,
    inAll: 3,
  })
  const [begun, ended]: [string[], string[]] = [[], []]
  const at = (key: string) => ({
    key,
    begin() {
      begun.push(key)
      return { end: () => void ended.push(key) }
    },
  })
  return { table, begun, ended, at }
}

describe('a table of watches', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('looks once at what several watch, until a moment after the last has looked away', () => {
    const { table, begun, ended, at } = openTable()
    const [one, two] = [session('1'), session('2')]
    table.add(one, 'a', at('BTC'), { count: 0 })
    table.add(two, 'a', at('BTC'), { count: 0 })
    expect([begun, table.all().length]).toEqual([['BTC'], 2])
    table.end(one, 'a')
    vi.advanceTimersByTime(60_000)
    expect([ended, table.looksAt('BTC')]).toEqual([[], true])
    table.forget(two)
    vi.advanceTimersByTime(60_000)
    expect([ended, table.looksAt('BTC'), table.all()]).toEqual([['BTC'], false, []])
  })

  it('takes a watch of the same session and id for the one before it', () => {
    const { table, at } = openTable()
    const one = session('1')
    table.add(one, 'a', at('BTC'), { count: 1 })
    table.add(one, 'a', at('ETH'), { count: 2 })
    expect(table.all().map(({ id, lastSent: told }) => [id, told.count])).toEqual([['a', 2]])
  })

  it('says why there are no more, of a session and in all', () => {
    const { table, at } = openTable()
    const [one, two] = [session('1'), session('2')]
    for (const key of ['a', 'b']) expect(table.add(one, key, at(key), { count: 0 })).toBeTypeOf('object')
    expect(table.add(one, 'c', at('c'), { count: 0 })).toBe('more than 2 markets of this session are watched')
    table.add(two, 'c', at('c'), { count: 0 })
    expect(table.add(two, 'd', at('d'), { count: 0 })).toBe('more than 3 markets are watched')
  })

  it('ends all watches, and tells each why', () => {
    const { table, at } = openTable()
    const one = session('1')
    table.add(one, 'a', at('a'), { count: 0 })
    table.add(one, 'b', at('b'), { count: 0 })
    table.endAll('hidden')
    expect([one.errors, table.all()]).toEqual([['hidden', 'hidden'], []])
  })

  it('stops with all that it looks at', () => {
    const { table, ended, at } = openTable()
    table.add(session('1'), 'a', at('a'), { count: 0 })
    table.stop()
    expect([ended, table.all()]).toEqual([['a'], []])
  })
})
