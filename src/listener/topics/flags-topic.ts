// The `flags` topic: what is switched off, held up or invalid, and by whom.
import { basename } from 'node:path'
import { defined } from '../../base/defined.ts'
import { guardingOf } from '../../commands/kit/guard-words.ts'
import type { CommandPorts } from '../../commands/kit/ports.ts'
import { printable } from '../../language/printable.ts'
import type { Frame, GuardRow } from '../../protocol/frames.ts'
import type { FileState } from '../../stores/json-file.ts'
import type { PanicStore } from '../../stores/panic.ts'
import type { StoreProblem } from '../../stores/store-error.ts'
import type { TopicSource } from './topics.ts'

export interface FlagStores {
  readonly services: Pick<CommandPorts, 'config' | 'focus' | 'accounts' | 'guards'>
  readonly panic: Pick<PanicStore, 'read'>
  /** Every file of the config directory. */
  readonly files: readonly FileState[]
}

/** Problems that are told one by one; all are counted. */
const MAX_PROBLEMS = 20
const MAX_TEXT = 300

export function flagsTopic(stores: FlagStores): TopicSource {
  const { focus } = stores.services
  return {
    snapshot: () => flagsOf(stores),
    watch(changed) {
      const stops = [focus.watch(changed), ...stores.files.map((file) => file.watch(changed))]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}

function flagsOf({ services, panic, files }: FlagStores): Frame<'state:flags'> {
  const { config, focus, accounts } = services
  const { remoteExec, accountSync } = config.read().listener
  const { guard, simulated, since, by } = guardRowOf(services, focus.account())
  const faulty = files.map(problemsOf).filter((problems) => problems.length > 0)
  const told = faulty.flat().slice(0, MAX_PROBLEMS)
  const isPanic = panic.read()
  const held = accountSync ? accounts.list().flatMap(({ name }) => heldUp(guardRowOf(services, name))) : []
  return {
    t: 'state:flags',
    remoteExec,
    accountSync,
    invalidFiles: faulty.length,
    ...defined({ guard }),
    ...(simulated === true ? { simulated } : {}),
    ...defined({ since, by }),
    ...(isPanic && {
      panic: { ...(isPanic.since === 0 ? {} : { since: isPanic.since }), by: printable(isPanic.by, MAX_TEXT) },
    }),
    ...(held.length > 0 && { accounts: held }),
    ...(told.length > 0 && { files: told.map(fileFault) }),
  }
}

function problemsOf(file: FileState): readonly StoreProblem[] {
  file.look()
  return file.problems()
}

/** Of the path its last part: where the files are is nothing that a page has to know. */
function fileFault({ path, line, message }: StoreProblem) {
  const place = line === undefined ? '' : `line ${line}: `
  return { file: basename(path), message: printable(`${place}${message}`, MAX_TEXT) }
}

function guardRowOf(services: FlagStores['services'], account: string): GuardRow {
  const { state, simulated, since, by } = guardingOf(services, account)
  return {
    account,
    ...(state === 'active' ? {} : { guard: state }),
    ...(simulated ? { simulated } : {}),
    ...defined({ since }),
    ...(by === undefined ? {} : { by: printable(by, MAX_TEXT) }),
  }
}

function heldUp(row: GuardRow): readonly GuardRow[] {
  return row.guard === undefined && row.simulated !== true ? [] : [row]
}
