// Reads an answer from the keys themselves, past readline: so it never reaches the history, the completer, the undo stack or the kill ring,
// nor, where it is hidden, the screen.
import type { EventEmitter } from 'node:events'
import type { Key } from 'node:readline'
import { CommandError } from '../commands/kit/errors.ts'
import { takeKeys } from './key-owner.ts'

export interface HiddenAnswer {
  /** Resolves at Enter. @throws {CommandError} `cancelled` */
  readonly answer: Promise<string>
  cancel(): void
}

/**
 * Takes all keys of `input` until the answer is there, then gives them back to the listeners that had them.
 * @param show draws what is typed so far; default: it is hidden
 */
export function readHiddenAnswer(input: EventEmitter, show?: (typed: string) => void): HiddenAnswer {
  const { promise, resolve, reject } = withResolvers()
  let typed: string[] = []

  const onKey = (text: string | undefined, key: Key) => {
    if (key.name === 'return' || key.name === 'enter') finish(() => resolve(typed.join('')))
    else if (key.ctrl && (key.name === 'c' || (key.name === 'd' && typed.length === 0))) cancel()
    else if (key.name === 'backspace') typed.pop()
    else if (key.ctrl && key.name === 'u') typed = []
    else if (text !== undefined && text >= ' ' && !key.ctrl) typed.push(text)
    else return
    show?.(typed.join(''))
  }
  const giveBack = takeKeys(input, onKey)
  function finish(settle: () => void): void {
    giveBack()
    settle()
  }
  function cancel(): void {
    finish(() => reject(new CommandError('cancelled', 'canceled: nothing was stored')))
  }
  return { answer: promise, cancel }
}

function withResolvers() {
  let resolve: (answer: string) => void = () => {}
  let reject: (error: CommandError) => void = () => {}
  const promise = new Promise<string>((onAnswer, onCancel) => {
    resolve = onAnswer
    reject = onCancel
  })
  return { promise, resolve, reject }
}
