// What `hook` says to programs.
import type { HookLimits, HookPause } from '../../stores/hooks.ts'

export interface HookData {
  readonly id: string
  readonly name: string
  readonly command: string
  readonly account?: string
  readonly createdAt: number
  readonly parallel?: number
  readonly maxAgeMs?: number
  readonly dry?: true
  readonly limits?: HookLimits
  /** What is left of the limits that count. */
  readonly left?: {
    readonly once?: number
    readonly rate?: number
    readonly perDay?: number
    readonly cooldownMs?: number
  }
  /** Absent: it runs. */
  readonly paused?: HookPause
}
