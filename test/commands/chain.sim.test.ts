// What a chain does when a step fails (behaviour 29), with real commands.
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'

/** What was printed by `echo`, and whether the run succeeded. */
async function echoes(line: string, options = {}): Promise<string> {
  const session = await createSession()
  await session.run('alias good "echo g; echo h"; alias bad "echo i; nope; echo j"')
  const run = session.start(line, options)
  await session.settle()
  await session.advance(3000)
  const succeeded = await run.done
  const printed = run.lines.filter((each) => each.startsWith('print ')).map((each) => each.slice(6))
  return `${printed.join(' ')} ${succeeded ? 'ok' : 'failed'}`.trim()
}

describe('a chain', () => {
  it.each([
    ['echo a; echo b', 'a b ok'],
    ['nope; echo b', 'failed'],
    ['echo a; nope; echo b; echo c', 'a failed'],
    ['nope && echo b', 'failed'],
    ['echo a && echo b', 'a b ok'],
    ['echo a && nope && echo c; echo d', 'a failed'],
    ['nope || echo b', 'b ok'],
    ['echo a || echo b', 'a ok'],
    ['nope || echo b; echo c', 'b c ok'],
    ['nope || nope; echo c', 'failed'],
    ['nope || nope || echo c', 'c ok'],
    ['nope && echo b || echo c', 'c ok'],
    ['echo a && nope || echo c', 'a c ok'],
    ['echo a || echo b && echo c', 'a c ok'],
    ['nope || echo b && echo c', 'b c ok'],
    ['nope & echo b; echo c', 'b failed'],
    ['echo a & echo b; echo c', 'a b c ok'],
    ['nope || echo a & echo b; echo c', 'b a c ok'],
    ['echo a & nope && echo b; echo c', 'a failed'],
    ['good; echo b', 'g h b ok'],
    ['bad; echo b', 'i failed'],
    ['bad || echo b', 'i b ok'],
    ['repeat 2 (good) && echo b', 'g h g h b ok'],
    ['repeat 2 (bad); echo b', 'i failed'],
    ['repeat 2 (bad || good); echo b', 'i g h i g h b ok'],
    ['repeat 2 (bad) || echo b', 'i b ok'],
    ["echo don't; echo x", "don't x ok"],
    ["echo it's done && echo 'a || b'", "it's done a || b ok"],
    ['echo "never; never" && nope', 'never; never failed'],
    ['cancel; echo a', 'a ok'],
    ['cancel all && echo a', 'a ok'],
    ['cancel ETHUSDT && echo a', 'a ok'],
    ['close && echo a', 'a ok'],
    ['close all; close longs; close ETHUSDT && echo a', 'a ok'],
    ['wait price > 70000 timeout=2s; echo a', 'failed'],
    ['wait price > 70000 timeout=2s || echo a', 'a ok'],
    ['wait time 0001 timeout=1s; echo a', 'failed'],
  ])('`%s`: %s', async (line, outcome) => {
    expect(await echoes(line)).toBe(outcome)
  })

  it.each([
    ['nope; close; echo done', 'not run: close; echo done'],
    ['nope; a & b || c; d', 'not run: a & b || c; d'],
    ['nope && a || nope && b; c', 'not run: a; b; c'],
    ['nope & echo x && nope && y; z', 'not run: y; z'],
    ["nope; echo it's 'x; y'", `not run: echo it's "x; y"`],
    [`nope; ${'echo again; '.repeat(40)}`, `not run: ${'echo again; '.repeat(40)}`.slice(0, 199).concat('…')],
  ])('names in one line what `%s` did not run', async (line, says) => {
    const session = await createSession()
    const lines = await session.run(line)
    expect(lines.filter((each) => each.startsWith('warn'))).toEqual([`warn ${says}`])
  })

  it('says nothing of what did not run where nothing was left, or `||` recovered', async () => {
    const session = await createSession()
    for (const line of ['nope', 'echo a; nope', 'nope && a || echo b', 'echo a || echo b']) {
      expect((await session.run(line)).filter((each) => each.startsWith('warn'))).toEqual([])
    }
  })

  it('undoes nothing: what was placed before the failure stays', async () => {
    const session = await createSession()
    expect(await session.run('buy 0.01; buy 0.01 at -1%; nope; close')).toEqual([
      expect.stringMatching(/^success bought 0.01 BTCUSDT/),
      'info the BTCUSDT long of 0.01 BTC has no stop: `stop BTCUSDT at -2%` places one',
      expect.stringMatching(/^success order p2: buy 0.01 BTCUSDT at .* is open$/),
      expect.stringMatching(/^error unknown-command/),
      'warn not run: close',
    ])
    const { venue } = await session.connect('paper')
    expect(await venue.fetchPositions()).toMatchObject([{ amount: '0.01' }])
    expect(await venue.fetchOpenOrders()).toHaveLength(1)
  })

  it('does not place a stop for an entry that was refused', async () => {
    const session = await createSession()
    await session.run('buy 0.02')
    const lines = await session.run('buy $10000000; stop at -2%')
    expect(lines).toEqual([expect.stringMatching(/^error /), 'warn not run: stop at -2%'])
    expect(await (await session.connect('paper')).venue.fetchOpenOrders()).toEqual([])
  })

  const BARE = 'warn the BTCUSDT long of 0.01 BTC has no stop: `stop BTCUSDT at -2%` places one'
  const RESTS = 'warn order p1 rests without a stop (buy 0.01 BTCUSDT at 64,350.0): `cancel p1` cancels it'

  it.each([
    ['buy 0.01; stop at 99999', BARE],
    ['buy 0.01 && stop at 99999', BARE],
    ['buy 0.01; nope; stop at -2%', BARE],
    ['buy 0.01 && stop at 99999 || echo recovered', BARE],
    ['swarm buy 0.01 into 2; trail 0.0001%', BARE],
    ['position long 0.01; oco at +2% stop +1%', BARE],
    ['repeat 1 (buy 0.01; stop at 99999)', BARE],
    ['lg', BARE],
    ['buy 0.01 at -1%; stop at -2%', RESTS],
    ['buy 0.01 at -1% && nope && stop at -2%', RESTS],
  ])('says what is bare where the step that was to protect it fails: `%s`', async (line, says) => {
    for (const source of ['repl', 'exec', 'hook', 'web'] as const) {
      const session = await createSession()
      await session.run('alias lg "buy 0.01; stop at 99999"')
      const lines = await session.run(line, { source })
      expect(lines.filter((each) => /without a stop|has no stop/.test(each))).toEqual([says])
      expect(lines.at(-1)).toBe(says)
    }
  })

  it.each([
    'buy 0.01; stop at -2%; nope',
    'buy 0.01; stop at 99999 || stop at -3%',
    'buy 0.01 && stop at 99999 || close',
    'buy 0.01; stop at -2%',
    'buy 0.01 at -1%; cancel; stop at -2%',
    'buy $10000000; stop at -2%',
    'buy 0.01 --dry; stop at 99999',
  ])('and nothing where nothing is bare: `%s`', async (line) => {
    const session = await createSession()
    expect((await session.run(line)).join('\n')).not.toMatch(/without a stop|has no stop/)
  })

  it.each([
    ['buy 0.01', 'info the BTCUSDT long of 0.01 BTC has no stop: <use> `stop BTCUSDT at -2%` places one'],
    [
      'buy 0.01; stop at 99999',
      'warn the BTCUSDT long of 0.01 BTC has no stop: <use> `stop BTCUSDT at -2%` places one',
    ],
    [
      'buy 0.01 at -1%; stop at -2%',
      'warn order p1 rests without a stop (buy 0.01 BTCUSDT at 64,350.0): <use> `cancel p1` cancels it',
    ],
    [
      'buy 0.01 stop -2%; cancel',
      'warn the BTCUSDT long of 0.01 BTC has no stop: <use> `stop BTCUSDT at -2%` places one',
    ],
  ])('and how to reach the account of the line where another is in focus: `%s`', async (line, says) => {
    for (const source of ['repl', 'exec', 'web'] as const) {
      const session = await createSession()
      await session.run('account add main paper')
      await session.run('account use main')
      const lines = await session.run(line, { source, account: 'paper' })
      const use = source === 'web' ? '' : '`account use paper`, then '
      // To a page a bare entry is a warning.
      const level = source === 'web' ? 'warn' : says.slice(0, 4)
      expect(lines).toContain(`${level}${says.slice(4).replace('<use> ', use)}`)
    }
  })

  it('at once where what follows places a stop on another market', async () => {
    const session = await createSession()
    await session.run('buy 1 ETHUSDT')
    const [, second] = await session.run('buy 0.01 BTCUSDT; stop ETHUSDT at -2%')
    expect(second).toBe(BARE.replace('warn', 'info'))
  })

  it.each(['take at +4%', 'amend p1 at 64000'])('at once where what follows places no stop: `%s`', async (line) => {
    const session = await createSession()
    expect((await session.run(`buy 0.01; ${line}`))[1]).toBe(BARE.replace('warn', 'info'))
  })

  it('says so after a run that was cut short', async () => {
    const session = await createSession()
    const run = session.start('buy 0.01; sleep 5s; stop at -2%')
    await session.advance(1_000)
    run.abort()
    expect(await run.done).toBe(false)
    expect(run.lines.at(-1)).toBe(BARE)
  })

  it('ends with an order whose fate is not known', async () => {
    const session = await createSession()
    await session.run('paper faults lost-answers on')
    const run = session.start('buy 0.01; echo after')
    await session.settle()
    expect(run.lines).toEqual([expect.stringMatching(/^warn no answer to the BTCUSDT order/)])
    await session.run('paper faults lost-questions on')
    await session.advance(70_000)
    expect(await run.done).toBe(false)
    expect(run.lines.at(-2)).toMatch(/^error outcome-unknown: /)
    expect(run.lines.at(-1)).toBe('warn not run: echo after')
    expect(session.market.store.read().positions).toMatchObject([{ amount: '0.01' }])
  })

  it('ends with an order that never arrived', async () => {
    const session = await createSession()
    await session.run('paper faults lost-orders on')
    const run = session.start('buy 0.01; echo after')
    await session.advance(70_000)
    expect(await run.done).toBe(false)
    expect(run.lines.slice(-2)).toEqual([expect.stringMatching(/^error order-rejected: /), 'warn not run: echo after'])
  })

  it('waits, before the next step, until both that run at once have ended', async () => {
    const session = await createSession()
    const run = session.start('nope & sleep 2s; echo c')
    await session.advance(1000)
    expect(run.ended).toBe(false)
    await session.advance(1000)
    expect(await run.done).toBe(false)
    expect(run.lines.at(-1)).toBe('warn not run: echo c')
  })

  it('tries no alternative once the run was cut short', async () => {
    const session = await createSession()
    const run = session.start('sleep 5s || echo instead; echo c')
    await session.settle()
    run.abort()
    expect(await run.done).toBe(false)
    expect(run.lines).toEqual([expect.stringMatching(/^error interrupted/), 'warn not run: echo instead; echo c'])
  })
})
