// Halts and panic, whichever process or page said so (behaviour 50).
import { printable } from '../language/printable.ts'
import type { Notice } from '../notices/notice.ts'
import type { GuardMode, GuardStore } from '../stores/guards.ts'
import type { PanicStore } from '../stores/panic.ts'

interface StateNoticePorts {
  readonly guards: Pick<GuardStore, 'readAll' | 'list' | 'watch'>
  readonly panic: Pick<PanicStore, 'read' | 'watch'>
  readonly tell: (notice: Notice) => void
}

/** By account; '' is all of them. */
type States = ReadonlyMap<string, GuardMode>

/** @returns stops telling */
export function stateNotices({ guards, panic, tell }: StateNoticePorts): () => void {
  let states = readStates(guards)
  let panicSince = panic.read()?.since
  const stops = [
    guards.watch(() => {
      const before = states
      states = readStates(guards)
      for (const account of new Set([...before.keys(), ...states.keys()])) {
        const notice = changeOf(account, before.get(account), states.get(account))
        if (notice !== undefined) tell(notice)
      }
    }),
    panic.watch(() => {
      const now = panic.read()
      if (now?.since === panicSince) return
      panicSince = now?.since
      if (now === undefined)
        tell({ kind: 'halt', severity: 'info', text: 'panic is off: what asks to run is run again' })
      else tell({ kind: 'halt', severity: 'urgent', text: `panic is on, by ${printable(now.by, 80)}` })
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

function readStates(guards: StateNoticePorts['guards']): States {
  return new Map([['', guards.readAll()], ...guards.list().map((row) => [row.account, row] as const)])
}

function changeOf(account: string, before: GuardMode = {}, now: GuardMode = {}): Notice | undefined {
  const state = now.state ?? 'active'
  if ((before.state ?? 'active') === state) return undefined
  const who = account === '' ? 'every account' : `account ${account}`
  const by = now.by === undefined ? '' : `, by ${printable(now.by, 80)}`
  const about = account === '' ? {} : { account }
  if (state === 'active') return { kind: 'halt', severity: 'info', text: `${who} sends orders again`, ...about }
  const what = state === 'halted' ? 'is halted' : 'takes only orders that reduce a position'
  return { kind: 'halt', severity: 'urgent', text: `${who} ${what}${by}`, ...about }
}
