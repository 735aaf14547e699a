import { describe, expect, it } from 'vitest'
import { foldLines, type StateLine, shortened } from '../../src/cross-trade/state-journal.ts'

const ROW = 'row-1'
const UNIT = `${ROW}/copier/BTCUSDT`
const text = (...lines: readonly StateLine[]) => lines.map((line) => JSON.stringify(line))

const ON: StateLine = { t: 'on', row: ROW, master: 'master', baseline: { BTCUSDT: '1' }, seen: { BTCUSDT: '1' } }
const MASTER: StateLine = { t: 'master', row: ROW, symbol: 'BTCUSDT', position: '3', raws: { [UNIT]: '2' } }
const PART: StateLine = { t: 'part', unit: UNIT, symbol: 'BTCUSDT', raw: '2', amount: '2' }
const intent = (step: number, side: 'buy' | 'sell' = 'buy', amount = '2'): StateLine => ({
  t: 'intent',
  unit: UNIT,
  step,
  at: 5,
  side,
  amount,
  reduceOnly: false,
})
const end = (step: number, filled: string): StateLine => ({ t: 'end', unit: UNIT, step, filled })

const unitOf = (...lines: readonly StateLine[]) => foldLines(text(...lines)).units.get(UNIT)

describe('the state of the copier', () => {
  it('adds up what its orders have built, by what filled', () => {
    const unit = unitOf(ON, MASTER, PART, intent(0), end(0, '1.5'), intent(1, 'sell', '1'), end(1, '0.25'))
    expect(unit).toMatchObject({ owned: '1.25', nextStep: 2, parts: { BTCUSDT: { raw: '2', amount: '2' } } })
    expect(unit?.intents.size).toBe(0)
  })

  it('knows the orders that have no end, and never uses a step again', () => {
    const unit = unitOf(ON, intent(0), end(0, '0'), intent(1), intent(7))
    expect([...(unit?.intents.keys() ?? [])]).toEqual([1, 7])
    expect(unit?.nextStep).toBe(8)
  })

  it('counts a line once that is there twice', () => {
    expect(unitOf(ON, intent(0), end(0, '1'), intent(0), end(0, '1'))).toMatchObject({ owned: '1', nextStep: 1 })
  })

  it('takes a conversion only for what was to be converted', () => {
    const later: StateLine = { ...MASTER, position: '4', raws: { [UNIT]: '3' } }
    expect(unitOf(ON, MASTER, later, PART)?.parts).toEqual({ BTCUSDT: { raw: '3' } })
    expect(unitOf(ON, MASTER, { ...MASTER, position: '1', raws: { [UNIT]: '0' } })?.parts).toEqual({})
  })

  it('begins anew with the row: nothing is owned, orders under way are not its own, steps go on', () => {
    const unit = unitOf(
      ON,
      MASTER,
      PART,
      intent(0),
      end(0, '2'),
      intent(1),
      { t: 'paused', unit: UNIT, why: 'x' },
      ON,
      end(1, '2'),
    )
    expect(unit).toEqual({ owned: '0', nextStep: 2, parts: {}, intents: new Map() })
  })

  it('skips what a crash has torn, and what is none of its lines', () => {
    const lines = [...text(ON), '{"t":"inte', '[]', 'null', '{"t":"fill","unit":"x"}', ...text(intent(0))]
    expect(foldLines(lines).units.get(UNIT)?.nextStep).toBe(1)
  })

  it('of a new file is that of the old one', () => {
    const lines = text(
      ...[ON, MASTER, PART, intent(0), end(0, '2'), intent(1, 'sell', '1')],
      ...[{ t: 'paused', unit: UNIT, why: 'five failures' } as const, { t: 'woken', row: 'other' } as const],
    )
    expect(foldLines(shortened(lines))).toEqual(foldLines(lines))
    expect(foldLines([...shortened(lines), ...text(end(1, '1'))]).units.get(UNIT)).toMatchObject({ owned: '1' })
  })
})
