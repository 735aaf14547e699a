// What a hook or a page may order, and what of it takes the terminal (behaviour 19).
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import type { Source } from '../../src/runs/run.ts'

const REMOTE: readonly Source[] = ['hook', 'web']
const TERMINAL: readonly Source[] = ['repl', 'exec']

function intentsOf(journal: readonly string[]) {
  const lines = journal.map((line) => JSON.parse(line) as { t: string; by?: { source: string } })
  return lines.filter(({ t }) => t === 'intent' || t === 'changing')
}

describe.each(REMOTE)('from %s', (source) => {
  it.each([
    'buy 0.01 at +0.1% ioc',
    'buy 0.01 at +0.1% fok',
    'buy 0.01 best po',
    'buy 0.01 stop -2% tp +4%',
    'stop at -2% limit -0.2%',
    'take at +4%',
    'tp 50% at +4%',
    'amend p2 at -2%',
    'amend p2 0.02',
    'move p2 to -2%',
    'bump -10',
    'scale buy $1000 into 5 from -1% to -3%',
    'swarm sell 100% into 3 irregular reduce',
    'nuke --yes',
    'amend p2 at -2% replace',
    'close 50%',
  ])('%s is carried out, and the journal says who ordered it', async (line) => {
    const session = await createSession()
    await session.run('buy 0.01; buy 0.01 at -1%')
    const before = intentsOf(session.journal).length
    const run = session.start(line, { source })
    expect(await run.done, run.lines.join('\n')).toBe(true)
    const intents = intentsOf(session.journal).slice(before)
    expect(intents.length).toBeGreaterThan(0)
    for (const { by } of intents) expect(by).toMatchObject({ source })
  })

  it.each([
    'cancel p2',
    'cancel all',
    'orders --all',
    'fills',
    'trades',
    'pnl',
    'pnl --by account',
    'leverage',
    'margin',
  ])('%s runs', async (line) => {
    const session = await createSession()
    await session.run('buy 0.01; buy 0.01 at -1%')
    expect(await session.start(line, { source }).done).toBe(true)
  })

  it('leverage is lowered, and not raised', async () => {
    const session = await createSession()
    expect(await session.run('leverage 5', { source })).toEqual(['success BTCUSDT at 5x'])
    expect(await session.run('leverage 6', { source })).toEqual([
      'error not-allowed-here: leverage is raised only in the terminal, not from hooks or web pages | type it there',
    ])
    expect(await session.run('leverage', { source })).toEqual(['print BTCUSDT 5x, cross margin, at most 100x'])
  })

  it('leverage that the venue does not tell is not changed', async () => {
    const session = await createSession()
    const set: string[] = []
    const { fetchMargin: _, ...silent } = session.market.exchange
    session.useExchange({ ...silent, setLeverage: async (_symbol, leverage) => void set.push(leverage) })
    expect(await session.run('leverage 2', { source })).toEqual([expect.stringMatching(/^error not-allowed-here: /)])
    expect(set).toEqual([])
  })

  it('the margin mode is not set', async () => {
    const session = await createSession()
    const set: string[] = []
    const { exchange } = session.market
    session.useExchange({
      ...exchange,
      capabilities: { ...exchange.capabilities, setMarginMode: true },
      setMarginMode: async (_symbol, mode) => void set.push(mode),
    })
    for (const mode of ['isolated', 'cross']) {
      expect(await session.run(`margin ${mode}`, { source })).toEqual([
        'error not-allowed-here: the margin mode is set only in the terminal, not from hooks or web pages | type it there',
      ])
    }
    expect(set).toEqual([])
  })
})

describe.each(TERMINAL)('from %s', (source) => {
  it('leverage is raised and the margin mode is set', async () => {
    const session = await createSession()
    const set: string[] = []
    const { exchange } = session.market
    session.useExchange({
      ...exchange,
      capabilities: { ...exchange.capabilities, setMarginMode: true },
      setMarginMode: async (_symbol, mode) => void set.push(mode),
    })
    expect(await session.run('leverage 50', { source })).toEqual(['success BTCUSDT at 50x'])
    expect(await session.run('margin isolated', { source })).toEqual(['success BTCUSDT on isolated margin'])
    expect(set).toEqual(['isolated'])
  })
})
