import { commands } from '../commands/catalogue.ts'
import type { CompletionNames } from '../commands/kit/command.ts'
import { namesOf } from '../commands/kit/resolve.ts'
import { isUnderWay, shortTaskId } from '../commands/tasks/task-words.ts'
import { MIN_PREFIX_LENGTH } from '../stores/id-prefix.ts'
import type { App } from './app.ts'

/** The live names that completion offers; symbols appear once the focused account's markets have been loaded. */
export function completionNames(app: App): () => CompletionNames {
  let loaded: { readonly account: string; readonly symbols: readonly string[] } | undefined
  const symbolsOf = (account: string): readonly string[] => {
    if (loaded?.account === account) return loaded.symbols
    loaded = { account, symbols: [] }
    void app
      .connect(account)
      .then(({ venue }) => venue.loadMarkets())
      .then((markets) => {
        loaded = { account, symbols: markets.map(({ symbol }) => symbol) }
      })
      // No markets, no completion of symbols; the next command tells why.
      .catch(() => {
        loaded = undefined
      })
    return []
  }
  return () => {
    const { ports } = app
    return {
      symbols: symbolsOf(ports.focus.account()),
      accounts: ports.accounts.list().map(({ name }) => name),
      hooks: ports.hooks.list().map(({ id, name }) => ({ id, name })),
      crossTradeRows: ports.crossTrade.list().map(({ id }) => id.slice(0, MIN_PREFIX_LENGTH)),
      runs: ports
        .runs()
        .filter(({ state }) => state === 'running' || state === 'waiting')
        .map(({ runId }) => runId.slice(0, MIN_PREFIX_LENGTH)),
      tasks: ports.tasks.list().filter(isUnderWay).map(shortTaskId),
      variables: Object.keys(ports.variables.read()),
      aliases: Object.keys(ports.aliases.read()),
      commands: commands.flatMap(namesOf),
    }
  }
}
