import { describe, expect, it } from 'vitest'
import { parseClose } from '../../../src/language/order.ts'
import { parseChain } from '../../../src/language/parse.ts'
import { parsePosition } from '../../../src/language/position.ts'
import type { RunRow } from '../../../src/protocol/frames.ts'
import { closeLine, reverseLine } from '../../../src/web/pages/trade/position-lines.ts'
import { withRuns } from '../../../src/web/pages/trade/run-list.ts'
import { sumOf } from '../../../src/web/pages/trade/sum.ts'

const argsOf = (line: string) => parseChain(line).stages[0]?.commands[0]?.args ?? []

describe('lines of a position', () => {
  const long = { symbol: 'BTCUSDT', side: 'long', amount: '0.018' }

  it('close all of it, or a part', () => {
    expect(closeLine(long)).toBe('close BTCUSDT')
    expect(parseClose(argsOf(closeLine(long, '25')))).toMatchObject({
      symbols: ['BTCUSDT'],
      size: { kind: 'percent', percent: '25' },
    })
  })

  it.each([
    [long, 'short', '0.018'],
    [{ ...long, side: 'short', amount: '400' }, 'long', '400.0'],
  ] as const)('reverse %j to as much on the other side', (position, target, amount) => {
    expect(parsePosition(argsOf(reverseLine(position)))).toMatchObject({ target, size: { kind: 'base', amount } })
  })
})

describe('a sum', () => {
  it('is exact, with the digits of its longest part', () => {
    expect(sumOf(['0.1', '0.2', '-7'])).toBe('-6.7')
    expect(sumOf(['-0.05', '0.05'])).toBe('0.00')
  })

  it('is not there where a part is not', () => {
    expect(sumOf(['1', undefined])).toBeUndefined()
  })
})

describe('runs that are followed', () => {
  const run = (runId: string, startedAt: number, state = 'running'): RunRow => ({
    ...{ runId, startedAt, state, source: 'web', command: 'status' },
  })

  it('come whole, and then as those that changed', () => {
    const first = withRuns(undefined, { runs: [run('a', 1), run('b', 2)] })
    const second = withRuns(first, { runs: [run('a', 1, 'done'), run('c', 3)], part: true })
    expect(second.map(({ runId, state }) => `${runId} ${state}`)).toEqual(['c running', 'b running', 'a done'])
    expect(withRuns(second, { runs: [run('d', 4)] }).map(({ runId }) => runId)).toEqual(['d'])
  })
})
