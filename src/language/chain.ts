// What a typed line means (behaviour 29). `&&` and `||` bind tightest and are read from the left, then `&`, then `;`, as in a shell:
// `a || b & c; d` starts `a || b` and `c` together, and d when both have succeeded.

/** An unquoted word. `@x` and `$last` are replaced in words when the command starts, never in strings. */
export interface Word {
  readonly kind: 'word'
  readonly text: string
  /** 1-based column of the first character. */
  readonly column: number
  /** For `key="a value"`, whose text is `key=a value`: where in `text` the quoted part begins. Nothing is replaced from there on. */
  readonly quotedFrom?: number
  /** In the body of a hook: what an alert fills in here. The text is the slot's own until then. */
  readonly slot?: AlertSlot
}

/** Text between `"…"` or `'…'`, without the quotes. There is no escape: a string holds at most one of the two quotes. */
interface QuotedString {
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

/** One more command of a step. */
export interface Link {
  /** `&&`: it runs when the step has succeeded so far; `||`: when it has failed. */
  readonly operator: '&&' | '||'
  readonly call: CommandCall
}

/** A command, and what is joined to it by `&&` and `||`, read from the left: `a && b || c` runs c when a or b failed. */
export interface Step extends CommandCall {
  /** Absent where there are none. */
  readonly links?: readonly Link[]
}

/** Steps joined by `&`: they start together, and the stage ends when all have ended. It succeeds when all of them do. */
export interface Stage {
  readonly commands: readonly Step[]
}

/** Stages joined by `;`; each starts when the one before has succeeded. `a & b ; c` is two stages. Empty for a blank line. */
export interface Chain {
  readonly stages: readonly Stage[]
  /** Of a hook's body alone. */
  readonly stamps?: AlertStamps
}

/** The fields of an alert that hold its own key and time: declared after `--` at the end of a hook's body, part of no command. */
export interface AlertStamps {
  readonly key?: AlertStamp
  readonly time?: AlertStamp & { readonly maxAgeMs: number }
}

interface AlertStamp {
  /** The field of the alert. */
  readonly name: string
  /** As typed. */
  readonly text: string
}

/** What a number may be. */
export interface SlotBounds {
  /** At least; decimals. */
  readonly min?: string
  /** At most. */
  readonly max?: string
}

/** A place in the body of a hook that an alert fills (behaviour 44). */
export type AlertSlot = {
  /** The key under which an alert has its value. */
  readonly name: string
  /** As typed. */
  readonly text: string
} & (
  | ({ readonly type: 'usd'; readonly max: string } & SlotBounds)
  | ({ readonly type: 'number' } & SlotBounds)
  | { readonly type: 'side' | 'target' | 'symbol'; readonly choices: readonly string[] }
)
