// What is typed about limits, halts and simulation, and from where (behaviours 19 and 40).

import { describe, expect, it } from 'vitest'
import { deciding } from '../../harness/commands/answering.ts'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import { guardWords } from '../../src/commands/kit/lines.ts'
import type { Terminal } from '../../src/commands/kit/ports.ts'
import { askLimits } from '../../src/commands/session/ask-limits.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import { promptText } from '../../src/repl/prompt.ts'

/** Somebody who answers every question so, and what was asked. */
function person(answer: boolean) {
  const asked: string[] = []
  const terminal: Terminal = {
    askHidden: async () => '',
    confirm: async (question) => {
      asked.push(question)
      return answer
    },
    clear() {},
    history: () => [],
    quit() {},
  }
  return { asked, terminal }
}

describe('the limits of a new account', () => {
  it('are asked for again after a slip, where a person answers', async () => {
    const answers = ['lots', '$1,500', 'off']
    const asked: string[] = []
    const told: string[] = []
    const ask = async (question: string) => {
      asked.push(question)
      return answers.shift() ?? ''
    }
    const terminal = { ask, askHidden: ask, confirm: async () => true }
    expect(await askLimits(terminal, (text) => told.push(text))).toEqual({ order: '1500', day: 'off' })
    expect(told).toEqual(['`lots` is neither an amount in dollars nor off; type one such as $500'])
    expect(asked.map((question) => question.split(' in ')[0])).toEqual([
      'largest order',
      'largest order',
      'orders of one UTC day',
    ])
  })

  it('end at a slip of a pipe: the lines behind it may be keys', async () => {
    const ask = async () => 'lots'
    await expect(askLimits({ ask, askHidden: ask }, () => {})).rejects.toMatchObject({ code: 'bad-limit' })
  })
})

describe('accounts by a name that is none', () => {
  it('are answered with the name that is near, but not to hooks and pages', async () => {
    const { run } = await createSession()
    expect(await run('resume papre')).toEqual(['error unknown-account: no account papre found | did you mean paper?'])
    expect(await run('halt papre', { source: 'web' })).toEqual([
      'error unknown-account: no account papre found | `account` lists them',
    ])
    expect(await run('halt --flat')).toEqual([
      expect.stringMatching(/^error unexpected-argument: unknown option `--flat` \| press Tab/),
    ])
  })
})

describe('guards set', () => {
  it('is refused to hooks and pages, also for a stricter limit', async () => {
    const { run, ports } = await createSession()
    for (const source of ['hook', 'web'] as const) {
      expect(await run('guards set paper order $1', { source })).toEqual([
        expect.stringMatching(/^error not-allowed-here/),
      ])
    }
    expect(ports.guards.list()).toEqual([])
  })

  it.each([
    ['loss 1%', '`1%` is not a value of loss | type `$500` or off'],
    ['order 10%', '`10%` is not a value of order | type `$500` or off'],
    ['band $5', '`$5` is not a value of band | type `5%` or off'],
    ['rate 30%', '`30%` is not a value of rate | type `30` or off'],
    ['rate $30', '`$30` is not a value of rate | type `30` or off'],
  ])('refuses a value of another unit: %s', async (words, refusal) => {
    const { run, ports } = await createSession()
    expect(await run(`guards set paper ${words}`)).toEqual([expect.stringContaining(`error bad-argument: ${refusal}`)])
    expect(ports.guards.list()).toEqual([])
  })

  it('makes a limit stricter without a word, and asks before it makes one looser', async () => {
    const { asked, terminal } = person(false)
    const { run, ports } = await createSession({ terminal })
    await run('guards set paper order $500')
    expect(asked).toEqual([])
    expect(await run('guards set paper order $501')).toEqual([expect.stringMatching(/^error cancelled/)])
    expect(await run('guards set paper band off')).toEqual([expect.stringMatching(/^error cancelled/)])
    expect(await run('guards set paper order default')).toEqual([expect.stringMatching(/^error cancelled/)])
    expect(asked).toEqual([
      'loosen the order limit of account paper from $500.00 to $501.00? y or n >',
      'remove the 5% band limit of account paper? y or n >',
      'remove the $500.00 order limit of account paper? y or n >',
    ])
    expect(ports.guards.read('paper').limits).toEqual({ order: '500' })
  })

  it('without a person to ask takes `--yes`, and names it', async () => {
    const { run, ports } = await createSession()
    expect(await run('guards set paper band 9%')).toEqual([
      expect.stringMatching(/^error needs-yes: .*`guards set paper band 9% --yes` does it/),
    ])
    await run('guards set paper band 9% --yes')
    expect(ports.guards.read('paper').limits).toEqual({ band: '9' })
  })

  it('counts open losses unless told not to, and asks before it leaves them out', async () => {
    const { run, ports } = await createSession()
    await run('guards set paper loss $200')
    expect(await run('guards set paper loss $200 closed')).toEqual([expect.stringMatching(/^error needs-yes/)])
    await run('guards set paper loss $200 closed --yes')
    expect(ports.guards.read('paper').limits).toEqual({ loss: '200', lossWithOpen: false })
    expect((await run('guards')).join('\n')).toMatch(/\$200\.00 without open positions/)
  })

  it('leaves a line in the audit log, with what held before', async () => {
    const { run, ports } = await createSession()
    await run('guards set paper order $500; halt paper; resume paper; sim on')
    expect(ports.audit.read().map(({ what, details }) => [what, details])).toMatchObject([
      ['guards set', { account: 'paper', limit: 'order', value: '500', before: 'off' }],
      ['halt', { account: 'paper' }],
      ['resume guards', {}],
      ['sim on', { account: 'paper' }],
    ])
  })
})

describe('a breach', () => {
  it('asks the person at the terminal, and sends after a yes', async () => {
    const { asked, terminal } = person(true)
    const { run, market } = await createSession({ terminal })
    await run('guards set paper order $500')
    expect((await run('buy 0.01'))[0]).toMatch(/^success bought 0\.01 BTCUSDT/)
    expect(asked).toEqual([
      'account paper: the order is worth $650.00, and the limit is $500.00; send it anyway? y or n >',
    ])
    expect(await market.exchange.fetchPositions()).toHaveLength(1)
  })

  it('is refused after a no, and to everybody else without a question', async () => {
    const { asked, terminal } = person(false)
    const { run, market } = await createSession({ terminal })
    await run('guards set paper order $500')
    for (const source of ['repl', 'exec', 'hook', 'web'] as const) {
      expect(await run('buy 0.01', { source })).toEqual([
        expect.stringMatching(/^error guarded: the order is worth \$650\.00, and the limit is \$500\.00/),
      ])
    }
    expect(asked).toHaveLength(1)
    expect(await market.exchange.fetchPositions()).toEqual([])
  })

  it('by a change of an order asks too', async () => {
    const { asked, terminal } = person(false)
    const { run, market } = await createSession({ terminal })
    await run('buy 0.005 at -1%')
    await run('guards set paper order $500')
    await run('amend BTCUSDT 0.01')
    expect(asked).toEqual([expect.stringMatching(/the order is worth \$643\.50/)])
    expect(await market.exchange.fetchOpenOrders()).toMatchObject([{ amount: '0.005' }])
  })
})

describe('halt', () => {
  it('may be said by anybody, and ended at the terminal alone', async () => {
    for (const source of ['hook', 'web', 'exec'] as const) {
      const { run, ports } = await createSession()
      await run('halt', { source })
      expect(ports.guards.read('paper').state).toBe('halted')
      expect(await run('resume', { source: source === 'exec' ? 'hook' : source })).toEqual([
        expect.stringMatching(/^error not-allowed-here/),
      ])
      await run('resume')
      expect(ports.guards.read('paper').state).toBe('active')
    }
  })

  it('ends with panic and every other at a bare `resume`, and alone where its account is named', async () => {
    const { run, ports } = await createSession()
    await run('account add swing paper')
    const states = () => ['paper', 'swing'].map((name) => ports.guards.read(name).state)
    await run('halt paper; halt swing --reducing')
    await run('resume swing')
    expect(states()).toEqual(['halted', 'active'])
    const audited = (await run('audit 1')).join('\n')
    expect(audited).toMatch(/ended account swing reducing since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC by the terminal/)
    await run('halt swing --reducing; halt; panic')
    await run('resume')
    expect([...states(), ports.panic.read()]).toEqual(['active', 'active', undefined])
  })

  it('lets `close`, `cancel` and exits pass, and says why all else does not', async () => {
    const { run, market } = await createSession()
    await run('buy 0.02; buy 0.01 at -5%; halt')
    expect(await run('buy 0.01')).toEqual([
      expect.stringMatching(/^error halted: account paper was halted from a terminal at .*/),
    ])
    expect(await run('leverage BTCUSDT 5')).toEqual([expect.stringMatching(/^error halted: account paper was halted/)])
    expect(await run('stop at -2%')).toEqual([expect.stringMatching(/^success/)])
    expect(await run('close BTCUSDT 50%')).toEqual([expect.stringMatching(/^success sold 0\.01/)])
    await run('cancel all; close')
    expect(await market.exchange.fetchOpenOrders()).toEqual([])
    expect(await market.exchange.fetchPositions()).toEqual([])
  })

  it('and simulation stand in the prompt, in `status` and in `guards`', async () => {
    const { run, ports } = await createSession()
    await run('halt; sim on')
    const words = guardWords(ports, 'paper')
    expect(promptText({ account: 'paper', symbol: 'BTCUSDT', words })).toBe('paper [BTCUSDT] halted, sim > ')
    expect((await run('status')).join('\n')).toMatch(
      /guards +account paper: halted since .*, from a terminal, simulated: orders are not sent/,
    )
    const shownLimits = await run('guards')
    expect(shownLimits.join('\n')).toMatch(/paper +halted, simulated/)
    expect(Math.max(...shownLimits.map((line) => line.length))).toBeLessThan(120)
    expect(shownLimits.at(-1)).toMatch(/^info account paper: halted since .* UTC from a terminal$/)
    const shown = JSON.parse((await run('status --json')).join('\n').replaceAll(/^print /gm, ''))
    expect(shown).toMatchObject({ guards: { state: 'halted', by: 'the terminal', simulated: true } })
    expect(shown).not.toHaveProperty('panic')
  })

  it('and panic stands in the prompt and in the data of `status`', async () => {
    const { run, ports } = await createSession()
    expect(guardWords(ports, 'paper')).toEqual([])
    await run('panic')
    expect(guardWords(ports, 'paper')).toEqual(['panic'])
    expect(JSON.parse((await run('status --json')).join('\n').replaceAll(/^print /gm, ''))).toMatchObject({
      panic: { since: expect.any(Number), by: 'the terminal' },
      guards: { state: 'reducing', simulated: false },
    })
  })
})

describe('halt --flatten', () => {
  const HELD = 'buy 0.02 stop -2%'
  const isOpen = async ({ market }: CommandSession) => (await market.exchange.fetchPositions()).length > 0

  it.each(['halt --flatten', 'halt paper --flatten'])('asks at a terminal: `%s`', async (line) => {
    const { terminal, asked } = deciding([false, true])
    const session = await createSession({ terminal })
    await session.run(HELD)
    expect(await session.run(line)).toEqual(['error cancelled: canceled: nothing was sent'])
    expect([await isOpen(session), session.ports.guards.read('paper').state]).toEqual([true, 'active'])
    expect((await session.run(line)).join('\n')).toContain('is halted')
    expect(await isOpen(session)).toBe(false)
    const question = 'cancel every order, close every position at the market and halt account paper? y or n >'
    expect(asked).toEqual([question, question])
  })

  it('names how many accounts it closes', async () => {
    const { terminal, asked } = deciding([false])
    const session = await createSession({ terminal })
    await session.run('account add two paper')
    await session.run('halt --flatten')
    expect(asked).toEqual(['cancel every order, close every position at the market and halt 2 accounts? y or n >'])
  })

  it('with --yes asks nobody', async () => {
    const { terminal, asked } = deciding([])
    const session = await createSession({ terminal })
    await session.run(`${HELD}; halt --flatten --yes`)
    expect([await isOpen(session), asked]).toEqual([false, []])
  })

  it.each(['exec', 'web', 'phone'] as const)('wants --yes from %s, where nobody can be asked', async (source) => {
    const session = await createSession()
    await session.run(HELD)
    const line = 'halt paper --flatten'
    expect(await session.run(line, { source })).toEqual([
      `error needs-yes: this would cancel every order, close every position at the market and halt account paper | \`${line} --yes\` does it`,
    ])
    expect([await isOpen(session), session.ports.guards.read('paper').state]).toEqual([true, 'active'])
    await session.run(`${line} --yes`, { source })
    expect(await isOpen(session)).toBe(false)
  })

  it('wants --yes where a hook or a task is made, and flattens for one that was stored before', async () => {
    const session = await createSession()
    await session.run(HELD)
    for (const line of ['hook create flat "halt --flatten"', 'when price < 60000 (halt --flatten)']) {
      const said = (await session.run(line)).join('\n')
      expect(said, line).toContain('a hook cannot ask | `halt --flatten --yes` does it')
    }
    const task = { source: 'exec', origin: 'when a1b2c3d4' } as const
    expect((await session.run('halt --flatten', task)).join('\n')).not.toContain('error')
    expect(await isOpen(session)).toBe(false)
  })

  it('may be said while halted and while simulated, and leaves the account flat', async () => {
    const { run, market } = await createSession()
    await run('buy 0.02 stop -2%; sell 0.1 ETHUSDT; buy 0.01 BTCUSDT at -5%; halt; sim on')
    const lines = await run('halt --flatten --yes')
    expect(lines.filter((line) => line.startsWith('success'))).toEqual([
      expect.stringMatching(/^success sold 0\.02 BTCUSDT .*: closes the long of account paper$/),
      expect.stringMatching(/^success bought 0\.1 ETHUSDT .*: closes the short of account paper$/),
      'success account paper: canceled 1 order',
      'success account paper: resting orders are canceled, and open positions are closed',
    ])
    expect(await market.exchange.fetchPositions()).toEqual([])
    expect(await market.exchange.fetchOpenOrders()).toEqual([])
  })

  it('names every account that it flattens, and has each fill under its own', async () => {
    const session = await createSession()
    await session.run('account add two paper')
    await session.run('account add three paper')
    await session.run('account use two')
    await session.run('sell 0.1 ETHUSDT')
    await session.run('account use paper')
    const run = session.start('halt --flatten --yes')
    expect(await run.done).toBe(true)
    const lines = run.lines.filter((line) => line.startsWith('success'))
    expect(lines.sort()).toEqual([
      'success account paper: there were no resting orders and no open positions',
      'success account three: there were no resting orders and no open positions',
      'success account two: resting orders are canceled, and open positions are closed',
      expect.stringMatching(/^success bought 0\.1 ETHUSDT .*: closes the short of account two$/),
    ])
    expect(run.data.filter(({ type }) => type === 'order')).toMatchObject([{ account: 'two' }])
  })

  it('tells each position that it could not close, which keeps its stop, and closes the others', async () => {
    const session = await createSession()
    await session.run('buy 0.02 stop -2%; buy 0.1 ETHUSDT')
    const { exchange } = session.market
    session.useExchange({
      ...exchange,
      stream: 'live',
      createOrder: async (request) =>
        request.symbol === 'BTCUSDT' && request.type === 'market'
          ? { kind: 'refused', error: new ExchangeError('unavailable', 'maintenance') }
          : exchange.createOrder(request),
    })
    const lines = await session.run('halt --flatten --yes')
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^error account paper: could not close the 0\.02 BTCUSDT long; its stops remain: maintenance/,
      ),
    )
    expect(lines.at(-1)).toMatch(/^error not-flat/)
    expect((await exchange.fetchOpenOrders()).map(({ symbol, type }) => [symbol, type])).toEqual([['BTCUSDT', 'stop']])
    expect((await exchange.fetchPositions()).map(({ symbol }) => symbol)).toEqual(['BTCUSDT'])
    expect(session.ports.guards.read('paper').state).toBe('halted')
  })

  it('said by a hook closes what that trades on, and halts everything', async () => {
    const { run, ports } = await createSession()
    await run('buy 0.02')
    await run('halt --flatten', { source: 'hook' })
    expect(await run('positions')).toEqual([expect.stringMatching(/no open positions/)])
    expect(ports.guards.readAll().state).toBe('halted')
  })
})

describe('simulation', () => {
  it('may be turned on and off at the terminal alone', async () => {
    const { run, ports } = await createSession()
    for (const source of ['hook', 'web'] as const) {
      expect(await run('sim on', { source })).toEqual([expect.stringMatching(/^error not-allowed-here/)])
    }
    expect(ports.guards.read('paper').simulated).toBe(false)
  })

  it('of one line sends nothing of it, and all of the next', async () => {
    const { run, market } = await createSession()
    await run('buy 0.01; buy 0.01 at -1%')
    for (const line of [
      'buy $100 --dry',
      'close --dry',
      'cancel all --dry',
      'amend BTCUSDT at -2% --dry',
      'leverage BTCUSDT 5 --dry',
      'stop at -2% --dry',
    ]) {
      // Orders are listed once more, with what they would cost.
      const told = (await run(line)).filter((each) => !each.startsWith('print '))
      const left = line.startsWith('close') ? [expect.stringMatching(/^warn 1 entry still rests on BTCUSDT: /)] : []
      expect(told, line).toEqual([...left, expect.stringMatching(/^info simulated: would /)])
    }
    expect(await market.exchange.fetchOpenOrders()).toMatchObject([{ price: '64350', type: 'limit' }])
    expect(await market.exchange.fetchPositions()).toMatchObject([{ amount: '0.01', leverage: '10' }])
    await run('close')
    expect(await market.exchange.fetchPositions()).toEqual([])
  })

  it('of a line that a limit refuses refuses it', async () => {
    const { run } = await createSession()
    await run('guards set paper order $500')
    expect(await run('buy $600 --dry')).toEqual([expect.stringMatching(/^error guarded/)])
  })
})

describe('an order that passes a limit because it reduces', () => {
  async function short() {
    const session = await createSession()
    await session.run('sell 0.005; sell 0.005; sell 0.005; guards set paper order $400')
    return session
  }

  it('says that it is reduce-only, in the preview too, and opens nothing once the position is closed', async () => {
    const session = await short()
    const { orders } = await session.ports.preview({ command: 'buy 0.012 at -2%', source: 'repl' })
    expect(orders).toMatchObject([{ reduceOnly: true }])
    expect((await session.run('buy 0.012 at -2% --dry')).join('\n')).toContain('reduce-only')
    expect((await session.run('buy 0.012 at -2%')).join('\n')).toContain('reduce-only')
    await session.run('close')
    session.market.setPrice('BTCUSDT', '62000')
    await session.advance(2000)
    expect(await session.market.exchange.fetchPositions()).toEqual([])
  })

  it('of several at once none goes past flat', async () => {
    const session = await createSession()
    await session.run('sell 0.005; guards set paper order $200')
    await session.run('buy 0.004 at -1% & buy 0.004 at -1% & buy 0.004 at -1% & buy 0.004 at -1%')
    session.market.setPrice('BTCUSDT', '62000')
    await session.advance(2000)
    expect(await session.market.exchange.fetchPositions()).toEqual([])
  })
})

describe('a loss limit that is exceeded already', () => {
  const REDUCES =
    /^warn account paper has lost \$\d+\.\d\d today \(UTC\), and takes only orders that reduce a position from now on$/

  async function lost() {
    const session = await createSession()
    await session.run('buy 0.1')
    session.market.setPrice('BTCUSDT', '64500')
    await session.run('close')
    return session
  }

  it('holds as soon as it is set', async () => {
    const session = await lost()
    expect(await session.run('guards set paper loss $10')).toEqual([
      expect.stringMatching(/^success account paper: loss \$10\.00/),
      expect.stringMatching(REDUCES),
    ])
    expect(session.ports.guards.read('paper')).toMatchObject({
      state: 'reducing',
      by: 'its loss limit of $10.00 a day',
    })
    expect((await session.run('guards')).join()).toContain('reducing')
    expect((await session.run('guards set paper loss $500 --yes')).join()).not.toContain('has lost')
  })

  it('is printed once by a `resume` that ends a halt of every account too', async () => {
    const session = await lost()
    await session.run('guards set paper loss $10')
    await session.run('halt')
    const lines = await session.run('resume')
    expect(lines.filter((each) => REDUCES.test(each))).toHaveLength(1)
    expect(session.ports.guards.read('paper').state).toBe('reducing')
  })

  it.each(['resume', 'resume paper'])('is what `%s` prints, and nothing else', async (line) => {
    const session = await lost()
    await session.run('guards set paper loss $10')
    expect(await session.run(line)).toEqual([expect.stringMatching(REDUCES)])
    expect(session.ports.guards.read('paper').state).toBe('reducing')
    expect((await session.run('buy 0.01')).join()).toContain('takes only orders that reduce a position')
    await session.run('guards set paper loss $500 --yes')
    expect((await session.run(line)).join()).toContain('success account paper can trade again')
  })

  it('is not passed over where all accounts were halted', async () => {
    const session = await lost()
    await session.run('halt')
    await session.run('guards set paper loss $10')
    const said = (await session.run('resume')).join('\n')
    expect(said).toContain('success accounts are no longer halted (halted from a terminal')
    expect(said).not.toContain('can trade again')
    expect(session.ports.guards.read('paper').state).toBe('reducing')
  })
})

it('a halt and panic together: the refusal and the words of the prompt name both', async () => {
  const session = await createSession()
  await session.run('halt paper')
  await session.run('panic')
  expect(await session.run('buy 0.01')).toEqual([
    expect.stringMatching(/^error panic: panic is on, and account paper was halted from a terminal at .* \| /),
  ])
  expect(guardWords(session.ports, 'paper')).toEqual(['panic', 'halted'])
  await session.run('resume paper')
  expect(guardWords(session.ports, 'paper')).toEqual(['panic'])
})
