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
    expect(await session.run('leverage 5', { source })).toEqual(['success BTCUSDT at 5x, was 10x'])
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
    expect(await session.run('leverage 50', { source })).toEqual(['success BTCUSDT at 50x, was 10x'])
    expect(await session.run('margin isolated', { source })).toEqual(['success BTCUSDT on isolated margin'])
    expect(set).toEqual(['isolated'])
  })
})

describe('leverage of an open position', () => {
  const stage = async (answers: readonly boolean[] | undefined, marginMode: 'cross' | 'isolated' = 'isolated') => {
    const asked: string[] = []
    const left = [...(answers ?? [])]
    const confirm = async (question: string) => {
      asked.push(question)
      return left.shift() ?? false
    }
    const terminal = { askHidden: async () => '', confirm, clear() {}, history: () => [], quit() {} }
    const session = await createSession(answers === undefined ? {} : { terminal })
    await session.run('buy 0.01 stop -2%')
    const { exchange } = session.market
    const set: string[] = []
    session.useExchange({
      ...exchange,
      setLeverage: async (_symbol, leverage) => void set.push(leverage),
      fetchMargin: async () => ({ leverage: set.at(-1) ?? '10', marginMode }),
      fetchPositions: async () =>
        (await exchange.fetchPositions()).map((row) => ({
          ...row,
          marginMode,
          liquidationPrice: (65_000 * (1 - 0.9 / Number(set.at(-1) ?? 10))).toFixed(0),
        })),
    })
    return { session, asked, set }
  }
  const BEFORE = 'at 100x the BTCUSDT long is liquidated at about 64,350, before its stop at 63,700.0'
  const AFTER = 'the BTCUSDT long is liquidated at'

  it('whose liquidation comes before its stop is asked about at a terminal', async () => {
    const { session, asked, set } = await stage([false, true])
    expect(await session.run('leverage 100')).toEqual([
      `error liquidation-first: ${BEFORE} | move the stop nearer first, or choose a lower leverage`,
    ])
    expect(set).toEqual([])
    expect(await session.run('leverage 100')).toEqual([
      'success BTCUSDT at 100x, was 10x',
      `warn ${AFTER} 64,415.0 (was 59,150.0), before its stop at 63,700.0`,
    ])
    expect(asked).toEqual([`${BEFORE}; set it? y or n >`, `${BEFORE}; set it? y or n >`])
  })

  it.each(['exec', 'repl'] as const)('is refused from %s where no person answers', async (source) => {
    const { session, set } = await stage(undefined)
    expect((await session.run('leverage 100', { source }))[0]).toMatch(/^error liquidation-first: /)
    expect(set).toEqual([])
  })

  it('is set where the stop comes first, on cross margin, or for less, and the answer has the price and the margin, old and new', async () => {
    const { session, asked } = await stage([true])
    expect(await session.run('leverage 20')).toEqual([
      'success BTCUSDT at 20x, was 10x',
      `info ${AFTER} 62,075.0 (was 59,150.0); its margin is $32.50 (was $65.00)`,
    ])
    expect(asked).toEqual([
      'raise the leverage of BTCUSDT from 10x to 20x with a long of 0.01 BTC open; it is then liquidated at about 61,750? y or n >',
    ])
    expect(await session.run('leverage 5', { source: 'hook' })).toEqual([
      'success BTCUSDT at 5x, was 20x',
      `info ${AFTER} 53,300.0 (was 62,075.0); its margin is $130.00 (was $32.50)`,
    ])
    const cross = await stage([true], 'cross')
    expect((await cross.session.run('leverage 100'))[0]).toBe('success BTCUSDT at 100x, was 10x')
    expect(asked).toHaveLength(1)
  })

  const RAISE = 'raise the leverage of BTCUSDT from 10x to 20x with a long of 0.01 BTC open'

  it('is raised after a yes alone, and elsewhere with --yes alone', async () => {
    const { session, asked, set } = await stage([false], 'cross')
    expect(await session.run('leverage 20')).toEqual(['error cancelled: canceled: the leverage stays as it was'])
    expect(asked).toEqual([`${RAISE}? y or n >`])
    expect(await session.run('leverage 20', { source: 'exec' })).toEqual([
      `error needs-yes: this would ${RAISE} | \`leverage BTCUSDT 20 --yes\` does it`,
    ])
    expect(set).toEqual([])
    await session.run('leverage 20 --yes', { source: 'exec' })
    expect(set).toEqual(['20'])
  })
})
