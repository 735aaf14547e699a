// What holds the orders of an account up, in one word each: for the prompt, `status` and the console.
import { printable } from '../../language/printable.ts'
import type { Guarding } from '../../stores/guards.ts'
import { showTime } from '../../trading/figures.ts'
import type { CommandPorts } from './ports.ts'

type Ports = Pick<CommandPorts, 'guards'>

export function guardingOf({ guards }: Ports, account: string): Guarding {
  return guards.read(account)
}

/** `panic`, `halted`, `sim`; none where orders are sent. */
export function guardWords(ports: Ports, account: string): readonly string[] {
  const { state, simulated, panic } = guardingOf(ports, account)
  return [...(panic === true ? ['panic'] : state === 'active' ? [] : [state]), ...(simulated ? ['sim'] : [])]
}

/** `halted since 2026-07-01 12:00:00, by hook dip`; undefined where orders are sent. */
export function describeGuarding({ state, since, by, simulated, doubt, panic }: Guarding): string | undefined {
  const held = [
    ...(state === 'active' ? [] : [panic === true ? `${state} under panic` : state]),
    ...(since === undefined ? [] : [`since ${showTime(since)}`]),
  ].join(' ')
  const parts = [
    ...(held === '' ? [] : [held]),
    ...(by === undefined ? [] : [`by ${printable(by, 80)}`]),
    ...(doubt === undefined ? [] : [`because ${doubt}`]),
    ...(simulated ? ['simulated: orders are not sent'] : []),
  ]
  return parts.length === 0 ? undefined : parts.join(', ')
}
