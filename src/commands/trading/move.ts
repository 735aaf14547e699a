// `move`: a resting order at another price. `amend` changes more of it.
import { parseMove } from '../../language/amend.ts'
import type { SingleCommand } from '../kit/command.ts'
import { amendResting } from './amend.ts'

export const move: SingleCommand = {
  name: 'move',
  group: 'trading',
  usage: '<order id | SYMBOL> [to | at] <price> [replace]',
  summary: 'move a resting order to another price, in its place',
  where: 'anywhere',
  isProtective: true,
  sends: true,
  takesNear: true,
  examples: [
    { line: 'move p17 to 64000', says: 'its price is 64,000 now; of a stop, its trigger' },
    { line: 'move BTCUSDT to $bid', says: 'the only order on BTCUSDT, to the best bid' },
    { line: 'move p17 -0.5%', says: 'half a percent under last; `bump` counts from its own price' },
  ],
  complete: ({ words, symbols }) => {
    if (words.length === 0) return symbols
    return words.length === 1 ? ['to', 'at'] : ['$last', '$bid', '$ask', 'replace']
  },
  check: parseMove,
  run: (context, args) => amendResting(context, parseMove(args)),
}
