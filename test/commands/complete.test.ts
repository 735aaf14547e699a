import { describe, expect, it } from 'vitest'
import { commands, lookup } from '../../src/commands/catalogue.ts'
import { LIMIT_FLAGS } from '../../src/commands/hooks/hook-limits.ts'
import { candidates, namesOf } from '../../src/commands/kit/resolve.ts'
import { completionTarget } from '../../src/language/completion.ts'

const live = {
  symbols: ['BTCUSDT', 'ETHUSDT'],
  accounts: ['paper', 'second'],
  hooks: [{ id: '3f9c2a713f9c2a713f9c2a713f9c2a71', name: 'dip' }],
  variables: ['size'],
  runs: ['5d0e4b7a'],
  tasks: ['3f9c2a71'],
  aliases: ['z'],
  commands: commands.flatMap(namesOf),
}

/** What Tab offers at the end of `line`, filtered as the prompt does. */
function offered(line: string): readonly string[] {
  const { call, fragment } = completionTarget(line, line.length)
  return candidates(lookup, call, live).filter((candidate) => candidate.startsWith(fragment))
}

describe('completion', () => {
  it.each([
    ['ba', ['balance', 'bal']],
    ['echo ok; z', ['z']],
    ['repeat 2 (ca', ['cancel']],
    ['buy $250 B', ['BTCUSDT']],
    ['buy BTCUSDT,E', ['ETHUSDT']],
    ['buy $250 at $b', ['$bid']],
    ['stop at $', ['$last', '$entry']],
    ['scale ', ['buy', 'sell']],
    ['scale buy $1000 B', ['BTCUSDT']],
    ['scale buy $1000 into ', []],
    ['scale buy $1000 into 5 from $l', ['$last']],
    ['scale buy $1000 into 5 from -1% to -3% s', ['skew', 'sizeskew', 'stop']],
    ['swarm sell 50% into 5 i', ['into', 'irregular']],
    ['move p17 t', ['to']],
    ['move p17 to $b', ['$bid']],
    ['bump B', ['BTCUSDT']],
    ['bump p17 -0.1% --', ['--dry']],
    ['nuke --', ['--everywhere', '--yes']],
    ['close l', ['longs']],
    ['symbol E', ['ETHUSDT']],
    ['symbol ETHUSDT ', []],
    ['hook show d', ['dip']],
    [
      'hook ',
      ['list', 'create', 'show', 'test', 'replay', 'fire', 'logs', 'edit', 'pause', 'resume', 'rotate', 'revoke'],
    ],
    ['hook show 3f', ['3f9c2a713f9c2a713f9c2a713f9c2a71']],
    ['hook revoke --', ['--all']],
    ['hook edit dip --no-coo', ['--no-cooldown']],
    ['hook pause dip ', ['for']],
    ['hook create dip "buy $250" ', ['--account', ...LIMIT_FLAGS]],
    ['runs ', ['list', 'show', 'stop']],
    ['runs stop ', ['--all', 'dip', '5d0e4b7a']],
    ['hook create dip "buy $250" --account p', ['paper']],
    ['account use s', ['second']],
    ['account add new pap', ['paper']],
    ['unset @', ['@size']],
    ['unalias ', ['z']],
    ['help hook c', ['create']],
    ['help buy x', []],
    ['nonsense ', []],
  ])('after `%s` offers %j', (line, names) => {
    expect(offered(line)).toEqual(names)
  })
})
