// `npm run mutation:code [-- room…]`: switches each decision of a room in turn and asks its tests. Writes docs/measured/mutation-code.json.
// MUTATION_EVERY=10 tries one in ten. `-- src/trading/sizing.ts [test/trading/sizing.test.ts…]` tries one file and writes no score.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { startVitest } from 'vitest/node'

const ROOT = resolve(import.meta.dirname, '../..')
const MEASURED = resolve(ROOT, 'docs/measured/mutation-code.json')

/** The folders of its code and of the tests that are asked. @type {Record<string, readonly [code: readonly string[], tests: readonly string[]]>} */
const ROOMS = {
  guards: [['src/guards'], ['test/guards']],
  trading: [
    ['src/trading', 'src/trading/history'],
    ['test/trading', 'test/trading/history'],
  ],
  tasks: [['src/tasks'], ['test/tasks']],
  protocol: [['src/protocol'], ['test/protocol']],
}

/** @typedef {{ readonly room: string, readonly killed: number, readonly of: number, readonly unreached: number, readonly survivors: readonly string[] }} RoomScore */

const paths = process.argv.slice(2).filter((each) => each.includes('/'))
const asked = process.argv.slice(2).filter((each) => !each.includes('/'))
const every = process.env.MUTATION_EVERY ?? '1'
/** @type {Record<string, object>} */
const rooms = existsSync(MEASURED) ? JSON.parse(readFileSync(MEASURED, 'utf8')).rooms : {}

for (const [room, [code, tests]] of Object.entries(ROOMS)) {
  const ofRoom = code.flatMap((folder) =>
    readdirSync(resolve(ROOT, folder))
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${folder}/${file}`),
  )
  const only = ofRoom.filter((file) => paths.includes(file))
  if (paths.length > 0 ? only.length === 0 : asked.length > 0 && !asked.includes(room)) continue
  const files = paths.length > 0 ? only : ofRoom
  const onlyTests = paths.filter((path) => path.startsWith('test/'))
  Object.assign(process.env, {
    MUTATION_ROOM: room,
    MUTATION_TESTS: (onlyTests.length > 0 ? onlyTests : tests).join(','),
    MUTATION_FILES: files.join(','),
    MUTATION_EVERY: every,
  })
  /** @type {RoomScore | undefined} */
  let score
  const vitest = await startVitest('test', [], {
    config: 'quality/mutation/code.config.ts',
    root: ROOT,
    watch: false,
    reporters: [
      {
        onTestCaseResult(testCase) {
          score = /** @type {{ readonly room?: RoomScore }} */ (/** @type {unknown} */ (testCase.meta())).room ?? score
        },
      },
    ],
  })
  await vitest.close()
  if (score === undefined) throw new Error(`the run of ${room} gave no score`)
  process.stdout.write(`${room}: ${score.killed} of ${score.of}\n`)
  if (paths.length > 0) continue
  const { room: _, ...counts } = score
  rooms[room] = { at: new Date().toISOString(), every: Number(every), ...counts }
  writeFileSync(MEASURED, `${JSON.stringify({ rooms }, null, 2)}\n`)
}
