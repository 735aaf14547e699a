// Every file of the config directory that is a store, in one table: what `status` names, what the start tells of, what is
// watched, and what the topics show all come from here. `paper-<account>.json` belongs to its exchange, which tells of it.
import { openAccountStore } from '../stores/accounts.ts'
import { openAuditLog } from '../stores/audit-log.ts'
import { openConfigStore } from '../stores/config.ts'
import { openCrossTrade, openCrossTradeEngine, openLeadingPages } from '../stores/cross-trade.ts'
import { openGuardStore } from '../stores/guards.ts'
import { openHookStore } from '../stores/hooks.ts'
import { openConsoleKey, openIdentity, openListenerKey } from '../stores/identity.ts'
import type { FileState } from '../stores/json-file.ts'
import { openLastSeen } from '../stores/last-seen.ts'
import { openNoticeResults } from '../stores/notices.ts'
import { openPanicStore } from '../stores/panic.ts'
import { openPracticeMarket, type PracticeMarketStore } from '../stores/paper-state.ts'
import { openTextMap } from '../stores/rows.ts'
import { openSignIn } from '../stores/sign-in.ts'
import { openStopStore } from '../stores/stops.ts'
import type { StoreProblem } from '../stores/store-error.ts'
import { openTasks, openTasksDriver } from '../stores/tasks.ts'
import { openTrustedClients } from '../stores/trusted-clients.ts'
import { openVaultFile } from '../stores/vault-file.ts'
import { openWebSettings } from '../stores/web-settings.ts'

export type Stores = ReturnType<typeof openStores>

/** Reads no file: a store looks at its own when it is asked. `now`: ms since the epoch. */
export function openStores(directory: string, now: () => number = Date.now) {
  const panic = openPanicStore(directory, now)
  const stops = openStopStore(directory, now)
  const practiceMarket: PracticeMarketStore = openPracticeMarket(directory)
  return {
    config: openConfigStore(directory, stops),
    accounts: openAccountStore(directory, now),
    hooks: openHookStore(directory, now),
    trustedClients: openTrustedClients(directory, now, stops),
    variables: openTextMap(directory, 'vars.json'),
    aliases: openTextMap(directory, 'aliases.json'),
    identity: openIdentity(directory, now),
    listenerKey: openListenerKey(directory, now),
    consoleKey: openConsoleKey(directory, now),
    tasks: openTasks(directory),
    tasksDriver: openTasksDriver(directory),
    crossTrade: openCrossTrade(directory, now),
    crossTradeEngine: openCrossTradeEngine(directory, now),
    leadingPages: openLeadingPages(directory, now),
    panic,
    stops,
    guards: openGuardStore(directory, { now, panic, had: stops }),
    practiceMarket,
    webSettings: openWebSettings(directory, now),
    auditLog: openAuditLog(directory, now),
    lastSeen: openLastSeen(directory, now),
    vaultFile: openVaultFile(directory),
    noticeResults: openNoticeResults(directory),
    signInFile: openSignIn(directory, now),
  } satisfies Readonly<Record<string, FileState>>
}

/** What is wrong with the files now. A store knows that only once it has looked. */
export function storeProblems(stores: Stores): readonly StoreProblem[] {
  return filesOf(stores).flatMap((file) => {
    file.look()
    return file.problems()
  })
}

export function filesOf(stores: Stores): readonly FileState[] {
  return Object.values(stores)
}
