// Runs a group several times, one after another.
import { LanguageError } from '../../language/language-error.ts'
import type { SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/command-error.ts'
import { interrupted } from '../kit/pause.ts'
import { missing, readInteger, refuseMoreThan } from '../kit/read-arguments.ts'

const MAX_REPEATS = 1000

export const repeat: SingleCommand = {
  name: 'repeat',
  group: 'flow',
  usage: '<times> (<commands>)',
  summary: 'run commands several times, one round after another, 1 to 1000',
  where: 'anywhere',
  underPanic: true,
  examples: [
    { line: 'repeat 3 (buy $10; sleep 1s)', says: 'three small entries, a second apart' },
    { line: 'repeat 2 (price & balance)', says: 'both at once, twice' },
  ],
  async run(context, args) {
    const [times, group] = args
    if (times === undefined) throw missing(args, 'how often')
    const count = readInteger(times, 1, MAX_REPEATS)
    if (group === undefined) throw missing(args, 'the group `( … )`')
    if (group.kind !== 'group') {
      throw new LanguageError(
        'bad-argument',
        'the commands to repeat belong in parentheses',
        group.column,
        'type repeat 3 (price)',
      )
    }
    refuseMoreThan(2, args)
    let failures = 0
    for (let round = 0; round < count; round += 1) {
      if (context.signal.aborted) throw interrupted()
      if (!(await context.runChain(group.chain))) failures += 1
    }
    if (failures > 0) throw new CommandError('rounds-failed', `${failures} of ${count} rounds failed`)
  },
}
