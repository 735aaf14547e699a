// `cross-trade start`, `stop` and `resync`: the engine itself, wherever it runs.

import { randomUUID } from 'node:crypto'
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import { askEngine, askToStop, type EngineAnswer, engineOf, waitForFile } from '../../cross-trade/engine-lease.ts'
import { isCopierChase, type PlannedCopy } from '../../cross-trade/engine-port.ts'
import { printable } from '../../language/printable.ts'
import type { CrossTradeConfig } from '../../stores/cross-trade.ts'
import { needsYes, takeYes } from '../account/confirmation.ts'
import type { CommandContext, CommandForm } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { renderTable } from '../kit/lines.ts'
import { refuseMoreThan, takeFlag } from '../kit/read-arguments.ts'
import { speaker } from '../session/panic.ts'
import { copiersTable, describeRow, requireRow, START_HINT, shortId } from './row-words.ts'

/** An engine lets its orders end before it does. */
const STOPS_WITHIN_MS = 15_000

export const start: CommandForm<'copier'> = {
  name: 'start',
  neverGuessed: true,
  usage: '[--force]',
  summary: 'run the engine in this hookline until `cross-trade stop` or its end',
  where: 'trusted',
  examples: [
    { line: 'cross-trade start', meaning: 'enabled rows are copied by this process' },
    { line: 'cross-trade start --force', meaning: 'although a page claims to lead' },
  ],
  complete: () => ['--force'],
  async run(context, args) {
    const { rest, given: force } = takeFlag(args, '--force')
    refuseMoreThan(0, rest)
    const { copier } = context.ports
    if (copier === undefined) {
      throw new CommandError('not-here', 'this process ends with its line, and the engine would end with it', {
        hint: 'type `hookline cross-trade run` in a shell',
      })
    }
    if (copier.isRunning()) return context.out.info('the engine runs in this process already')
    await copier.start({ force })
    context.out.success('the engine runs in this process; `cross-trade stop` ends it, and so does the end of hookline')
    await context.audit('cross-trade start', force ? { force } : {})
  },
}

export const stop: CommandForm<'crossTradeEngine' | 'runs' | 'tasks'> = {
  name: 'stop',
  neverGuessed: true,
  usage: '',
  summary: 'end the engine, in whatever process it runs; positions and orders stay',
  where: 'anywhere',
  immediate: true,
  underPanic: true,
  examples: [{ line: 'cross-trade stop', meaning: 'nothing more is copied; copiers keep their positions' }],
  async run(context, args) {
    refuseMoreThan(0, args)
    const { clock, ports, signal, out } = context
    const file = ports.crossTradeEngine
    const asked = await askToStop(file, speaker(context), clock.now())
    if (asked === undefined) {
      out.info('no engine runs')
      return requireNoChase(context)
    }
    const { pid } = asked
    await context.audit('cross-trade stop', defined({ pid }))
    const hasStopped = () => engineOf(file.readFile(), clock.now()) === undefined
    if (await waitForFile(STOPS_WITHIN_MS, { file, clock, signal }, hasStopped)) {
      out.success('the engine has stopped; copiers keep their positions')
      return requireNoChase(context)
    }
    throw new CommandError(
      'no-answer',
      `the engine${pid === undefined ? '' : ` with pid ${pid}`} has not stopped yet`,
      {
        hint: pid === undefined ? 'end the program that runs it' : `if it stays, end it: \`kill ${pid}\` in a shell`,
      },
    )
  },
}

/** What an engine began in another process, and could not take back. @throws {CommandError} `not-stopped` */
async function requireNoChase({ ports, out }: CommandContext<'tasks'>): Promise<void> {
  const { tasks, doubt } = await ports.tasks.underWay()
  const chases = tasks.filter(isCopierChase)
  for (const { id, account, symbol } of chases) {
    const name = printable(id.slice(0, 8), 8)
    out.warn(`chase ${name} of a copier on ${printable(symbol, 40)} of account ${printable(account, 40)} has not ended`)
  }
  if (chases.length === 0 && doubt === undefined) return
  if (chases.length === 0) {
    throw new CommandError('not-stopped', `there may be chases of its copiers: ${printable(doubt ?? '', 200)}`, {
      hint: 'fix the file, and look with `tasks`',
    })
  }
  const count = chases.length === 1 ? '1 chase of its copiers has' : `${chases.length} chases of its copiers have`
  throw new CommandError('not-stopped', `${count} not ended`, { hint: '`tasks cancel <id>` ends one' })
}

export const resync: CommandForm<'crossTrade' | 'crossTradeEngine'> = {
  name: 'resync',
  usage: '<id | prefix> [--yes | --flatten]',
  summary: 'bring the copiers of a row to their targets; shows the orders first',
  where: 'trusted',
  examples: [
    { line: 'cross-trade resync 3f9c2a71', meaning: 'what others closed on its copiers is built again' },
    { line: 'cross-trade resync 3f9c2a71 --yes', meaning: 'in a script: sends without a question' },
    { line: 'cross-trade resync 3f9c2a71 --flatten', meaning: 'at the prompt: closes what the row has built' },
  ],
  complete: ({ words, crossTradeRows = [] }) => (words.length === 0 ? crossTradeRows : ['--yes', '--flatten']),
  async run(context, args) {
    const { rest: withFlatten, isSure } = takeYes(args)
    const { rest, given: flatten } = takeFlag(withFlatten, '--flatten')
    const { crossTrade } = context.ports
    // A row that is gone may have left something to close.
    const row = requireRow(flatten ? crossTrade.all() : crossTrade.list(), rest)
    refuseMoreThan(1, rest)
    if (flatten && (context.confirm === undefined || isSure)) {
      throw new CommandError(
        'not-allowed-here',
        '`--flatten` closes positions, and asks a person at the prompt first',
        {
          hint: 'type it at the prompt of hookline, without `--yes`',
        },
      )
    }
    let { orders } = await ask(context, row, 'plan', flatten)
    for (let isAgreed = false; !isAgreed; ) {
      printPlan(context, row, orders)
      if (orders.length === 0) return
      if (isSure) break
      if (!(await isConfirmed(context, row, orders.length))) return context.out.info('canceled: nothing was sent')
      // Positions and prices went on while the question waited.
      const now = await ask(context, row, 'plan', flatten)
      isAgreed = isNearly(orders, now.orders)
      if (!isAgreed) context.out.warn('the orders have changed since that question')
      orders = now.orders
    }
    const { copiers } = await ask(context, row, 'resync', flatten)
    const data = { ...planData(row, orders), sent: true, copiers: [...copiers] }
    context.out.success(`resynced ${describeRow(row)}`, data)
    if (copiers.length > 0) context.out.print(copiersTable(copiers))
    await context.audit('cross-trade resync', { rowId: row.id, orders: orders.length, ...(flatten ? { flatten } : {}) })
  },
}

/** Of amounts that are the same. */
const SAME_SHARE = '0.02'

/** Whether a yes to these orders is one to those. */
function isNearly(before: readonly PlannedCopy[], now: readonly PlannedCopy[]): boolean {
  const nameOf = ({ account, symbol, side, reduceOnly }: PlannedCopy) => `${account} ${symbol} ${side} ${reduceOnly}`
  const amounts = new Map(before.map((order) => [nameOf(order), new Decimal(order.amount)]))
  return (
    before.length === now.length &&
    now.every((order) => {
      const off = amounts.get(nameOf(order))?.minus(order.amount).abs()
      return off?.lte(new Decimal(order.amount).times(SAME_SHARE)) === true
    })
  )
}

async function isConfirmed({ confirm }: CommandContext, row: CrossTradeConfig, count: number): Promise<boolean> {
  const what = count === 1 ? 'this order' : `these ${count} orders`
  if (confirm === undefined) {
    throw needsYes(`${what} would be sent`, `cross-trade resync ${shortId(row.id)} --yes`)
  }
  return confirm(`send ${what}? y or n >`)
}

function printPlan({ out }: CommandContext, row: CrossTradeConfig, orders: readonly PlannedCopy[]): void {
  const data = planData(row, orders)
  if (orders.length === 0) return out.info(`no order is due for ${describeRow(row)}`, data)
  const columns = [
    ...['copier', 'symbol', 'side'].map((title) => ({ title })),
    { title: 'amount', align: 'point' as const },
    { title: '' },
  ]
  const cells = orders.map(({ account, symbol, side, amount, reduceOnly }) => [
    printable(account, 40),
    printable(symbol, 40),
    side,
    printable(amount, 40),
    reduceOnly ? 'reduces only' : '',
  ])
  out.print(renderTable(columns, cells), data)
}

function planData(row: CrossTradeConfig, orders: readonly PlannedCopy[]) {
  const plain = orders.map(({ configId: _configId, ...order }) => order)
  return { type: 'cross-trade-plan', id: row.id, orders: plain, sent: false, copiers: [] } as const
}

/** @throws {CommandError} */
async function ask(
  { clock, ports, signal, source, runId }: CommandContext<'crossTradeEngine'>,
  row: CrossTradeConfig,
  op: 'plan' | 'resync',
  flatten: boolean,
): Promise<EngineAnswer> {
  const file = ports.crossTradeEngine
  const engine = engineOf(file.readFile(), clock.now())
  if (engine === undefined) throw new CommandError('not-running', 'no engine runs', { hint: START_HINT })
  const who = engine.pid === undefined ? 'the engine' : `the engine with pid ${engine.pid}`
  const by = source === 'exec' ? 'exec' : 'repl'
  const request = { id: randomUUID(), op, configId: row.id, flatten, source: by, runId } as const
  const answer = await askEngine(request, { file, clock, signal })
  if (answer === 'busy') {
    throw new CommandError('busy', `${who} is busy with another request`, { hint: 'try again in 10 s' })
  }
  if (answer === 'silent') {
    throw new CommandError('no-answer', `${who} does not answer`, {
      hint: 'check `cross-trade status` for what its copiers hold; orders may have been sent',
    })
  }
  if (answer.error === undefined) return answer
  const { code, message, hint } = answer.error
  throw new CommandError(code, printable(message, 200), defined({ hint }))
}
