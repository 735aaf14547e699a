import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../../harness/commands/command-session.ts'
import { runsOf } from '../../../harness/tiers/runs.ts'

function filesOf({ directory }: CommandSession): Record<string, string> {
  return Object.fromEntries(
    readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => [name, readFileSync(join(directory, name), 'utf8')]),
  )
}

describe('a preview of anything', () => {
  const words = fc.constantFrom(
    ...[
      'buy',
      'sell',
      'close',
      'cancel',
      'all',
      '$250',
      '0.01',
      '50%',
      'at',
      '-1%',
      'stop',
      'tp',
      'po',
      'nuke',
      '--yes',
      'halt',
    ],
    ...[
      ';',
      '||',
      '&',
      '(',
      ')',
      'repeat',
      '2',
      'set',
      '@x',
      'leverage',
      '5',
      'chase',
      'trail',
      '1%',
      'hook',
      'rotate',
      'revoke',
    ],
    ...[
      '--all',
      'sim',
      'on',
      'off',
      'reset',
      'paper',
      'account',
      'tasks',
      'bump',
      '+1',
      'move',
      'p1',
      'to',
      'x',
      'alias',
      '"z"',
    ],
  )

  it('changes no file and no order, whatever the line is', async () => {
    const session = await createSession()
    await session.run(
      'buy 0.01 stop -2%; buy 0.1 ETHUSDT at -1%; set @x 0.002; hook create dip "buy $50"; alias z "close"; guards set paper day $50000',
    )
    const state = async () => {
      const { exchange } = session.market
      const [orders, positions] = await Promise.all([exchange.fetchOpenOrders(), exchange.fetchPositions()])
      return {
        files: filesOf(session),
        journal: session.journal.length,
        orders,
        positions,
        tasks: session.tasks.list(),
      }
    }
    const before = await state()
    await fc.assert(
      fc.asyncProperty(
        fc.array(words, { maxLength: 8 }),
        fc.constantFrom('repl', 'web', 'hook'),
        async (line, source) => {
          await session.ports.preview({ command: line.join(' '), source })
          expect(await state()).toEqual(before)
        },
      ),
      { numRuns: runsOf(150) },
    )
  })
})
