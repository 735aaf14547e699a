// A shell command as the line one would type at the prompt, so that both are the very same run.

import { CommandError } from '../commands/kit/errors.ts'
import type { Argument } from '../language/chain.ts'
import { printChain } from '../language/print.ts'

export const word = (text: string): Argument => ({ kind: 'word', text, column: 1 })
export const quoted = (text: string): Argument => ({ kind: 'string', text, column: 1 })

/** @throws {CommandError} `not-typable`: a text with both kinds of quotes would end early, and its rest would run */
export function shellLine(name: string, args: readonly Argument[]): string {
  const isMixed = (argument: Argument) =>
    argument.kind !== 'group' && argument.text.includes('"') && argument.text.includes("'")
  if (args.some(isMixed)) {
    throw new CommandError('not-typable', 'one text cannot hold both " and \'', {
      hint: 'use one kind of quotes in it',
    })
  }
  return printChain({ stages: [{ commands: [{ name, args, column: 1 }] }] })
}
