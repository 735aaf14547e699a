// A hook whose condition one process judges while another answers its POSTs: what holds for its fires holds for those of both.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import type { FireEnd, FireOrder } from '../../harness/process/firing-program.ts'
import { exec, run } from '../../harness/process/hookline.ts'
import { runsOf } from '../../harness/tiers/runs.ts'

const ROUNDS = runsOf(20, 6)
/** Until the order to fire has been read by both. */
const SOON_MS = 30

/** Where it finds the packages. */
const program = resolve('node_modules/.cache/hookline-tests/firing-program.mjs')

beforeAll(async () => {
  await build({
    entryPoints: ['harness/process/firing-program.ts'],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    packages: 'external',
    logLevel: 'error',
  })
})

async function startTwo(directory: string) {
  const children = [1, 2].map(() => fork(program, { env: { ...process.env, HOOKLINE_CONFIG_DIR: directory } }))
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  await Promise.all(children.map(answerOf))
  return async (hook = 'dip'): Promise<readonly FireEnd[]> => {
    const ended = children.map(answerOf)
    const order: FireOrder = { hook, at: Date.now() + SOON_MS }
    for (const child of children) child.send(order)
    return Promise.all(ended)
  }
}

async function answerOf(child: ChildProcess): Promise<FireEnd> {
  const [end] = await once(child, 'message')
  return end as FireEnd
}

async function createHook(limit: readonly string[]): Promise<string> {
  const directory = tempDirectory()
  const { stderr, code } = await run(directory, [
    'hook',
    'create',
    'dip',
    'buy 0.001 BTCUSDT',
    '--when',
    'last > 1',
    ...limit,
  ])
  expect(code, stderr).toBe(0)
  return directory
}

it('runs --only-if flat in one of them, and the next fire in neither', async () => {
  const directory = await createHook(['--only-if', 'flat'])
  const fire = await startTwo(directory)
  for (let round = 0; round < ROUNDS; round += 1) {
    const ends = await fire()
    expect(
      ends.filter(({ success }) => success),
      `round ${round}`,
    ).toHaveLength(1)
    const [skipped] = ends.filter(({ success }) => !success)
    expect(skipped?.error).toMatch(
      /^skipped: (another hookline runs it, pid \d+|BTCUSDT is long, and it runs only if flat)$/,
    )
    expect((await fire()).map(({ success }) => success)).toEqual([false, false])
    await exec(directory, 'close BTCUSDT')
  }
})

it.each([
  ['--once', ''],
  ['--cooldown', '1h'],
  ['--rate', '1/1h'],
  ['--per-day', '1'],
])('runs at most once under %s %s', async (...limit) => {
  const directory = await createHook(limit.filter(Boolean))
  await run(directory, ['hook', 'create', 'other', 'echo ok', '--when', 'last > 1', '--per-day', '9'])
  const fire = await startTwo(directory)
  // Both have counted what is in the journal, and must hear of what the other adds.
  await fire('other')
  const ends = [...(await fire()), ...(await fire())]
  expect(ends.filter(({ success }) => success).length).toBeLessThanOrEqual(1)
  for (const { error } of ends.filter(({ success }) => !success)) expect(error).toMatch(/^skipped: /)
})
