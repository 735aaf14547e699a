// Every kind of task there is, by its name. The runtime knows no other.
import { alert } from './alert.ts'
import { chase } from './chase.ts'
import { dca } from './dca.ts'
import { at, every } from './every.ts'
import { grid } from './grid.ts'
import { oco } from './oco.ts'
import type { TaskKind } from './task-kind.ts'
import { trail } from './trail.ts'
import { twap } from './twap.ts'
import { when } from './when.ts'

/** A kind whatever its parameters and its state are: the runtime hands it back what it made itself. */
// biome-ignore lint/suspicious/noExplicitAny: `unknown` would refuse every kind, for its functions take what only it knows.
export type AnyTaskKind = TaskKind<any, any>

export type TaskKinds = ReadonlyMap<string, AnyTaskKind>

const ALL: readonly AnyTaskKind[] = [chase, twap, dca, grid, trail, oco, alert, when, every, at]

export const TASK_KINDS: TaskKinds = new Map(ALL.map((kind) => [kind.name, kind]))
