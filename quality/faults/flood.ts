// A hook that prints very much, what the terminal shows of it, and what other fires notice.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CreatedHook, RunningHookline } from '../../harness/process/hookline.ts'
import { fire } from './fire-hook.ts'

const LINE = 'x'.repeat(3_850)

/** A chain that prints so many thousand lines of 3 850 characters, at most nine: a run may take 10 000 steps. */
export function floodOf(thousands: number): string {
  return `repeat ${thousands} (repeat 1000 (echo ${LINE}))`
}

export interface Mirrored {
  readonly shown: number
  /** Told as a number of more lines. */
  readonly leftOut: number
  readonly total: number
  /** Characters of the longest line, without what names the hook. */
  readonly longest: number
}

/** What the terminal got of a hook's output. */
/** Every line of `hookline listen` begins with its time. */
const STAMP = /^\d{4}-\d\d-\d\dT\S+Z /

export function mirrored(stdout: string, hook: CreatedHook): Mirrored {
  const prefix = `[hook:${hook.name}] `
  let [shown, leftOut, longest] = [0, 0, 0]
  for (const stamped of stdout.split('\n')) {
    const line = stamped.replace(STAMP, '')
    if (!line.startsWith(prefix)) continue
    const more = /… ([\d,]+) more lines$/.exec(line)?.[1]
    if (more === undefined) shown++
    else leftOut += Number(more.replaceAll(',', ''))
    longest = Math.max(longest, line.length - prefix.length)
  }
  return { shown, leftOut, total: shown + leftOut, longest }
}

/** Fires again and again. @returns the time that 99 % of the answers took at most, in ms */
export async function fireUntil(hook: CreatedHook, isOver: () => boolean): Promise<number> {
  const took: number[] = []
  while (!isOver()) {
    const from = performance.now()
    const { status } = await fire(hook)
    if (status !== 200) throw new Error(`a fire was answered ${status}`)
    took.push(performance.now() - from)
    await sleep(10)
  }
  took.sort((a, b) => a - b)
  return took[Math.floor(took.length * 0.99)] ?? Number.NaN
}

/** Memory that is in use now. */
export function residentBytes({ pid }: RunningHookline): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024
}
