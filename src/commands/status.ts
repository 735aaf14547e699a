// `status`: one look at everything that could be wrong.
import { printable } from '../language/printable.ts'
import type { StoreProblem } from '../stores/store-error.ts'
import type { CommandContext, Services, SingleCommand } from './command.ts'
import { showPrice } from './figures.ts'
import { describeListener } from './listener.ts'
import { refuseMoreThan } from './read-arguments.ts'
import { describeRefusal, isRefusal } from './refusal.ts'
import { renderTable } from './table.ts'

export const status: SingleCommand = {
  name: 'status',
  group: 'session',
  usage: '',
  summary: 'account, symbol, connection, listener, runs, and files that need mending',
  where: 'anywhere',
  examples: [{ line: 'status', says: 'everything on one screen' }],
  async run(context, args) {
    refuseMoreThan(0, args)
    const { services } = context
    const listener = services.listenerStatus()
    const problems = storeProblems(services)
    const rows = [
      ['version', services.version],
      ['account', describeAccount(context)],
      ['symbol', context.symbol],
      ['connection', await describeConnection(context)],
      ['listener', `${describeListener(listener, services)} (${listener.address}, pid ${listener.pid})`],
      ['hooks', String(services.hooks.list().length)],
      ['runs', describeRuns(services)],
      ['files', problems.length === 0 ? 'all readable' : `${problems.length} to mend`],
    ]
    context.out.print(renderTable([{ title: '' }, { title: '' }], rows))
    for (const problem of problems) context.out.warn(describeProblem(problem))
  },
}

function describeAccount({ accountName, services }: CommandContext): string {
  const row = services.accounts.find(accountName)
  const name = printable(accountName, 40)
  return row === undefined ? `${name}: no such account` : `${name} (exchange ${printable(row.exchange, 20)})`
}

/** A venue that does not answer is what `status` is asked for, so it is told, not thrown. */
async function describeConnection(context: CommandContext): Promise<string> {
  try {
    const { exchange } = await context.account()
    const { last } = await exchange.fetchTicker(context.symbol)
    return `up, last ${showPrice(last)}`
  } catch (error) {
    if (!isRefusal(error)) throw error
    return `down: ${describeRefusal(error)}`
  }
}

function describeRuns(services: Services): string {
  const runs = services.runs()
  const running = runs.filter((run) => run.state === 'running').length
  const waiting = runs.filter((run) => run.state === 'waiting').length
  return `${running} running, ${waiting} waiting`
}

function storeProblems(services: Services): readonly StoreProblem[] {
  const { config, accounts, hooks, trustedClients, variables, aliases } = services
  // Also what nobody has used since it was damaged.
  for (const look of [config.read, accounts.list, hooks.list, trustedClients.list, variables.read, aliases.read]) look()
  const problems = [config, accounts, hooks, trustedClients, variables, aliases].map((store) => store.problem())
  return problems.filter((problem) => problem !== undefined)
}

/** `…/hooks.json, line 3: …`. */
function describeProblem({ path, line, message }: StoreProblem): string {
  return `${printable(path, 300)}${line === undefined ? '' : `, line ${line}`}: ${printable(message, 300)}`
}
