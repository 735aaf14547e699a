// Each cause that keeps a fire from trading, set up as a person or a run would, and what the doctor says of it. In order: what fails, and nothing else.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { type RunningApp, startApp } from '../../harness/process/running-app.ts'
import { gather } from '../../src/app/doctor/facts.ts'
import { judge } from '../../src/app/doctor/judge.ts'
import { tryHooks } from '../../src/app/doctor/tries.ts'

const BUY = 'hook create dip "buy $100 BTCUSDT"'

type Stage = (app: RunningApp) => Promise<void>

const type =
  (...lines: readonly string[]): Stage =>
  async ({ app }) => {
    for (const command of lines) {
      const result = await app.runner.run({ runId: crypto.randomUUID(), source: 'repl', command })
      expect({ command, ...result }).toMatchObject({ success: true })
    }
  }

/** So many fires of the hook, each to its end. */
const fires =
  (count: number): Stage =>
  async (app) => {
    const [hook] = app.app.ports.hooks.list()
    if (hook === undefined) throw new Error('there is no hook')
    for (let fire = 0; fire < count; fire += 1) {
      const before = app.done.length
      app.fire(hook)
      await app.runsDone(before + 1)
    }
  }

/** It is written down after the run. */
const isPaused: Stage = ({ app }) => vi.waitUntil(() => app.ports.hooks.list()[0]?.paused !== undefined).then(() => {})

const config =
  (listener: object): Stage =>
  async ({ writeConfig }) =>
    writeConfig({ listener })

/** Opens in ten hours, for one minute. */
function shutWindow(): string {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16).replace(':', '')
  return `${at(36_000_000)}-${at(36_060_000)}`
}

const CAUSES: readonly (readonly [cause: string, stages: readonly Stage[], fails: readonly RegExp[]])[] = [
  ['nothing', [type(BUY)], []],
  ['a hook that is paused', [type(BUY, 'hook pause dip "big news"')], [/^hook dip: .*paused \(big news\)$/]],
  [
    'five failures',
    [type('hook create dip "buy $100 NOSUCHUSDT"'), fires(5), isPaused],
    [/^hook dip: .*paused \(its last 5 runs failed/],
  ],
  [
    '`--once` used up',
    [type('hook create dip "buy $100 BTCUSDT" --once'), fires(1), isPaused],
    [/^hook dip: .*paused \(its one run is used up/],
  ],
  ['a window that is shut', [type(`${BUY} --window ${shutWindow()}`)], [/^hook dip: .*outside \d{4}-\d{4}/]],
  ['a limit of a day', [type(`${BUY} --per-day 1`), fires(1)], [/^hook dip: .*1 a day/]],
  ['a position that it must not have', [type(`${BUY} --only-if long`)], [/^hook dip: .*BTCUSDT is flat/]],
  ['a hook that is dry', [type(`${BUY} --dry`)], [/^hook dip: the hook is dry/]],
  ['an order limit below the order', [type(BUY, 'guards set paper order $50')], [/^hook dip: .*\$50/]],
  [
    'a limit of a day below the order',
    [type(BUY, 'guards set paper day $120', 'buy $100 ETHUSDT')],
    [/^hook dip: .*\$120/],
  ],
  [
    'a rate of the account that is reached',
    [type(BUY, 'guards set paper rate 1', 'buy $100 ETHUSDT')],
    [/^hook dip: /],
  ],
  ['`--max` below the order', [type(`${BUY} --max $50`)], [/^hook dip: .*\$50/]],
  [
    'an alias that is gone',
    [type('alias half "buy $50 BTCUSDT"', 'hook create dip "half"', 'unalias half')],
    [/^hook dip: .*half/],
  ],
  [
    'a variable that is gone',
    [type('set @size $50', 'hook create dip "buy @size BTCUSDT"', 'unset @size')],
    [/^hook dip: no variable `@size` found/],
  ],
  ['a symbol that is not there', [type('hook create dip "buy $100 NOSUCHUSDT"')], [/^hook dip: .*NOSUCHUSDT/]],
  ['no free money', [type('hook create dip "buy $900000 BTCUSDT"')], [/^hook dip: /]],
  [
    'an account that is gone',
    [type('account add swing paper', `${BUY} --account swing`, 'account remove swing')],
    [/^hooks: hook dip trades on account swing/],
  ],
  ['sim on', [type(BUY, 'sim on')], [/^account paper: /]],
  ['panic', [type(BUY, 'panic')], [/^panic: /]],
  ['a halt', [type(BUY, 'halt')], [/^account paper: halted/]],
  ['a halt that lets reduce', [type(BUY, 'halt --reducing')], [/^account paper: /]],
  ['remoteExec off', [type(BUY), config({ remoteExec: false })], [/^switches: .*remoteExec/]],
  ['a listener that is off', [type(BUY), config({ enabled: false })], [/^switches: .*enabled/]],
  [
    'a broken config.json',
    [type(BUY), async ({ directory }) => writeFileSync(join(directory, 'config.json'), '{')],
    [/^files: .*config\.json/, /^switches: .*enabled/, /^switches: .*remoteExec/],
  ],
]

it.each(CAUSES)('the doctor names %s', async (_, stages, expected) => {
  const app = await startApp({ listen: 'none' })
  for (const stage of stages) await stage(app)
  await app.app.stop(0)
  const env = { HOOKLINE_CONFIG_DIR: app.directory }
  const facts = await gather({
    env,
    directory: app.directory,
    ask: async () => undefined,
    service: async () => undefined,
    fires: (withVenues) => tryHooks(env, withVenues),
  })
  const fails = judge(facts).filter(({ verdict, check }) => verdict === 'fails' && check !== 'port')
  expect(fails.map(({ check, what }) => `${check}: ${what}`)).toEqual(
    expected.map((text) => expect.stringMatching(text)),
  )
  expect(fails.filter(({ next }) => next === undefined || next === '')).toEqual([])
})
