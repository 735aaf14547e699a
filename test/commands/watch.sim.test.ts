import type { Key } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type CommandSession, createSession, type SessionOptions } from '../../harness/commands/command-session.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { Source } from '../../src/runs/run.ts'
import type { FullView } from '../../src/terminal/full-screen.ts'

const key = (name: string, ctrl = false): Key => ({ name, ctrl, meta: false, shift: false, sequence: '' })

/** What a person sees and presses. */
class Watched {
  readonly session: CommandSession
  readonly view: FullView
  readonly ran: [line: string, account: string][] = []
  closed = 0

  constructor(session: CommandSession, view: FullView, mayRun: boolean) {
    this.session = session
    this.view = view
    const run = (line: string, account: string) => void this.ran.push([line, account])
    const end = view.open({
      coloured: false,
      redraw() {},
      close: () => {
        this.closed += 1
      },
      ...(mayRun ? { run } : {}),
    })
    onTestFinished(end)
  }

  async after(ms: number): Promise<string> {
    await this.session.advance(ms)
    return this.text()
  }

  text(): string {
    return this.view.draw({ columns: 120, rows: 24 }).join('\n')
  }

  /** Keys as a person presses them: with time to read what the first of them asks. */
  async pressSlowly(...keys: string[]): Promise<string> {
    for (const each of keys) {
      this.press(each)
      await this.after(300)
    }
    return this.text()
  }

  press(...keys: string[]): string {
    for (const each of keys) this.view.onKey(each.length === 1 ? each : undefined, key(each))
    return this.text()
  }
}

async function watching(
  options: SessionOptions & {
    readonly before?: string
    readonly mayRun?: boolean
    readonly ports?: Partial<CommandSession['ports']>
  } = {},
): Promise<Watched> {
  const views: FullView[] = []
  const show = async (view: FullView) => void views.push(view)
  const terminal = { askHidden: async () => '', clear() {}, history: () => [], quit() {}, show }
  const session = await createSession({ ...options, terminal })
  if (options.before !== undefined) await session.run(options.before)
  Object.assign(session.ports, options.ports)
  expect(await session.run('watch')).toEqual([])
  const [view] = views
  if (view === undefined) throw new Error('no view was shown')
  const watched = new Watched(session, view, options.mayRun ?? true)
  await watched.after(1_000)
  return watched
}

const POSITION = 'guards set paper order off --yes; buy 0.006 BTCUSDT stop -2%; buy 0.5 ETHUSDT'

describe('watch', () => {
  it('shows what the venue has answered before the journal says what was risked', async () => {
    const silent = { orderHistory: () => new Promise<never>(() => {}) }
    const watched = await watching({ before: POSITION, ports: silent })
    expect(watched.text()).toMatch(/equity \$[\s\S]* BTCUSDT +long .* 63,70[\s\S]* p2 +BTCUSDT +sell +stop/)
    expect(watched.text()).not.toMatch(/ R {2}/)
  })

  it('shows the account as it is, and follows it', async () => {
    const watched = await watching({ before: POSITION })
    expect(watched.text()).toMatch(/> BTCUSDT +long +0\.006 .* 63,70\d/)
    expect(watched.text()).toMatch(/ETHUSDT +long .*bare/)
    watched.session.market.setPrice('BTCUSDT', '66000')
    expect(await watched.after(2_000)).toMatch(/^paper {2}BTCUSDT {2}66,000/)
    await watched.session.run('stop ETHUSDT at -2%')
    expect(await watched.after(2_000)).not.toMatch(/ETHUSDT +long .* bare/)
    await watched.session.run('close all')
    expect(await watched.after(2_000)).toContain('no open positions')
  })

  it('follows the focus, and drops a line that was written for another account', async () => {
    const watched = await watching({ before: `account add swing paper; ${POSITION}` })
    expect(watched.press('c')).toContain('Enter runs: close BTCUSDT (account paper)')
    await watched.session.run('account use swing; symbol ETHUSDT')
    expect(watched.text()).toContain('the account in focus is swing now: nothing was sent')
    expect(watched.text()).toMatch(/^swing {2}ETHUSDT/)
    watched.press('return')
    expect(watched.ran).toEqual([])
    expect(await watched.after(2_000)).toContain('no open positions')
  })

  it('shows words of the guards, tasks and what the terminal would have printed', async () => {
    const watched = await watching({ before: POSITION })
    await watched.session.run('trail 1% add')
    await watched.session.run('halt paper')
    watched.view.received(['\u001b[31merror\u001b[39m', '[hook:dip] \u001b[32mbought\u001b[39m'])
    const text = await watched.after(1_000)
    expect(text).toMatch(/^paper .*halted/)
    expect(text).toMatch(/trail [0-9a-f]{8} +BTCUSDT/)
    expect(text).toMatch(/news\s+error\s+\[hook:dip] bought/)
  })
})

describe('the keys of watch', () => {
  it('take y for Enter, in either case, and not at once', async () => {
    const watched = await watching({ before: POSITION })
    expect(watched.press('c')).toContain('y or Enter runs: close BTCUSDT')
    expect(watched.press('y')).toContain('nothing was sent: y came too soon after the key')
    await watched.after(2_000)
    await watched.pressSlowly('c', 'Y')
    expect(watched.ran).toEqual([['close BTCUSDT', 'paper']])
  })

  it('write the line that a person would type, and Enter runs it on the account that is shown', async () => {
    const watched = await watching({ before: POSITION })
    await watched.pressSlowly('c', 'return', 'down', 'b', 'enter', 'down', 'x', 'return')
    expect(watched.ran).toEqual([
      ['close BTCUSDT', 'paper'],
      ['stop ETHUSDT breakeven', 'paper'],
      ['cancel p2', 'paper'],
    ])
  })

  it.each([['escape'], ['n'], ['c'], ['space'], ['j']])('drop the line at any other key: %s', async (other) => {
    const watched = await watching({ before: POSITION })
    expect(watched.press('c', other)).toContain('nothing was sent')
    watched.press('return')
    expect([watched.ran, watched.closed]).toEqual([[], 0])
  })

  it('flatten after a typed yes and Enter, and after nothing else', async () => {
    const watched = await watching({ before: POSITION })
    expect(watched.press('f')).toContain('type yes and Enter to run: nuke --yes (account paper) >')
    watched.press('escape')
    for (const typed of ['', 'y', 'ye', 'yess', 'no', 'yx']) {
      await watched.after(2_000)
      await watched.pressSlowly('f', ...typed, 'return')
    }
    expect(watched.ran).toEqual([])
    await watched.after(2_000)
    await watched.pressSlowly('f', 'y', 'e', 'backspace', 'e', 's', 'return')
    expect(watched.ran).toEqual([['nuke --yes', 'paper']])
  })

  it('take another key at once after n, which answers a line and a typed yes', async () => {
    const watched = await watching({ before: POSITION })
    watched.press('c')
    expect(watched.press('n')).toContain('nothing was sent')
    expect(watched.press('b')).toContain('Enter runs: stop BTCUSDT breakeven')
    watched.press('n', 'f')
    expect(watched.press('n')).toContain('nothing was sent')
    await watched.pressSlowly('c', 'return')
    expect(watched.ran).toEqual([['close BTCUSDT', 'paper']])
  })

  it('drop the line where several come at once: the next Enter runs nothing', async () => {
    const watched = await watching({ before: POSITION })
    watched.press('c')
    watched.view.onPaste?.()
    expect(watched.text()).toContain('nothing was sent: several keys came at once')
    await watched.pressSlowly('return')
    expect(watched.ran).toEqual([])
    await watched.after(2_000)
    await watched.pressSlowly('f', 'y', 'e', 's')
    watched.view.onPaste?.()
    await watched.pressSlowly('return')
    expect(watched.ran).toEqual([])
  })

  it('show what is won and lost in R, of each position whose risk is known', async () => {
    const watched = await watching({ before: POSITION })
    watched.session.market.setPrice('BTCUSDT', '66300')
    expect(await watched.after(2_000)).toMatch(/ R +stop[\s\S]* BTCUSDT +long .* \+1\.00R +63,700/)
    expect(watched.text()).toMatch(/ETHUSDT +long [^\n]*% +bare/)
    await watched.session.run('stop ETHUSDT at -2%')
    watched.session.market.setPrice('ETHUSDT', '3060')
    await watched.session.run('buy 0.5 ETHUSDT; stop ETHUSDT at -2% replace')
    expect(await watched.after(2_000)).toMatch(/ETHUSDT +long .* \+0\.\d+R /)
  })

  it('write nothing within a command that is typed here by mistake, and run nothing at once', async () => {
    const watched = await watching({ before: POSITION })
    for (const line of ['cancel p2', 'buy 0.1 b', 'stop abc', 'flip', 'status c', 'x', 'c', 'b']) {
      watched.press(...line.replaceAll(' ', ''), 'return')
      await watched.after(2_000)
    }
    expect(watched.ran).toEqual([])
    watched.press('s', 't', 'o', 'p')
    expect(watched.text()).toContain('commands are typed at the prompt: q leaves this view')
    expect(watched.press('c')).not.toContain('Enter runs')
    await watched.after(1_000)
    expect(watched.press('c')).toContain('Enter runs: close BTCUSDT')
    expect(watched.press('return')).toContain('nothing was sent: Enter came too soon after the key')
  })

  it('write nothing in the first moment', async () => {
    const views: FullView[] = []
    const terminal = {
      askHidden: async () => '',
      clear() {},
      history: () => [],
      quit() {},
      show: async (view: FullView) => void views.push(view),
    }
    const session = await createSession({ terminal })
    await session.run(`${POSITION}; watch`)
    const [view] = views
    if (view === undefined) throw new Error('no view was shown')
    const watched = new Watched(session, view, true)
    watched.press('f', 'y', 'e', 's', 'return')
    expect(watched.ran).toEqual([])
  })

  it('keep the chosen row while others come and go', async () => {
    const watched = await watching({ before: POSITION })
    expect(watched.press('j')).toMatch(/> ETHUSDT/)
    await watched.session.run('close BTCUSDT')
    expect(await watched.after(2_000)).toMatch(/> ETHUSDT/)
    await watched.session.run('close ETHUSDT')
    expect(await watched.after(2_000)).not.toContain('> ')
    expect(watched.press('c')).toContain('no position and no order to choose')
  })

  it.each([['q'], ['escape']])('leave: %s', async (each) => {
    const watched = await watching()
    watched.press(each)
    expect(watched.closed).toBe(1)
  })

  it('leave at Ctrl-C, also while a line waits', async () => {
    const watched = await watching({ before: POSITION })
    watched.press('c')
    watched.view.onKey('\u0003', key('c', true))
    expect([watched.closed, watched.ran]).toEqual([1, []])
  })

  it('only look beside a running hookline', async () => {
    const watched = await watching({ before: POSITION, mayRun: false })
    for (const each of ['c', 'b', 'x', 'f']) {
      expect(watched.press(each)).toContain('this view only looks')
      watched.press('y', 'e', 's', 'return')
    }
    expect(watched.ran).toEqual([])
  })
})

describe('watch and a venue that does not answer', () => {
  it('says how old the figures are, and why', async () => {
    let failing = false
    const exchange = (paper: Exchange): Exchange =>
      new Proxy(paper, {
        get(target, name) {
          const value = Reflect.get(target, name)
          if (name === 'id') return 'binance'
          if (name === 'fetchPositions' && failing) {
            return () => Promise.reject(new ExchangeError('network', 'no route to the venue'))
          }
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    const watched = await watching({ exchange, before: 'buy 0.006 BTCUSDT' })
    expect(watched.text()).toContain('updated just now')
    failing = true
    expect(await watched.after(20_000)).toMatch(/STALE, updated \d+s ago: no route to the venue/)
    expect(watched.text()).toMatch(/> BTCUSDT +long/)
    failing = false
    expect(await watched.after(11_000)).not.toContain('STALE')
  })

  it('says it of a venue that hangs, and asks it once', async () => {
    let asked = 0
    const exchange = (paper: Exchange): Exchange =>
      new Proxy(paper, {
        get(target, name) {
          const value = Reflect.get(target, name)
          if (name === 'fetchBalances') {
            return () => {
              asked += 1
              return new Promise(() => {})
            }
          }
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    const watched = await watching({ exchange })
    expect(watched.text()).toContain('asking the venue …')
    expect(await watched.after(30_000)).toContain('no figures: the venue does not answer')
    expect(asked).toBe(1)
  })
})

describe('watch without a view', () => {
  it('prints the screen once, and says the same to programs', async () => {
    const session = await createSession()
    await session.run(POSITION)
    const lines = await session.run('watch --once')
    expect(lines).toContainEqual(expect.stringMatching(/^print +BTCUSDT +long .* 63,70\d/))
    expect(lines).toContainEqual(expect.stringMatching(/^print +ETHUSDT +long .*bare/))
    const run = session.start('watch --json')
    await run.done
    expect(run.data).toEqual([
      expect.objectContaining({
        type: 'watch',
        account: 'paper',
        isStale: false,
        positions: [
          expect.objectContaining({
            symbol: 'BTCUSDT',
            uncovered: '0',
            stops: [expect.objectContaining({ id: 'p2' })],
          }),
          expect.objectContaining({ symbol: 'ETHUSDT', uncovered: '0.5', stops: [], targets: [] }),
        ],
      }),
    ])
  })

  it('hides nothing else where the venue does not have the symbol in focus', async () => {
    const session = await createSession()
    await session.run('buy 0.006 BTCUSDT')
    expect((await session.run('watch --once', { symbol: 'NOPEUSDT' })).join('\n')).toMatch(/BTCUSDT +long/)
  })

  it.each<[Source, RegExp]>([
    ['repl', /^error no-terminal: `watch` needs a terminal \| `watch --once` prints the screen/],
    ['exec', /^error no-terminal/],
    ['hook', /^error not-allowed-here/],
    ['web', /^error not-allowed-here/],
  ])('is refused where there is no terminal: %s', async (source, says) => {
    const session = await createSession()
    expect(await session.run('watch', { source })).toEqual([expect.stringMatching(says)])
  })
})
