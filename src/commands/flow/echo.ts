// Prints its words. Synchronous unless a word holds a live value: hooks use it as their cheapest body.
import { FOCUS, NO_SYMBOL } from '../../language/focus-taken.ts'
import type { SingleCommand } from '../kit/command.ts'
import { hasLiveNames, joinLiveText, joinText } from '../kit/read-arguments.ts'

export const echo: SingleCommand = {
  name: 'echo',
  group: 'flow',
  usage: '[words…]',
  summary: 'print words, with @variables and $last $bid $ask $entry $pnl filled in',
  where: 'anywhere',
  takesText: true,
  underPanic: true,
  examples: [
    { line: 'echo ok', says: 'prints ok' },
    { line: 'echo last is $last', says: 'prints the last price of the symbol in focus' },
    { line: 'echo "costs $last; really"', says: 'prints a string exactly as it is' },
  ],
  symbolUse: (args) => (hasLiveNames(args) ? FOCUS : NO_SYMBOL),
  run(context, args) {
    if (hasLiveNames(args)) return joinLiveText(context, args).then((text) => context.out.print(text))
    context.out.print(joinText(args))
    return undefined
  },
}
