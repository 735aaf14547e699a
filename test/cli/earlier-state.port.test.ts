// An upgrade from 0.1.0: a directory that its own code has made (harness/files/state-0.1.0, by scripts/release/record-state.mjs), under today's
// program. Every file is read, nothing is lost, and what 0.1.0 wrote is kept beside what was migrated.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { exec, post, RunningHookline, run } from '../../harness/process/hookline.ts'

const RECORDED = resolve(import.meta.dirname, '../../harness/files/state-0.1.0/state')
const recorded = (name: string) => readFileSync(join(RECORDED, name), 'utf8')
const rows = (name: string, field: string) => JSON.parse(recorded(name))[field]

function copyOf(): string {
  const directory = join(tempDirectory(), '.hookline')
  mkdirSync(directory, { mode: 0o700 })
  for (const name of readdirSync(RECORDED)) writeFileSync(join(directory, name), recorded(name), { mode: 0o600 })
  return directory
}

interface Hook {
  readonly name: string
  readonly id: string
  readonly secret: string
}

it('reads every file of 0.1.0 and loses nothing: hooks, accounts, clients, copiers, orders, fills, runs, names', async () => {
  const directory = copyOf()
  const listener = await RunningHookline.listening(directory)
  await listener.prints('1 run was interrupted when hookline stopped; nothing was started again')
  expect(listener.stdout).toContain('[exec] echo begun; sleep 1m (account paper)')

  const looks = [
    'status',
    'runs list',
    'hook list',
    'account list',
    'alias',
    'set',
    'cross-trade list',
    'positions',
    'orders',
    'fills',
  ]
  const { stdout: seen } = await run(directory, [], { input: looks.join('\n') })
  const hooks: readonly Hook[] = rows('hooks.json', 'hooks')
  expect(hooks.map(({ name }) => name)).toEqual(['dip', 'flat', 'from-a-page'])
  const ids = [...new Set(recorded('runs.jsonl').match(/(?<="runId":")[0-9a-f]{8}/g))]
  expect(ids.length).toBeGreaterThan(7)
  const wanted = [
    /files +all readable/,
    ...ids.map((id) => new RegExp(`^${id} `, 'm')),
    ...hooks.map(({ id, name }) => new RegExp(`^${id} +${name} `, 'm')),
    /^\* +paper +paper/m,
    /^ +practice +paper/m,
    /^held +positions$/m,
    /^@size +5$/m,
    /^c0a8a6b0 +paper +BTCUSDT +1 +practice × 0\.5 Market +off$/m,
    /^BTCUSDT +long +0\.00/m,
    /^ETHUSDT +short +0\.01/m,
    /^p\d+ +BTCUSDT +buy +limit/m,
    /^p\d+ +BTCUSDT +sell +stop .*reduce/m,
  ]
  expect(wanted.filter((line) => !line.test(seen)).map(String)).toEqual([])
  expect(seen.match(/^20\d\d-.*(BTC|ETH)USDT +(buy|sell) +0\.0/gm)).toHaveLength(3)
  expect((await run(directory, ['clients'])).stdout).toContain(rows('trusted-clients.json', 'clients')[0].clientId)

  const echo = hooks.find(({ name }) => name === 'from-a-page')
  expect((await post(`http://127.0.0.1:53219/hook/${echo?.id}`, echo?.secret ?? '')).status).toBe(200)
  await listener.prints('[hook:from-a-page] fired')
  expect(await exec(directory, 'buy 0.001 BTCUSDT')).toContain('bought')
  // What 0.1.0 can read stays beside what it cannot.
  expect(readFileSync(join(directory, 'paper-paper.json.v1'), 'utf8')).toBe(recorded('paper-paper.json'))
})
