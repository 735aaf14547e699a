import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import type { Terminal } from '../../src/commands/kit/ports.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { Task } from '../../src/stores/tasks.ts'
import { TaskError, type TaskPort } from '../../src/tasks/task-port.ts'
import { CANCEL_AND_CLOSE_ALL_LINE } from '../../src/web/pages/trade/position-lines.ts'
import { RESTS, resting } from '../tasks/resting-kind.ts'

/** Somebody who answers every question so, and what was asked. */
function person(answer: boolean) {
  const asked: string[] = []
  const terminal: Terminal = {
    askHidden: async () => '',
    clear: () => {},
    history: () => [],
    quit: () => {},
    async confirm(question) {
      asked.push(question)
      return answer
    },
  }
  return { asked, terminal }
}

const SETUP = 'buy 0.02 stop -2%; sell 0.1 ETHUSDT; buy 0.01 BTCUSDT at -5%'

async function isFlat({ market }: CommandSession): Promise<boolean> {
  const [positions, orders] = await Promise.all([market.exchange.fetchPositions(), market.exchange.fetchOpenOrders()])
  return positions.length + orders.length === 0
}

describe('the line by which a page closes all and cancels entries', () => {
  const stage = async () => {
    const session = await createSession()
    await session.run('buy 0.02 stop -2%; buy 0.01 at -5% stop -2%; sell 0.1 ETHUSDT stop +2%')
    return session
  }

  it('leaves nothing that can open a position, and warns of none', async () => {
    const session = await stage()
    const run = session.start(CANCEL_AND_CLOSE_ALL_LINE, { source: 'web' })
    expect(await run.done).toBe(true)
    await session.settle()
    const { exchange } = session.market
    expect([await exchange.fetchPositions(), await exchange.fetchOpenOrders()]).toEqual([[], []])
    expect(run.lines.filter((line) => line.startsWith('warn'))).toEqual([])
  })

  it('closes also where an entry is not canceled', async () => {
    const session = await stage()
    session.market.exchange.cancelOrder = async () => {
      throw new ExchangeError('network', 'no answer')
    }
    await session.start(CANCEL_AND_CLOSE_ALL_LINE, { source: 'web' }).done
    expect(await session.market.exchange.fetchPositions()).toEqual([])
    const left = await session.market.exchange.fetchOpenOrders()
    expect(left.filter(({ reduceOnly }) => !reduceOnly)).toHaveLength(1)
  })
})

describe('nuke', () => {
  it('asks a person, then cancels every order and closes every position; the account goes on', async () => {
    const { asked, terminal } = person(true)
    const session = await createSession({ terminal })
    await session.run(SETUP)
    const lines = await session.run('nuke')
    expect(asked).toEqual([
      'cancel every order, close every position at the market and cancel every task of account paper? y or n >',
    ])
    expect(lines.at(-1)).toBe('success account paper: resting orders are canceled, and open positions are closed')
    expect(await isFlat(session)).toBe(true)
    expect(session.ports.guards.read('paper').state).toBe('active')
    expect(session.ports.audit.read().at(-1)).toMatchObject({ what: 'nuke', details: { accounts: 'paper', left: [] } })
  })

  it('claims no cancel and no close where nothing was open', async () => {
    const session = await createSession()
    expect(await session.run('nuke --yes')).toEqual([
      'success account paper: there were no resting orders and no open positions',
    ])
  })

  it('sends nothing after a no', async () => {
    const { terminal } = person(false)
    const session = await createSession({ terminal })
    await session.run(SETUP)
    const run = session.start('nuke')
    await run.done
    expect(run.lines).toEqual(['error cancelled: canceled: nothing was sent'])
    expect(run.declined).toEqual(['cancelled'])
    expect(await session.market.exchange.fetchPositions()).toHaveLength(2)
  })

  it.each(['exec', 'hook', 'web'] as const)('wants --yes from %s, where nobody can be asked', async (source) => {
    const { asked, terminal } = person(true)
    const session = await createSession({ terminal })
    await session.run(SETUP)
    expect(await session.run('nuke positions', { source })).toEqual([
      'error needs-yes: this would cancel every order, close every position at the market of account paper | `nuke positions --yes` does it',
    ])
    expect(await session.market.exchange.fetchPositions()).toHaveLength(2)
    await session.run('nuke --yes', { source })
    expect(asked).toEqual([])
    expect(await isFlat(session)).toBe(true)
  })

  it.each(['nuke --yes', 'halt --flatten --yes'])(
    '`%s` reports the stops that ended, and the line that placed them does not',
    async (line) => {
      const session = await createSession()
      const entry = session.start('buy 0.02 stop -2%')
      await entry.done
      const said = entry.lines.length
      const lines = await session.run(line)
      expect(lines).toContainEqual(expect.stringMatching(/^info account paper: stop p2 \(.+\) ended with the long$/))
      await session.advance(10_000)
      expect(entry.lines.slice(said)).toEqual([])
    },
  )

  it('goes on under panic, in a halt, and past the limits of the account', async () => {
    const session = await createSession()
    await session.run(SETUP)
    await session.run('guards set paper order $1; halt; panic')
    await session.run('nuke --yes')
    expect(await isFlat(session)).toBe(true)
    expect(session.ports.guards.read('paper').state).toBe('halted')
  })

  it('--everywhere goes on with the others where an account cannot be reached, and names that one', async () => {
    const session = await createSession()
    await session.run('account add second paper; account add third paper')
    await session.run(SETUP)
    await session.run('buy 0.01', { account: 'third' })
    const { connect } = session.ports
    Object.assign(session.ports, {
      connect: (name: string) =>
        name === 'second' ? Promise.reject(new ExchangeError('network', 'no answer within 10 s')) : connect(name),
    })
    const lines = await session.run('nuke --everywhere --yes')
    expect(lines.slice(-2)).toEqual([
      'error account second: not reached: no answer within 10 s',
      'error not-flat: some orders or positions are still open | type `nuke` again, or close it at the exchange',
    ])
    expect(await isFlat(session)).toBe(true)
    expect(await (await connect('third')).venue.fetchPositions()).toEqual([])
  })

  it.each(['hook', 'web'] as const)('--everywhere is refused from %s', async (source) => {
    const session = await createSession()
    await session.run(SETUP)
    expect(await session.run('nuke --everywhere --yes', { source })).toEqual([
      `error not-allowed-here: a ${source} flattens only the account that it trades on | leave \`--everywhere\` out`,
    ])
    expect(await session.market.exchange.fetchPositions()).toHaveLength(2)
  })

  it.each([['nuke'], ['nuke --everywhere --yes']])('is refused as the body of a hook: %s', async (body) => {
    const { run } = await createSession()
    expect(await run(`hook create x "${body}"`)).toEqual([expect.stringMatching(/^error bad-argument: /)])
    expect((await run('hook create x "nuke --yes"'))[0]).toBe('success created hook x')
  })

  it('keeps the stop of a position that it could not close, and says so', async () => {
    const session = await createSession()
    await session.run(SETUP)
    const { exchange } = session.market
    session.useExchange({
      ...exchange,
      stream: 'live',
      createOrder: async (request) =>
        request.symbol === 'BTCUSDT' && request.type === 'market'
          ? { kind: 'refused', error: new ExchangeError('unavailable', 'maintenance') }
          : exchange.createOrder(request),
    })
    const lines = await session.run('nuke --yes')
    expect(lines.at(-2)).toMatch(
      /^error account paper: could not close the 0\.02 BTCUSDT long; its stops remain: maintenance/,
    )
    expect(lines.at(-1)).toMatch(/^error not-flat: /)
    expect((await exchange.fetchOpenOrders()).map(({ symbol, type }) => [symbol, type])).toEqual([['BTCUSDT', 'stop']])
  })

  it('tells what it would send with --dry and in simulation, asks nothing, and sends nothing', async () => {
    const { asked, terminal } = person(true)
    const session = await createSession({ terminal })
    await session.run(SETUP)
    const dry = (await session.run('nuke --dry')).filter((line) => !line.startsWith('print '))
    expect(dry).toEqual([
      expect.stringMatching(/^info account paper: simulated: would cancel order p\d+ on BTCUSDT$/),
      'info account paper: simulated: would place sell 0.02 BTCUSDT at the market, reduce-only',
      'info account paper: simulated: would place buy 0.1 ETHUSDT at the market, reduce-only',
      'info account paper: simulated: would cancel 1 reduce-only order after the close',
    ])
    expect(asked).toEqual([])
    await session.run('sim on')
    expect(await session.run('nuke --yes')).toEqual(dry)
    expect(await session.market.exchange.fetchPositions()).toHaveLength(2)
    expect(await session.market.exchange.fetchOpenOrders()).toHaveLength(2)
  })

  it.each([
    ['nuke everything', 'unexpected-argument'],
    ['nuke positions all', 'unexpected-argument'],
    ['nuke --all', 'unexpected-argument'],
    ['nuke BTCUSDT --yes', 'unexpected-argument'],
  ])('refuses %s', async (line, code) => {
    const session = await createSession({ terminal: person(true).terminal })
    await session.run('buy 0.01')
    expect(await session.run(line)).toEqual([expect.stringMatching(`^error ${code}: `)])
    expect(await session.market.exchange.fetchPositions()).toHaveLength(1)
  })
})

const task = (id: string, more: Partial<Task> = {}): Task => ({
  id: `${id}-0000-4000-8000-000000000000`,
  kind: 'chase',
  account: 'paper',
  symbol: 'BTCUSDT',
  command: 'chase buy 0.1',
  runId: 'r',
  status: 'running',
  progress: 0,
  startedAt: 0,
  updatedAt: 0,
  ...more,
})

/** @param deeds what was asked of tasks, and when the account was flat by then */
async function stageTasks(tasks: readonly Task[], cancel: (task: Task) => Task = (each) => each) {
  const session = await createSession()
  await session.run(SETUP)
  const deeds: string[] = []
  const isUnderWay = ({ status }: Task) => status === 'running' || status === 'interrupted'
  const port: Pick<TaskPort, 'list' | 'underWay' | 'ask'> = {
    list: () => tasks,
    underWay: async () => ({ tasks: tasks.filter(isUnderWay) }),
    async ask(id, what, { source }, isAnswered) {
      // Its own line names the task: the report of the driver must not, too.
      expect(isAnswered).toBe(true)
      const found = tasks.find((each) => each.id === id)
      if (found === undefined) throw new TaskError('unknown-task', `there is no task ${id}`)
      deeds.push(`${what} ${id.slice(0, 8)} by ${source}${(await isFlat(session)) ? ', flat' : ''}`)
      return { ...cancel(found), status: 'cancelled' }
    },
  }
  Object.assign(session.ports, { tasks: port })
  return { session, deeds }
}

describe('nuke and tasks', () => {
  const ALL = [
    task('aaaaaaa1'),
    task('aaaaaaa2', { status: 'interrupted' }),
    task('aaaaaaa3', { kind: 'trail', protective: true }),
    task('aaaaaaa4', { status: 'done' }),
    task('aaaaaaa5', { account: 'other' }),
  ]

  it('cancels what could place an entry before it closes anything, and what protects a position after it', async () => {
    const { session, deeds } = await stageTasks(ALL)
    const lines = await session.run('nuke --yes')
    expect(deeds).toEqual(['cancel aaaaaaa1 by repl', 'cancel aaaaaaa2 by repl', 'cancel aaaaaaa3 by repl, flat'])
    expect(lines).toContain('success account paper: task aaaaaaa3 (trail on BTCUSDT) is canceled')
    expect(lines.at(-1)).toBe('success account paper: resting orders are canceled, and open positions are closed')
  })

  it('positions leaves every task alone', async () => {
    const { session, deeds } = await stageTasks(ALL)
    await session.run('nuke positions --yes')
    expect(deeds).toEqual([])
    expect(await isFlat(session)).toBe(true)
  })

  it('goes on with the rest where a task cannot be cancelled, and says so', async () => {
    const { session, deeds } = await stageTasks(ALL, (each) => {
      if (each.id.startsWith('aaaaaaa1'))
        throw new TaskError('unanswered', 'it is not done yet', { hint: 'look again' })
      return each
    })
    const lines = await session.run('nuke --yes')
    expect(await isFlat(session)).toBe(true)
    expect(deeds).toEqual(['cancel aaaaaaa1 by repl', 'cancel aaaaaaa2 by repl'])
    expect(lines.slice(-3)).toEqual([
      'error account paper: task aaaaaaa1 (chase on BTCUSDT) was not canceled: it is not done yet (look again)',
      'error account paper: task aaaaaaa3 (trail on BTCUSDT) continues: it protects an open position',
      expect.stringMatching(/^error not-flat: /),
    ])
  })

  it('closes what is open while a task is slow to end, and again what it has done meanwhile', async () => {
    const session = await createSession()
    await session.run(SETUP)
    let end = (): void => {}
    const slow = task('aaaaaaa1')
    const tasks: Pick<TaskPort, 'underWay' | 'ask'> = {
      underWay: async () => ({ tasks: [slow] }),
      ask: () =>
        new Promise((resolve) => {
          end = () => resolve({ ...slow, status: 'cancelled' })
        }),
    }
    Object.assign(session.ports, { tasks })
    const run = session.start('nuke --yes')
    for (let second = 0; second < 3; second += 1) await session.advance(1000)
    expect(await isFlat(session)).toBe(true)
    await session.market.exchange.createOrder({
      clientOrderId: 'a'.repeat(32),
      symbol: 'BTCUSDT',
      side: 'buy',
      type: 'market',
      amount: '0.01',
    })
    end()
    for (let second = 0; second < 3; second += 1) await session.advance(1000)
    expect(await run.done, run.lines.join('\n')).toBe(true)
    expect(await isFlat(session)).toBe(true)
  })

  it('does not say that all is closed where there may be other tasks', async () => {
    const { session } = await stageTasks([])
    Object.assign(session.ports.tasks, { underWay: async () => ({ tasks: [], doubt: 'tasks.json: is not JSON' }) })
    const lines = await session.run('nuke --yes')
    expect(await isFlat(session)).toBe(true)
    expect(lines).toContain('error account paper: there may be tasks that were not canceled: tasks.json: is not JSON')
    expect(lines.at(-1)).toMatch(/^error not-flat: /)
    expect(lines.join('\n')).not.toContain('open positions are closed')
  })

  it('leaves what protects a position that it could not close', async () => {
    const { session, deeds } = await stageTasks(ALL)
    const { exchange } = session.market
    session.useExchange({
      ...exchange,
      stream: 'live',
      createOrder: async () => ({ kind: 'refused', error: new ExchangeError('unavailable', 'maintenance') }),
    })
    const lines = await session.run('nuke --yes')
    expect(deeds).toEqual(['cancel aaaaaaa1 by repl', 'cancel aaaaaaa2 by repl'])
    expect(lines).toContain(
      'error account paper: task aaaaaaa3 (trail on BTCUSDT) continues: it protects an open position',
    )
  })

  it('tells what it would cancel with --dry, and asks nothing of a task', async () => {
    const { session, deeds } = await stageTasks(ALL)
    expect((await session.run('nuke --dry')).slice(0, 3)).toEqual([
      'info account paper: simulated: would cancel task aaaaaaa1 (chase on BTCUSDT)',
      'info account paper: simulated: would cancel task aaaaaaa2 (chase on BTCUSDT)',
      'info account paper: simulated: would cancel task aaaaaaa3 (trail on BTCUSDT)',
    ])
    expect(deeds).toEqual([])
  })
})

describe('nuke and a task that is driven', () => {
  async function begin(isProtective: boolean) {
    const session = await createSession({ taskKinds: new Map([['resting', resting]]) })
    const task = await session.ports.tasks.begin({
      kind: 'resting',
      account: 'paper',
      symbol: 'BTCUSDT',
      command: 'rest',
      by: { source: 'repl', runId: 'r' },
      params: { ...RESTS, times: 9, isProtective },
    })
    for (let second = 0; second < 3; second += 1) await session.advance(1000)
    const state = () => session.ports.tasks.list().find(({ id }) => id === task.id)?.status
    return { session, state }
  }

  it.each([false, true])(
    'leaves neither the task, which would place again, nor its order (protective: %s)',
    async (isProtective) => {
      const { session, state } = await begin(isProtective)
      await session.run('buy 0.02')
      expect(await session.market.exchange.fetchOpenOrders()).toHaveLength(1)
      const run = session.start('nuke --yes')
      for (let second = 0; second < 3; second += 1) await session.advance(1000)
      expect(await run.done, run.lines.join('\n')).toBe(true)
      for (let second = 0; second < 3; second += 1) await session.advance(1000)
      expect(state()).toBe('cancelled')
      expect(await isFlat(session)).toBe(true)
    },
  )

  it('ends what was typed: a chase and a twap', async () => {
    const session = await createSession()
    const pass = async () => {
      for (let second = 0; second < 4; second += 1) await session.advance(1000)
    }
    for (const line of ['chase buy 0.01 for 5m', 'twap buy 0.03 into 5 over 10m']) {
      const run = session.start(line)
      await pass()
      expect(await run.done, run.lines.join('\n')).toBe(true)
    }
    expect(await isFlat(session)).toBe(false)
    const run = session.start('nuke --yes')
    await pass()
    expect(await run.done, run.lines.join('\n')).toBe(true)
    await session.advance(600_000)
    expect(session.ports.tasks.list().map(({ kind, status }) => [kind, status])).toEqual([
      ['twap', 'cancelled'],
      ['chase', 'cancelled'],
    ])
    expect(await isFlat(session)).toBe(true)
  })
})
