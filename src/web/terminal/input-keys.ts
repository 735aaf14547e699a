// Keys of the terminal's field that mean more than the browser's own editing.

export type InputAction =
  | 'enter'
  | 'older'
  | 'newer'
  | 'complete'
  | 'take-ghost'
  | 'search'
  | 'clear'
  | 'delete-to-start'
  | 'drop'

const PLAIN: Readonly<Record<string, InputAction>> = {
  Enter: 'enter',
  ArrowUp: 'older',
  ArrowDown: 'newer',
  Tab: 'complete',
  ArrowRight: 'take-ghost',
}

const WITH_CONTROL: Readonly<Record<string, InputAction>> = {
  r: 'search',
  l: 'clear',
  u: 'delete-to-start',
  p: 'older',
  n: 'newer',
  c: 'drop',
}

export type InputKey = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'metaKey' | 'shiftKey'>

/** @returns undefined: the browser's own */
export function inputAction({ key, ctrlKey, altKey, metaKey, shiftKey }: InputKey): InputAction | undefined {
  if (altKey || metaKey || (shiftKey && key === 'Tab')) return undefined
  return ctrlKey ? WITH_CONTROL[key.toLowerCase()] : PLAIN[key]
}
