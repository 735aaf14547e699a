import { describe, expect, it } from 'vitest'
import { FireKeys } from '../../src/runtime/idempotency-keys.ts'

const DAY_MS = 86_400_000

const run = (key: string, at: number) => ({ hook: 'h', key, runId: `run ${key}`, at })

describe('keys of fires', () => {
  it('are known for a day', () => {
    const keys = new FireKeys()
    keys.add(run('a', 1_000), 1_000)
    expect(keys.find('h', 'a', 1_000 + DAY_MS - 1)).toBe('run a')
    expect(keys.find('h', 'a', 1_000 + DAY_MS)).toBeUndefined()
    expect(keys.find('other', 'a', 1_000)).toBeUndefined()
  })

  it('are bounded: the oldest goes first', () => {
    const keys = new FireKeys()
    for (let at = 0; at <= 10_000; at++) keys.add(run(String(at), at), at)
    expect(keys.find('h', '0', 10_000)).toBeUndefined()
    expect(keys.find('h', '1', 10_000)).toBe('run 1')
    expect(keys.carryOver(10_000, 1)).toHaveLength(10_000)
  })

  it('of one hook push out none of another, however many there are', () => {
    const keys = new FireKeys()
    keys.add({ ...run('a', 1), hook: 'quiet' }, 1)
    for (let at = 0; at <= 30_000; at++) keys.add(run(String(at), at), at)
    expect(keys.find('quiet', 'a', 30_000)).toBe('run a')
    expect([keys.find('h', '10000', 30_000), keys.find('h', '20001', 30_000)]).toEqual([undefined, 'run 20001'])
  })

  it('of a run that never began are free', () => {
    const keys = new FireKeys()
    keys.add(run('a', 1), 1)
    keys.forget('h', 'a', 'another run')
    expect(keys.find('h', 'a', 1)).toBe('run a')
    keys.forget('h', 'a', 'run a')
    expect([keys.find('h', 'a', 1), keys.carryOver(1, 1)]).toEqual([undefined, []])
  })

  it('that begin alike, or are of several hooks, are told apart', () => {
    const keys = new FireKeys()
    const names = Array.from({ length: 300 }, (_, index) => `of a hundred ${index}`)
    for (const name of names) for (const hook of ['a', 'b']) keys.add({ hook, key: name, runId: hook + name, at: 1 }, 1)
    for (const name of names) for (const hook of ['a', 'b']) expect(keys.find(hook, name, 1)).toBe(hook + name)
    expect(keys.find('c', names[0] ?? '', 1)).toBeUndefined()
    expect(keys.find('a', 'of a hundred', 1)).toBeUndefined()
  })

  it('are read from a journal again as they were carried over, and from the starts of runs', () => {
    const keys = new FireKeys()
    keys.add(run('a', 5), 5)
    const again = new FireKeys()
    const start = '{"t":"start","runId":"r","at":6,"key":"b","source":"hook","hook":"h","command":"echo"}'
    const others = [
      '{"t":"start","key":"',
      '{"t":"done","runId":"x","key":"c","hook":"h","at":1}',
      'null "key":"',
      'null',
    ]
    again.read([...keys.carryOver(5, 1), start, ...others], 6)
    expect([again.find('h', 'a', 6), again.find('h', 'b', 6), again.find('h', 'c', 6)]).toEqual([
      'run a',
      'r',
      undefined,
    ])
  })

  it('are carried over once for every two files', () => {
    const keys = new FireKeys()
    keys.add({ ...run('a', 1), file: 1 }, 1)
    keys.add({ ...run('b', 2), file: 2 }, 2)
    const carried = (aside: number) => keys.carryOver(3, aside).map((line) => JSON.parse(line).key)
    expect([carried(2), carried(3), carried(4)]).toEqual([['a'], ['b'], ['a']])
  })
})
