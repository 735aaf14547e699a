// Whether a task may begin, and why one does nothing.

import * as z from 'zod/mini'
import { STOPS, type Stop } from '../authority/stop-table.ts'
import { isOfOperator, operatorWord } from '../runs/run.ts'
import { fromWhom, type GuardStore } from '../stores/guards.ts'
import type { PanicStore } from '../stores/panic.ts'
import type { AnyTaskKind, TaskKinds } from './kinds.ts'
import type { RiskEffect } from './task-kind.ts'
import { type AskedBy, TaskError, type TaskSeed } from './task-port.ts'
import type { TaskRecord } from './task-record.ts'

const MAX_RUNNING = 100

interface Holding {
  readonly guards: Pick<GuardStore, 'readOncePerTurn'>
  readonly panic: Pick<PanicStore, 'readOncePerTurn'>
}

/** `source`: what began it has ended. `files`: they cannot be read, or were gone. `closing`: the process that drives it is ending. */
type HoldCause = 'panic' | 'halt' | 'simulation' | 'source' | 'files' | 'closing'

/** What keeps a task from placing anything now. */
export interface Hold {
  readonly cause: HoldCause
  /** It is canceled, and not paused. */
  readonly ends?: true
  /** It is not paused either: what rests of it stays, and it goes on by itself. */
  readonly waits?: true
  /** One line without a full stop. */
  readonly why: string
}

/**
 * By the table of stops; the strictest that is on.
 * @param since a halt that was said after this holds though it is lifted
 */
export function heldBy(
  { guards, panic }: Holding,
  account: string,
  effect: RiskEffect,
  since = Number.POSITIVE_INFINITY,
): Hold | undefined {
  const { state, simulated, lastRestricted = 0 } = guards.readOncePerTurn(account)
  return (
    (panic.readOncePerTurn() === undefined ? undefined : heldIn('panic', effect, 'panic', 'panic is on')) ??
    (state === 'halted' ? heldIn('halt', effect, 'halt', `account ${account} is halted`) : undefined) ??
    (state === 'reducing'
      ? heldIn('halt --reducing', effect, 'halt', `account ${account} takes only orders that reduce a position`)
      : undefined) ??
    (lastRestricted > since ? heldIn('halt', effect, 'halt', `account ${account} was halted`) : undefined) ??
    (simulated ? heldIn('sim on', effect, 'simulation', 'simulation is on') : undefined)
  )
}

/** As `heldIn`, of files: while they cannot be written no pause can be either. */
export function heldByFile(stop: Stop, effect: RiskEffect, why: string): Hold | undefined {
  const held = heldIn(stop, effect, 'files', why)
  return held !== undefined && STOPS[stop].does[effect] === 'waits' ? { ...held, waits: true } : held
}

function heldIn(stop: Stop, effect: RiskEffect, cause: HoldCause, why: string): Hold | undefined {
  const course = STOPS[stop].does[effect]
  if (course === 'goes on') return undefined
  return course === 'ends' ? { cause, why, ends: true } : { cause, why }
}

interface Beginning extends Holding {
  readonly kinds: TaskKinds
  readonly running: readonly TaskRecord[]
  /** Why nothing of this effect may begin by its files; absent: it may. */
  readonly fileFault?: (effect: RiskEffect) => string | undefined
}

/** @throws {TaskError} `bad-params`, `simulated`, `held`, `unreadable`, `too-many-tasks` */
export function requireBeginnable({ kind: name, account, params, by }: TaskSeed, world: Beginning): AnyTaskKind {
  const kind = world.kinds.get(name)
  if (kind === undefined) throw new TaskError('bad-params', `this hookline has no task ${name}`)
  const checked = z.safeParse(kind.params, params)
  if (!checked.success) throw new TaskError('bad-params', `invalid ${name}: ${z.prettifyError(checked.error)}`)
  if (by.isDry === true || (kind.sendsNothing !== true && world.guards.readOncePerTurn(account).simulated)) {
    throw new TaskError('simulated', 'simulation is on, so the task was not started', {
      hint: 'type `sim off` in the terminal, or leave out --dry',
    })
  }
  const held = heldBy(world, account, kind.effect(params))
  if (held !== undefined)
    throw new TaskError('held', `${held.why}, so it was not started`, { hint: '`status` shows the details' })
  const fault = world.fileFault?.(kind.effect(params))
  if (fault !== undefined)
    throw new TaskError('unreadable', `${fault}, so it was not started`, { hint: 'fix the file, or move it away' })
  const count = world.running.filter(({ seed, status }) => seed.account === account && status === 'running').length
  if (count >= MAX_RUNNING) {
    throw new TaskError('too-many-tasks', `account ${account} already runs ${MAX_RUNNING} tasks, the maximum`, {
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

/** For people: `from a terminal`, `by hook dip`. */
export function fromAsker({ source, origin }: AskedBy): string {
  if (isOfOperator(source)) return fromWhom(operatorWord(source))
  return fromWhom(origin === undefined ? source : `${source} ${origin}`)
}
