// A pause inside a chain, at most ten minutes.
import type { Argument } from '../../language/chain.ts'
import { MAX_SLEEP_MS, parseDuration } from '../../language/time.ts'
import type { SingleCommand } from '../kit/command.ts'
import { missing, readText, refuseMoreThan } from '../kit/read-arguments.ts'
import { pause } from '../kit/running.ts'

export const sleep: SingleCommand = {
  name: 'sleep',
  group: 'flow',
  usage: '<duration>',
  summary: 'wait a while before the next step: 250ms, 5s, 2m, at most 10m',
  where: 'anywhere',
  underPanic: true,
  examples: [
    { line: 'sleep 5s; echo done', says: 'prints done after five seconds' },
    { line: 'sleep 250ms', says: 'a quarter of a second' },
    { line: 'sleep 5', says: 'a bare number counts seconds' },
  ],
  check: durationOf,
  run: (context, args) => pause(context, durationOf(args)),
}

function durationOf(args: readonly Argument[]): number {
  const [duration] = args
  if (duration === undefined) throw missing(args, 'the duration')
  refuseMoreThan(1, args)
  return parseDuration(readText(duration), duration.column, { maxMs: MAX_SLEEP_MS })
}
