// Frames that a client sends between its `hello` and its `welcome`: they wait, in order, and are taken up once it is welcomed (behaviour 12).
import { WIRE_LIMITS } from '../../protocol/frames.ts'

/** `E`: what is taken up later. */
export interface EarlyFrames<E> {
  readonly events: readonly E[]
  /** Of their texts. */
  readonly bytes: number
}

export const NO_EARLY_FRAMES: EarlyFrames<never> = { events: [], bytes: 0 }

/** @returns undefined when there would be too many of them, or too much */
export function keepEarly<E extends { readonly bytes: number }>(
  early: EarlyFrames<E>,
  event: E,
): EarlyFrames<E> | undefined {
  const events = [...early.events, event]
  const bytes = early.bytes + event.bytes
  return events.length > WIRE_LIMITS.earlyFrames || bytes > WIRE_LIMITS.firstFrameBytes ? undefined : { events, bytes }
}
