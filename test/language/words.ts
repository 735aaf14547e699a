// The arguments of a command as typed, so that tables can be written as lines.
import type { Argument, Word } from '../../src/language/chain.ts'
import { parseChain } from '../../src/language/parse.ts'

/** The arguments of `line`, whose columns count from the start of the line. A leading name is not needed. */
export function argumentsOf(line: string): readonly Argument[] {
  const name = 'x '
  const args = parseChain(name + line).stages[0]?.commands[0]?.args ?? []
  return args.map((argument) => ({ ...argument, column: argument.column - name.length }))
}

export function wordsOf(line: string): readonly Word[] {
  return argumentsOf(line).filter((argument) => argument.kind === 'word')
}
