// Who gets the keys: readline, or for a while something that reads them past it.
import type { EventEmitter } from 'node:events'
import type { Key } from 'node:readline'

type KeyListener = (text: string | undefined, key: Key) => void

/** Takes all keys of `input` from the listeners that had them. @returns gives them back */
export function takeKeys(input: EventEmitter, onKey: KeyListener): () => void {
  const owners = input.listeners('keypress') as KeyListener[]
  input.removeAllListeners('keypress')
  input.on('keypress', onKey)
  return () => {
    input.off('keypress', onKey)
    for (const owner of owners) input.on('keypress', owner)
  }
}
