// Who may turn on (behaviours 19 and 24): what a person turned off, what is interrupted, and what holds orders up go on only by the terminal. Every
// command that a hook or a page may type has a stance here; a new one needs its own.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import { commands } from '../../src/commands/catalogue.ts'
import { mayRun } from '../../src/commands/kit/command.ts'
import { withRows } from './cross-trade-stages.ts'
import { TASK_STAGE } from './task-stages.ts'

/**
 * `trades`: begins something of its own, under the authorities of its run. `looks`: changes nothing that is kept. `stops`: ends, lowers or takes
 * back. `own`: names of its own. Lines: what of it widens, each refused.
 */
type Stance = 'trades' | 'looks' | 'stops' | 'own' | readonly string[]

const STANCES: Readonly<Record<string, Stance>> = {
  ...of(
    'trades',
    'buy',
    'sell',
    'scale',
    'swarm',
    'stop',
    'take',
    'position',
    'flip',
    'amend',
    'chase',
    'twap',
    'dca',
    'grid',
    'trail',
    'oco',
  ),
  ...of('trades', 'move', 'bump', 'leverage', 'margin', 'repeat', 'hook fire'),
  ...of('stops', 'close', 'cancel', 'nuke', 'kill', 'tasks cancel', 'tasks pause', 'runs stop', 'panic'),
  ...of('stops', 'cross-trade disable', 'cross-trade stop', 'switch off', 'hook rotate', 'hook revoke'),
  ...of(
    'looks',
    'markets',
    'price',
    'book',
    'balance',
    'positions',
    'orders',
    'fills',
    'trades',
    'pnl',
    'session',
    'export',
    'account list',
  ),
  ...of(
    'looks',
    'exchanges',
    'sleep',
    'wait',
    'echo',
    'notify',
    'alert',
    'tasks list',
    'tasks show',
    'hook list',
    'hook show',
  ),
  ...of('looks', 'hook test', 'hook logs', 'cross-trade list', 'cross-trade show', 'cross-trade status', 'listener'),
  ...of('looks', 'switch list', 'status', 'help', 'runs list', 'runs show', 'guards list'),
  ...of('own', 'set', 'unset'),
  note: ['note p1 --clear'],
  // A new hook fires by its token, which only the terminal shows.
  'hook create': ['hook create dip "buy $9"'],
  'hook edit': [
    'hook edit dip "buy $9"',
    'hook edit dip --no-cooldown',
    'hook edit dip --max $9',
    'hook edit dip --parallel 30',
  ],
  'hook pause': ['hook pause dip for 1s', 'hook resume dip'],
  halt: ['halt --reducing'],
  symbol: ['symbol ETHUSDT'],
  alias: ['alias dip "buy $9"', 'alias --remove z'],
}

/** What only the terminal may do, by what it would widen. */
const TERMINAL_ONLY = [
  'tasks resume --all',
  'tasks resume 3f9c2a71',
  'cross-trade enable 3f9c2a71',
  'resume',
  'sim off',
  'hook resume dip',
  'cross-trade add --master paper --copier scalp --enabled',
  'cross-trade copier add 3f9c2a71 scalp --weight 5',
  'cross-trade resync 3f9c2a71 --yes',
  'cross-trade start',
  'cross-trade remove 3f9c2a71',
  'switch on remoteExec',
  'guards set paper order $9000',
  'guards set paper order off',
  'account add evil paper',
  'account remove swing --yes',
  'account use swing',
  'account reset',
  'vault unlock',
  'clients revoke --all',
  'unalias z',
]

function of(stance: Stance, ...names: readonly string[]): Readonly<Record<string, Stance>> {
  return Object.fromEntries(names.map((name) => [name, stance]))
}

const FORMS = commands.flatMap((command) =>
  'forms' in command
    ? command.forms.map((form) => ({ path: `${command.name} ${form.name}`, form }))
    : [{ path: command.name, form: command }],
)
const reachable = FORMS.filter(({ form }) => mayRun(form.where, 'hook') || mayRun(form.where, 'web'))

async function stage(): Promise<CommandSession> {
  const session = await createSession(TASK_STAGE.options)
  await TASK_STAGE.prepare(session)
  await withRows(session, { enabled: false })
  for (const line of ['hook create dip "echo ok" --cooldown 5s --max $5', 'hook pause dip', 'alias z "cancel"']) {
    await session.run(line)
  }
  await session.run('tasks pause --all')
  await session.run('halt')
  return session
}

/** All that is kept, but for what says who did what. */
function kept({ directory }: CommandSession): Readonly<Record<string, string>> {
  const files = readdirSync(directory).filter((name) => name.endsWith('.json') && name !== 'audit-head.json')
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(directory, name), 'utf8')]))
}

describe('commands that a hook or a page may type', () => {
  it('have a stance each', () => {
    expect(reachable.map(({ path }) => path).sort()).toEqual(Object.keys(STANCES).sort())
  })

  it.each(['hook', 'web'] as const)('from a %s change nothing that is kept where they look', async (source) => {
    const session = await stage()
    const before = kept(session)
    const slow = ['sleep', 'wait', 'notify']
    for (const { path, form } of reachable.filter(({ path }) => STANCES[path] === 'looks' && !slow.includes(path))) {
      for (const { line } of form.examples) await session.run(line, { source })
      expect({ path, ...kept(session) }).toEqual({ path, ...before })
    }
  })
})

/** While accountSync is off; what they show is said nowhere else to a page. */
const SHOW_ACCOUNTS = [
  'balance',
  'positions',
  'orders',
  'fills',
  'trades',
  'pnl',
  'session',
  'note',
  'export',
  'guards list',
]

describe('while accountSync is off', () => {
  it('commands that show accounts are these, and each that looks has been asked about', () => {
    expect(reachable.filter(({ form }) => form.showsAccounts === true).map(({ path }) => path)).toEqual(SHOW_ACCOUNTS)
  })

  it.each([...SHOW_ACCOUNTS, 'orders --all', 'pnl --by account', 'export --tax 2026'])(
    '`%s` shows nothing to a page or hook',
    async (line) => {
      const session = await createSession()
      await session.run('buy 0.01; buy 0.01 at -5%')
      await session.run('switch off accountSync')
      const shown = await session.run(line)
      expect(shown.join('\n')).not.toContain('accountSync')
      expect(await session.run(line, { source: 'web' })).toEqual([
        expect.stringMatching(/^error disabled: accountSync disabled \| /),
      ])
      expect(await session.run(`${line}; echo next`, { source: 'hook' })).toEqual([
        'info accountSync is off: not shown',
        'print next',
      ])
    },
  )
})

const widening = [
  ...TERMINAL_ONLY,
  ...Object.values(STANCES).flatMap((stance) => (Array.isArray(stance) ? stance : [])),
]

describe.each(['hook', 'web'] as const)('by a %s', (source) => {
  it.each(widening.filter((line) => !line.startsWith('hook create')))('`%s` widens nothing', async (line) => {
    const session = await stage()
    const before = kept(session)
    const said = await session.run(line, { source })
    expect(said.join('\n')).toMatch(/not-allowed-here|is halted|is paused/)
    expect(kept(session)).toEqual(before)
  })
})

describe('the terminal', () => {
  it('resumes what was paused', async () => {
    const session = await stage()
    await session.run('resume')
    expect(await session.run('tasks resume --all')).toEqual([expect.stringContaining('3f9c2a71 is running')])
  })
})
