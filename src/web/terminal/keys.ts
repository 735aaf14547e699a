// What xterm.js says was pressed → what it means to the line editor. Bytes as a VT100 and its successors send them.

export type Key =
  | { readonly kind: 'text'; readonly text: string }
  /** Several lines at once, from the clipboard; a single pasted line is text. */
  | { readonly kind: 'paste'; readonly lines: readonly string[] }
  | { readonly kind: EditKey | 'enter' | 'complete' | 'clear-screen' | 'interrupt' }

export type EditKey =
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'home'
  | 'end'
  | 'backspace'
  | 'delete'
  | 'kill-word'
  | 'kill-to-start'
  | 'kill-to-end'
  | 'older'
  | 'newer'

const KEYS: ReadonlyMap<string, Exclude<Key['kind'], 'text' | 'paste'>> = new Map([
  ['\r', 'enter'],
  ['\t', 'complete'],
  ['\x03', 'interrupt'],
  ['\x0c', 'clear-screen'],
  ['\x7f', 'backspace'],
  ['\b', 'backspace'],
  ['\x01', 'home'],
  ['\x05', 'end'],
  ['\x02', 'left'],
  ['\x06', 'right'],
  ['\x10', 'older'],
  ['\x0e', 'newer'],
  ['\x04', 'delete'],
  ['\x0b', 'kill-to-end'],
  ['\x15', 'kill-to-start'],
  ['\x17', 'kill-word'],
  ['\x1b\x7f', 'kill-word'],
  ['\x1b[D', 'left'],
  ['\x1b[C', 'right'],
  ['\x1b[A', 'older'],
  ['\x1b[B', 'newer'],
  ['\x1b[H', 'home'],
  ['\x1b[F', 'end'],
  ['\x1b[1~', 'home'],
  ['\x1b[4~', 'end'],
  ['\x1b[3~', 'delete'],
  ['\x1bb', 'word-left'],
  ['\x1bf', 'word-right'],
  ['\x1b[1;5D', 'word-left'],
  ['\x1b[1;5C', 'word-right'],
  ['\x1b[1;3D', 'word-left'],
  ['\x1b[1;3C', 'word-right'],
])

const PASTE = /^\x1b\[200~([\s\S]*?)(?:\x1b\[201~)?$/

/** @param data one `onData` of xterm.js: a key, or all that was pasted @returns undefined for keys that mean nothing here */
export function readKey(data: string): Key | undefined {
  const known = KEYS.get(data)
  if (known !== undefined) return { kind: known }
  const pasted = PASTE.exec(data)?.[1]
  if (pasted === undefined && /^(\x1b|\p{Cc}$)/u.test(data)) return undefined
  const lines = (pasted ?? data)
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(/\t/g, ' '))
    .filter((line, index) => index === 0 || line.trim() !== '')
  const [first = '', ...more] = lines
  return more.length === 0
    ? { kind: 'text', text: first }
    : { kind: 'paste', lines: lines.filter((line) => line.trim()) }
}
