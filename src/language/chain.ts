// What a typed line means: stages run one after another (`;`), the commands of one stage start together (`&`).

/** An unquoted word. `@x` and `$last` are replaced in words when the command starts, never in strings. */
export interface Word {
  readonly kind: 'word'
  readonly text: string
  /** 1-based column of the first character. */
  readonly column: number
  /** For `key="a value"`, whose text is `key=a value`: where in `text` the quoted part begins. Nothing is replaced from there on. */
  readonly quotedFrom?: number
}

/** Text between `"…"` or `'…'`, without the quotes. There is no escape: a string holds at most one of the two quotes. */
export interface QuotedString {
  readonly kind: 'string'
  readonly text: string
  readonly column: number
}

/** `( … )`: a chain inside a command, as in `repeat 3 (buy $10; sleep 1s)`. */
export interface Group {
  readonly kind: 'group'
  readonly chain: Chain
  readonly column: number
}

export type Argument = Word | QuotedString | Group

/** One verb with its arguments. */
export interface CommandCall {
  /** The verb as typed; the catalogue resolves case and aliases. */
  readonly name: string
  readonly args: readonly Argument[]
  readonly column: number
}

/** Commands joined by `&`: they start together, and the stage ends when all have ended. */
export interface Stage {
  readonly commands: readonly CommandCall[]
}

/** Stages joined by `;`. `a & b ; c` is two stages, `[a b]` and `[c]` (behaviour 29). Empty for a blank line. */
export interface Chain {
  readonly stages: readonly Stage[]
}
