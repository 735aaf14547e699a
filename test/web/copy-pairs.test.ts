import { describe, expect, it } from 'vitest'
import {
  addLine,
  columnsOf,
  divergenceOf,
  draftOf,
  firstLine,
  mastersOf,
  modeTitle,
  newDraft,
  outcomeOf,
  pairsOf,
  standingOf,
  weightText,
} from '../../src/web/pages/copy/pairs.ts'

const copier = (account: string, more = {}) => ({ account, weight: 0.5, mode: 'Market', ...more })
const row = (id: string, more = {}) => ({
  id,
  enabled: true,
  masterAccount: 'paper',
  masterWeight: 1,
  copiers: [copier('swing')],
  updatedAt: 1,
  ...more,
})
const state = (configId: string, account: string, symbol: string, more = {}) => ({
  configId,
  account,
  symbol,
  state: 'in-step',
  desired: '1',
  owned: '1',
  ...more,
})

describe('how far a copier is from what it should hold', () => {
  it.each([
    ['0.120', '0.12', '0', 'good', 'on target'],
    ['0', '0.00', '0', 'good', 'on target'],
    ['0.12', '0.104', '0.016', 'bad', '0.016 missing, 13.3 %'],
    ['-0.12', '-0.104', '-0.016', 'bad', '0.016 missing, 13.3 %'],
    ['1', '0.95', '0.05', 'warn', '0.05 missing, 5 %'],
    ['1', '1.05', '-0.05', 'warn', '0.05 too much, 5 %'],
    ['1', '0', '1', 'bad', '1 missing, 100 %'],
    ['0', '0.3', '-0.3', 'bad', '0.3 too much, should hold nothing'],
    ['0', '-0.3', '0.3', 'bad', '0.3 too much, should hold nothing'],
    ['0.5', '-0.2', '0.7', 'bad', 'on the other side, 0.7 off'],
    ['100000', '99999.99999999', '0.00000001', 'warn', '0.00000001 missing, less than 0.1 %'],
    ['0.00000001', '1', '-0.99999999', 'bad', '0.99999999 too much, more than 999 %'],
    ['0.3', '0.1', '0.2', 'bad', '0.2 missing, 66.7 %'],
  ])('should hold %s, holds %s', (desired, owned, missing, tone, words) => {
    const divergence = divergenceOf(desired, owned)
    expect(divergence).toMatchObject({ missing, tone, words })
    expect(divergence?.part).toBeGreaterThanOrEqual(0)
    expect(divergence?.part).toBeLessThanOrEqual(1)
  })

  it('is not said of what is no figure', () => {
    expect(divergenceOf('1e3', '1')).toBeUndefined()
    expect(divergenceOf('1', '')).toBeUndefined()
  })
})

describe('who copies whom', () => {
  const engine = {
    running: true,
    configs: [
      row('a', { masterSymbol: 'ETHUSDT' }),
      row('b', { copiers: [copier('swing'), copier('scalp')] }),
      row('c', { masterSymbol: 'BTCUSDT', copiers: [copier('scalp', { symbol: 'ETHUSDT' })] }),
      row('d', { masterSymbol: 'BTCUSDT', enabled: false, copiers: [copier('alt')] }),
    ],
    copiers: [
      state('b', 'swing', 'BTCUSDT'),
      state('b', 'swing', 'ETHUSDT', { state: 'blocked', why: 'no money' }),
      state('b', 'swing', 'XRPUSDT', { state: 'a-later-word' }),
      state('c', 'scalp', 'ETHUSDT', { state: 'behind' }),
    ],
  }
  const pairs = pairsOf(engine)
  const named = (id: string, account: string) => {
    const found = pairs.find(({ row: { id: own }, copier: { account: who } }) => own === id && who === account)
    if (found === undefined) throw new Error(`there is no pair ${id} ${account}`)
    return found
  }

  it('is a line for each master and symbol and a column for each copier, then other accounts while there is room', () => {
    expect(mastersOf(pairs).map(({ account, symbol, pairs: own }) => [account, symbol, own.length])).toEqual([
      ['paper', undefined, 2],
      ['paper', 'BTCUSDT', 2],
      ['paper', 'ETHUSDT', 1],
    ])
    expect(columnsOf(pairs, ['zed', 'paper', 'swing', 'yak'])).toEqual(['alt', 'scalp', 'swing', 'paper', 'yak'])
  })

  it('shows of several symbols the one that most needs a person first', () => {
    expect(named('b', 'swing').states.map(({ symbol }) => symbol)).toEqual(['ETHUSDT', 'BTCUSDT', 'XRPUSDT'])
    expect(named('c', 'scalp').states).toHaveLength(1)
    expect(standingOf(named('b', 'swing'), true)).toEqual({ tone: 'bad', word: 'blocked', why: 'no money' })
    expect(standingOf(named('c', 'scalp'), true)).toEqual({ tone: 'busy', word: 'behind' })
  })

  it('says of what does not copy why: off, no engine, nothing heard', () => {
    expect(standingOf(named('d', 'alt'), true).word).toBe('off')
    expect(standingOf(named('b', 'swing'), false).word).toBe('engine off')
    expect(standingOf(named('a', 'swing'), true).word).toBe('no news yet')
  })

  it('writes weights against the master’s own, and modes as people call them', () => {
    expect(weightText({ masterWeight: 1 }, { weight: -0.5 })).toBe('× −0.5')
    expect(weightText({ masterWeight: 2 }, { weight: 1 })).toBe('× 1 of 2')
    expect(['Market', 'LimitSlippage', 'Later'].map(modeTitle)).toEqual(['Market', 'Limit', 'Later'])
  })
})

describe('a pair as it is typed', () => {
  const draft = newDraft({ masterAccount: 'paper', account: 'swing' })

  it('is the line that would make it, without what goes without saying', () => {
    expect(addLine(draft)).toBe('cross-trade add --master paper --copier swing')
    expect(firstLine([{ name: 'paper' }])).toBeUndefined()
    expect(firstLine([{ name: 'paper' }, { name: 'night' }])).toBe(
      'cross-trade add --master paper --symbol BTCUSDT --copier night --weight 0.5',
    )
    expect(addLine({ ...draft, masterSymbol: 'BTCUSDT', symbol: 'ETHUSDT', weight: '-0.5', masterWeight: '2' })).toBe(
      'cross-trade add --master paper --symbol BTCUSDT --copier swing --copier-symbol ETHUSDT --weight -0.5 --master-weight 2',
    )
    expect(addLine({ ...draft, slippage: '0.2%' })).not.toContain('slippage')
    expect(addLine({ ...draft, mode: 'LimitSlippage', slippage: '0.2%' })).toMatch(
      /--mode LimitSlippage --slippage 0.2%$/,
    )
  })

  it('is no line while an account is missing, or where a word of it would be another command', () => {
    expect(addLine({ ...draft, account: '' })).toBeUndefined()
    for (const weight of ['1; panic', '1 & halt', '"1"', '$1', '1\nhalt'])
      expect(addLine({ ...draft, weight })).toBeUndefined()
  })

  it('begins with what is stored', () => {
    const [pair] = pairsOf({ running: false, configs: [row('a', { masterSymbol: 'BTCUSDT', masterWeight: 2 })] })
    if (pair === undefined) throw new Error('there is no pair')
    expect(draftOf(pair)).toEqual({
      masterAccount: 'paper',
      masterSymbol: 'BTCUSDT',
      masterWeight: '2',
      account: 'swing',
      symbol: '',
      weight: '0.5',
      mode: 'Market',
      slippage: '',
    })
  })
})

describe('the fate of a copy', () => {
  it.each([
    ['sent', '0', 'sent', 'busy'],
    ['placed', '0', 'placed', 'busy'],
    ['closed', '1', 'filled', 'good'],
    ['refused', '0', 'refused', 'bad'],
    ['rejected', '0', 'refused', 'bad'],
    ['unknown', '0', 'unknown', 'bad'],
    ['canceled', '0', 'not filled', 'warn'],
    ['expired', '0.1', 'filled in part', 'warn'],
    ['a-later-word', '0', 'a-later-word', ''],
  ])('%s, %s filled: %s', (fate, filled, word, tone) => {
    expect(outcomeOf({ state: fate, filled })).toEqual({ word, tone })
  })
})
