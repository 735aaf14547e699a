// Two faults of node:readline (seen in Node 20) that a trading line cannot live with. Text pasted into the middle of a line is
// scattered, because all but its last character are added at the end of the line; and the row of the cursor is forgotten
// while text is pasted, so that the next redraw leaves a copy of the line behind. Both repairs touch undocumented members,
// and do nothing where those are gone.
import type { Interface, Key } from 'node:readline'

interface Internals {
  /** False for all but the last key of one chunk of input, which is how readline knows a paste. */
  isCompletionEnabled?: boolean
  /** Rows between the prompt's first row and the cursor, as of the last redraw. */
  prevRows?: number
}

/** Public to read; without the key events that writing them through `write` would make. */
interface EditedLine {
  line: string
  cursor: number
}

interface KeySource {
  prependListener(event: 'keypress', listener: (text: string | undefined, key: Key) => void): unknown
  on(event: 'keypress', listener: () => void): unknown
  off(event: 'keypress', listener: (text: string | undefined, key: Key) => void): unknown
}

/** Call right after `createInterface`, so that the second listener comes after readline's own. */
export function repairReadline(rl: Interface, input: KeySource): void {
  const internals = rl as Interface & Internals
  let pasting = false
  const beforeKey = (_text: string | undefined, key: Key) => {
    pasting = internals.isCompletionEnabled === false
    if (!pasting) return
    internals.isCompletionEnabled = true
    // A tab in a paste is text and completes nothing.
    if (key.name === 'tab') key.name = 'space'
  }
  const afterKey = () => {
    if (pasting) internals.isCompletionEnabled = false
    internals.prevRows = rl.getCursorPos().rows
  }
  input.prependListener('keypress', beforeKey)
  input.on('keypress', afterKey)
  rl.once('close', () => {
    input.off('keypress', beforeKey)
    input.off('keypress', afterKey)
  })
}

/** Tells readline that the cursor is at the left of a free row, where the next `prompt(true)` begins. */
export function startAtThisRow(rl: Interface): void {
  ;(rl as Interface & Internals).prevRows = 0
}

/** Makes `line` the line being edited, without undo and without drawing it. */
export function replaceLine(rl: Interface, line: string, cursor = line.length): void {
  const edited = rl as unknown as EditedLine
  edited.line = line
  edited.cursor = cursor
}
