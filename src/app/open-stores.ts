// Every file of the config directory that is a store, in one table: what `status` names, the start reports, watchers
// follow and topics show comes from here. `paper-<account>.json` belongs to its exchange, which reports it.

import { dirname, join } from 'node:path'
import { printable } from '../language/printable.ts'
import { type AccountStore, openAccountStore } from '../stores/accounts.ts'
import { openAuditLog } from '../stores/audit-log.ts'
import { type ConfigStore, openConfigStore } from '../stores/config.ts'
import { openCrossTrade, openCrossTradeEngine, openLeadingPages } from '../stores/cross-trade.ts'
import { namesIn } from '../stores/directory.ts'
import { openGuardStore } from '../stores/guards.ts'
import { openHookStore } from '../stores/hooks.ts'
import { openConsoleKey, openIdentity, openListenerKey } from '../stores/identity.ts'
import type { FileState } from '../stores/json-file.ts'
import { openLastSeen } from '../stores/last-seen.ts'
import { openChatUpdates, openNoticeResults, openUnsentNotices } from '../stores/notices.ts'
import { openPanicStore } from '../stores/panic.ts'
import { openPracticeMarket, type PracticeMarketStore } from '../stores/paper-state.ts'
import { newerLines } from '../stores/private-file.ts'
import { openTextMap } from '../stores/rows.ts'
import { openSignIn } from '../stores/sign-in.ts'
import { openStopStore } from '../stores/stops.ts'
import { StoreError, type StoreProblem } from '../stores/store-error.ts'
import { openTasks, openTasksDriver } from '../stores/tasks.ts'
import { openTrustedClients } from '../stores/trusted-clients.ts'
import { openVaultFile } from '../stores/vault-file.ts'
import { openWebSettings } from '../stores/web-settings.ts'
import { originPolicy } from '../trust/allowed-origins.ts'
import type { Log } from './log.ts'

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
    unsentNotices: openUnsentNotices(directory),
    chatUpdates: openChatUpdates(directory),
    signInFile: openSignIn(directory, now),
  } satisfies Readonly<Record<string, FileState>>
}

/** What is wrong with the files now. A store knows that only once it has looked. */
export function storeProblems(stores: Stores): readonly StoreProblem[] {
  const problems = filesOf(stores).flatMap((file) => {
    file.look()
    return file.problems()
  })
  return [...problems, ...newerJournals(dirname(stores.config.path))]
}

/** Files of lines that a newer hookline wrote. */
function newerJournals(directory: string): readonly StoreProblem[] {
  return namesIn(directory, /\.jsonl$/).flatMap((name) => {
    const path = join(directory, name)
    const message = newerLines(path)
    return message === undefined ? [] : [{ kind: 'newer', path, message }]
  })
}

export function filesOf(stores: Stores): readonly FileState[] {
  return Object.values(stores)
}

interface PrepareOptions {
  readonly accounts: Pick<AccountStore, 'ensurePaper'>
  readonly web: { start(): Promise<{ readonly listenerId: string } | undefined> } | undefined
  readonly log: Pick<Log, 'write'>
}

/** Makes the account and the identity at the very first start. */
export async function prepareFiles(options: PrepareOptions): Promise<{ readonly listenerId: string } | undefined> {
  try {
    await options.accounts.ensurePaper()
    return await options.web?.start()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    // The file is among the problems; everything that does not need it works.
    options.log.write('warn', error.message)
    return undefined
  }
}

/**
 * Reports each problem once, when a file goes bad while hookline runs (behaviour 22): an invalid config.json leaves a switch without its
 * effect. The start reports those there are already.
 * @returns stops the reports
 */
export function reportInvalidFiles(files: readonly FileState[], report: (problem: StoreProblem) => void): () => void {
  const stops = files.map((file) => {
    file.look()
    let reported = messagesOf(file)
    return file.watch(() => {
      for (const problem of file.problems()) if (!reported.has(problem.message)) report(problem)
      reported = messagesOf(file)
    })
  })
  return () => {
    for (const stop of stops) stop()
  }
}

/** Without their lines, which an edit elsewhere in the file moves. */
function messagesOf(file: FileState): ReadonlySet<string> {
  return new Set(file.problems().map(({ message }) => message))
}

/**
 * An invalid entry among the allowed origins refuses every page (behaviour 9): warns of it now and whenever the list changes.
 * @returns stops the warnings
 */
export function reportMistypedOrigins(
  config: Pick<ConfigStore, 'read' | 'watch'>,
  warn: (text: string) => void,
): () => void {
  let warned = ''
  const look = (): void => {
    const mistyped = originPolicy(config.read()).mistyped.join(', ')
    if (mistyped !== '' && mistyped !== warned) {
      warn(
        `every web page is refused: listener.allowedOrigins in config.json contains ${printable(mistyped, 100)}, which is not an origin; write scheme, host and port: http://localhost:53220`,
      )
    }
    warned = mistyped
  }
  look()
  return config.watch(look)
}
