// Every file of the config directory that is a store, opened together.
import { openAccountStore } from '../stores/accounts.ts'
import { openConfigStore } from '../stores/config.ts'
import { openHookStore } from '../stores/hooks.ts'
import type { StoreProblem } from '../stores/store-error.ts'
import { openTextMap } from '../stores/text-map.ts'
import { openTrustedClients } from '../stores/trusted-clients.ts'

export type Stores = ReturnType<typeof openStores>

export function openStores(directory: string) {
  return {
    config: openConfigStore(directory),
    accounts: openAccountStore(directory),
    hooks: openHookStore(directory),
    trustedClients: openTrustedClients(directory),
    variables: openTextMap(directory, 'vars.json'),
    aliases: openTextMap(directory, 'aliases.json'),
  }
}

/** Files that cannot be used as they are. A store knows what is wrong with its file only once it has looked. */
export function storeProblems(stores: Stores): readonly StoreProblem[] {
  const { config, accounts, hooks, trustedClients, variables, aliases } = stores
  for (const look of [config.read, accounts.list, hooks.list, trustedClients.list, variables.read, aliases.read]) look()
  return Object.values(stores).flatMap((store) => store.problem() ?? [])
}
