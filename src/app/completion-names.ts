import { commands } from '../commands/catalogue.ts'
import type { CompletionNames } from '../commands/kit/command.ts'
import type { CommandPorts } from '../commands/kit/ports.ts'
import { namesOf } from '../commands/kit/resolve.ts'
import { isUnderWay, shortTaskId } from '../commands/tasks/task-words.ts'
import { MIN_PREFIX_LENGTH, readOwned } from '../stores/rows.ts'
import type { Connections } from './connections.ts'

/** The live names that completion offers at the prompt. */
export function completionNames(app: Sources): () => CompletionNames {
  const names = createCompletionNames(app)
  return () => names(app.ports.focus.account())
}

interface Sources {
  readonly ports: CommandPorts
  readonly connect: Connections['connect']
}

/** Of so many accounts the symbols are kept. */
const MAX_ACCOUNTS = 16

/** The live names for lines on an account; its symbols appear once its markets have been loaded. */
export function createCompletionNames({ ports, connect }: Sources): (account: string) => CompletionNames {
  const symbolsOf = createSymbolNames(connect)
  return (account) => ({
    // Somebody types names by the thousand, and only these are connected for it.
    symbols: ports.accounts.find(account) === undefined ? [] : symbolsOf(account),
    accounts: ports.accounts.list().map(({ name }) => name),
    hooks: ports.hooks.list().map(({ id, name }) => ({ id, name })),
    crossTradeRows: ports.crossTrade.list().map(({ id }) => id.slice(0, MIN_PREFIX_LENGTH)),
    runs: ports
      .runs()
      .filter(({ state }) => state === 'running' || state === 'waiting')
      .map(({ runId }) => runId.slice(0, MIN_PREFIX_LENGTH)),
    tasks: ports.tasks.list().filter(isUnderWay).map(shortTaskId),
    variables: Object.keys(ports.variables.read()).filter((key) => readOwned(key).owner === undefined),
    aliases: Object.keys(ports.aliases.read()),
    commands: commands.flatMap(namesOf),
  })
}

function createSymbolNames(connect: Connections['connect']): (account: string) => readonly string[] {
  const loaded = new Map<string, readonly string[]>()
  return (account) => {
    const known = loaded.get(account)
    if (known !== undefined) return known
    loaded.set(account, [])
    const [oldest] = loaded.keys()
    if (loaded.size > MAX_ACCOUNTS && oldest !== undefined) loaded.delete(oldest)
    void connect(account)
      .then(({ venue }) => venue.loadMarkets())
      .then((markets) => {
        const symbols = markets.map(({ symbol }) => symbol)
        if (loaded.has(account)) loaded.set(account, symbols)
      })
      // No markets, no completion of symbols; the next command tells why.
      .catch(() => loaded.delete(account))
    return []
  }
}
