import { commands } from '../commands/catalogue.ts'
import type { LiveNames } from '../commands/command.ts'
import { namesOf } from '../commands/resolve.ts'
import type { App } from './app.ts'

/** The live names that completion offers; symbols appear once the focused account's markets have been loaded. */
export function completionNames(app: App): () => LiveNames {
  let loaded: { readonly account: string; readonly symbols: readonly string[] } | undefined
  const symbolsOf = (account: string): readonly string[] => {
    if (loaded?.account === account) return loaded.symbols
    loaded = { account, symbols: [] }
    void app.services
      .connect(account)
      .then(({ exchange }) => exchange.loadMarkets())
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
    const { services } = app
    return {
      symbols: symbolsOf(services.config.read().defaultAccount),
      accounts: services.accounts.list().map(({ name }) => name),
      hooks: services.hooks.list().map(({ id, name }) => ({ id, name })),
      variables: Object.keys(services.variables.read()),
      aliases: Object.keys(services.aliases.read()),
      commands: commands.flatMap(namesOf),
    }
  }
}
