// The last replay of each hook, as long as the page is open: its own page draws the curve, the chart marks its fills.
import { create } from 'zustand'
import type { Answer } from '../../client/questions.ts'

export type Replayed = Answer<'hooks:replay'>

interface Replays {
  readonly ofHook: Readonly<Record<string, Replayed>>
  /** The id of the hook that the chart is to draw. */
  readonly onChart?: string | undefined
}

export const useReplays = create<Replays>(() => ({ ofHook: {} }))
