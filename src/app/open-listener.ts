// The listener of this process, on its stores and its runner.
import { hideTokens } from '../language/printable.ts'
import type { WebSessions } from '../listener/http/upgrade-guard.ts'
import { Listener } from '../listener/listener.ts'
import type { ListenerEvent } from '../listener/listener-state.ts'
import type { RunJournal } from '../runtime/run-journal.ts'
import type { Runner } from '../runtime/runner.ts'
import { logRefusals } from './listener-log.ts'
import type { Log } from './log.ts'
import type { Stores } from './open-stores.ts'

interface OpenListenerOptions {
  readonly stores: Pick<Stores, 'config' | 'hooks' | 'panic'>
  readonly runner: Runner
  readonly journal: RunJournal
  readonly web: WebSessions
  readonly log: Log
  readonly isConsoleServed: () => Promise<boolean>
  readonly notify: (event: ListenerEvent) => void
}

export function openListener({
  stores,
  runner,
  journal,
  web,
  log,
  isConsoleServed,
  notify,
}: OpenListenerOptions): Listener {
  const { config, hooks, panic } = stores
  return new Listener({
    config,
    hooks,
    panic,
    runner,
    journal,
    web,
    isConsoleServed,
    notify(event) {
      // Another process may have had the port, and begun runs.
      if (event.type === 'listening') journal.readAgain()
      notify(event)
    },
    onTooManyRuns: () => log.writeSeldom('warn', 'refused a fire: too many runs', runner.counts()),
    ...logRefusals(log, (text) => hideTokens(text, hooks.isSecret)),
  })
}
