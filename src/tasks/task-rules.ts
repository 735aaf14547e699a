// Whether a task may begin, and why one does nothing.
import * as z from 'zod/mini'
import type { GuardStore } from '../stores/guards.ts'
import type { PanicStore } from '../stores/panic.ts'
import type { AnyTaskKind, TaskKinds } from './kinds.ts'
import { TaskError } from './task-error.ts'
import type { AskedBy, TaskSeed } from './task-port.ts'
import type { TaskRecord } from './task-record.ts'

export const MAX_RUNNING = 100

interface Holding {
  readonly guards: Pick<GuardStore, 'readOncePerTurn'>
  readonly panic: Pick<PanicStore, 'readOncePerTurn'>
}

/** Why nothing new is placed on the account; undefined: it may be. A protective task rests only under halt and panic. */
export function heldBy({ guards, panic }: Holding, account: string, isProtective: boolean): string | undefined {
  if (panic.readOncePerTurn() !== undefined) return 'panic is on'
  const { state } = guards.readOncePerTurn(account)
  if (state === 'halted') return `account ${account} is halted`
  if (state === 'reducing' && !isProtective) return `account ${account} takes only orders that reduce a position`
  return undefined
}

interface Beginning extends Holding {
  readonly kinds: TaskKinds
  readonly running: readonly TaskRecord[]
}

/** @throws {TaskError} `bad-params`, `simulated`, `held`, `too-many-tasks` */
export function requireBeginnable({ kind: name, account, params, by }: TaskSeed, world: Beginning): AnyTaskKind {
  const kind = world.kinds.get(name)
  if (kind === undefined) throw new TaskError('bad-params', `this hookline knows no task ${name}`)
  const checked = z.safeParse(kind.params, params)
  if (!checked.success)
    throw new TaskError('bad-params', `a ${name} cannot be begun so: ${z.prettifyError(checked.error)}`)
  if (by.isDry === true || world.guards.readOncePerTurn(account).simulated) {
    throw new TaskError('simulated', 'tasks do nothing in simulation, so it was not begun', {
      hint: 'type `sim off` in the terminal, or leave out --dry',
    })
  }
  const held = heldBy(world, account, kind.isProtective(params))
  if (held !== undefined) throw new TaskError('held', `${held}, so it was not begun`, { hint: '`status` says more' })
  const count = world.running.filter(({ seed, status }) => seed.account === account && status === 'running').length
  if (count >= MAX_RUNNING) {
    throw new TaskError('too-many-tasks', `${MAX_RUNNING} tasks run on account ${account}, and no more may`, {
      hint: '`tasks cancel <id>` ends one',
    })
  }
  return kind
}

export function notResumable({ status, reason }: { readonly status: string; readonly reason?: string }): TaskError {
  const why = reason === undefined ? '' : `: ${reason}`
  const is = status === 'cancelled' ? 'canceled' : status
  return new TaskError('not-resumable', `it is ${is}${why}`, {
    hint: 'begin another one',
  })
}

/** For people: `the terminal`, `hook dip`. */
export function nameOfAsker({ source, origin }: AskedBy): string {
  if (source === 'repl' || source === 'exec') return 'the terminal'
  return origin === undefined ? source : `${source} ${origin}`
}
