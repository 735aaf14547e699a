import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { commands, findCommand, lookup, resolveForm } from '../../src/commands/catalogue.ts'
import { type CommandForm, mayRun, requireMayRun } from '../../src/commands/kit/command.ts'
import { isFamily, namesOf } from '../../src/commands/kit/resolve.ts'
import type { CommandCall } from '../../src/language/chain.ts'
import { callsIn } from '../../src/language/expansion.ts'
import { parseChain } from '../../src/language/parse.ts'
import type { Source } from '../../src/runs/run.ts'
import { mayRunUnderPanic } from '../../src/runtime/execute-chain.ts'
import { fitLines } from '../../src/terminal/fit.ts'

interface Listed {
  readonly path: string
  readonly form: CommandForm
}

const forms: readonly Listed[] = commands.flatMap((command): Listed[] =>
  isFamily(command)
    ? command.forms.map((form) => ({ path: `${command.name} ${form.name}`, form }))
    : [{ path: command.name, form: command }],
)

const examples = forms.flatMap(({ path, form }) => form.examples.map((example) => ({ path, line: example.line })))

function callOf(line: string): CommandCall {
  const call = parseChain(line).stages[0]?.commands[0]
  if (call === undefined) throw new Error(`no command in ${line}`)
  return call
}

function caughtHint(act: () => unknown): string | undefined {
  try {
    act()
  } catch (error) {
    return (error as { readonly hint?: string }).hint
  }
  throw new Error('nothing was refused')
}

describe('catalogue', () => {
  it('gives every name to one command only', () => {
    const names = commands.flatMap(namesOf)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it.each(['web', 'console', 'browser'])('has the console as a topic of help: %s', async (name) => {
    const { run } = await createSession()
    expect((await run(`help ${name}`)).join('\n')).toMatch(/^print The console is at .*`hookline web --open`/s)
  })

  it('finds commands by name and alias in any case', () => {
    expect(findCommand('buy')?.name).toBe('buy')
    expect(findCommand('B')?.name).toBe('buy')
    expect(findCommand('HOOKS')?.name).toBe('hook')
    expect(findCommand('constructor')).toBeUndefined()
  })

  it('resolves a call once, for all rounds and fires of its line', () => {
    const call = callOf('echo one two')
    expect(lookup.resolve(call)).toBe(lookup.resolve(call))
    expect(lookup.resolve(callOf('echo one two'))).not.toBe(lookup.resolve(call))
  })

  it.each(forms)('describes $path: a summary without a full stop, and an example', ({ form }) => {
    expect(form.summary).toMatch(/^\S.*[^.\s]$/)
    expect(form.examples.length).toBeGreaterThan(0)
  })

  it.each(['close', 'session', 'nuke', 'hook', 'hook create', 'tasks', 'echo'])(
    'takes `%s --help` for its help',
    async (path) => {
      const session = await createSession()
      const help = await session.run(`help ${path}`)
      expect(await session.run(`${path} --help`)).toEqual(help)
      expect(await session.run(`${path} -h`)).toEqual(help)
    },
  )

  it('refuses `--help` in a hook, which would do nothing', async () => {
    const session = await createSession()
    const [refused] = await session.run('hook create out "close --help"')
    expect(refused).toContain('a hook with `--help` does nothing | leave it out')
    expect((await session.run('hook list'))[0]).toMatch(/^info no hooks/)
  })

  it.each(forms)('shows usage and examples in `help $path`', async ({ path, form }) => {
    const session = await createSession()
    const lines = (await session.run(`help ${path}`)).map((line) => line.replace(/^print /, ''))
    const dry = form.sends === true ? ' [--dry]' : ''
    for (const usage of form.usage.split('\n')) {
      if (usage.startsWith(' ')) {
        expect(lines).toContain(`    ${usage.trim()}`)
        continue
      }
      const json = form.rows === true && !usage.includes('--json') ? ' [--json]' : ''
      const wide = form.takesWide === true ? ' [--wide]' : ''
      expect(lines).toContain(`${`  ${path} ${usage}`.trimEnd()}${wide}${json}${dry}`)
    }
    for (const { line } of form.examples) expect(lines.some((shown) => shown.startsWith(`  ${line}`))).toBe(true)
  })

  it.each(examples)('resolves the example `$line` to $path', ({ path, line }) => {
    expect(callsIn(parseChain(line)).map((call) => resolveForm(call).path)).toContain(path)
  })

  it('names the nearest command for an unknown one', () => {
    expect(() => resolveForm(callOf('positons'))).toThrow(
      expect.objectContaining({ code: 'unknown-command', hint: 'did you mean `positions`?' }),
    )
    expect(() => resolveForm(callOf('qwertz'))).toThrow(expect.objectContaining({ hint: '`help` lists the commands' }))
  })

  it('names the nearest form for an unknown one', () => {
    expect(() => resolveForm(callOf('hook crate x'))).toThrow(
      expect.objectContaining({ code: 'unknown-command', hint: 'did you mean `hook create`?' }),
    )
    expect(() => resolveForm(callOf('hook xyz'))).toThrow(
      expect.objectContaining({ hint: 'type `hook show xyz`, or `help hook`' }),
    )
  })

  it.each(['byu $10', 'reduce 50%', 'chart', 'tsop', 'clsoe', 'nuek', 'resum', 'panik', 'trial 1%', 'simm on'])(
    'never guesses what trades or lifts a stop: %s',
    (line) => {
      const call = callOf(line)
      const names = lookup
        .all()
        .filter((command) => !isFamily(command) && (command.sends || command.neverGuessed))
        .flatMap(namesOf)
      expect(names.length).toBeGreaterThan(20)
      const hint = caughtHint(() => resolveForm(call))
      for (const name of names) expect(hint).not.toBe(`did you mean \`${name}\`?`)
    },
  )

  it.each([
    'tasks resme 1',
    'tasks cancle 1',
    'hook fier dip',
    'hook resum dip',
    'runs stpo',
    'switch onn listener',
    'cross-trade strat',
  ])('never guesses a form that does: %s', (line) =>
    expect(caughtHint(() => resolveForm(callOf(line)))).toMatch(/^type `help [a-z-]+`$/),
  )

  it('runs the bare form of a family', () => {
    expect(resolveForm(callOf('hooks')).path).toBe('hook list')
    expect(resolveForm(callOf('account')).path).toBe('account list')
  })

  it('names every command under its topic, on a screen of 24 rows with the prompt and the typed line', async () => {
    const session = await createSession()
    const lines = (await session.run('help')).map((line) => line.replace(/^print /, ''))
    const names = lines.join(' ').split(/ +/)
    for (const { name } of commands) expect(names).toContain(name)
    expect(fitLines(lines, 80).length).toBeLessThanOrEqual(22)
    expect(lines.join('\n')).toContain('`help all`')
  })

  it('explains every word that it prints as a topic', async () => {
    const session = await createSession()
    for (const line of ['help', 'help all']) {
      const text = (await session.run(line)).join('\n').replaceAll(/^print /gm, '')
      const headings = [...text.matchAll(/^([A-Z][\w-]*(?: \w+)?)(?: {2}|$)/gm)].map(([, heading = '']) => heading)
      const topics = [...text.matchAll(/\b([A-Z][a-z]+)(?=:| are )/g)].map(([, topic = '']) => topic)
      const keys = [...text.matchAll(/\b(?:Tab|Ctrl-[A-Z])\b/g)].map(([key]) => key)
      const words = new Set([...headings, ...headings.flatMap((each) => each.split(' ')), ...topics, ...keys])
      for (const word of ['Trading', 'What happened', 'happened', 'Cross-trade', 'Sizes', 'Prices', 'Tab', 'Ctrl-R'])
        expect([...words]).toContain(word)
      if (line === 'help all') expect([...words]).toEqual(expect.arrayContaining(['Times', 'Keys']))
      for (const word of words) {
        const said = await session.run(`help ${word}`)
        expect(said.join('\n'), word).toMatch(/^print /)
        expect(await session.run(`help ${word.toLowerCase()}`)).toEqual(said)
      }
    }
  })

  it('lists every command under a heading', async () => {
    const session = await createSession()
    const text = (await session.run('help all')).join('\n')
    for (const command of commands) expect(text).toContain(`  ${namesOf(command).join(', ')}`)
    for (const heading of [
      'Trading',
      'Market',
      'Account',
      'Flow',
      'Tasks',
      'Hooks',
      'Cross-trade',
      'Listener',
      'Session',
    ]) {
      expect(text).toContain(`print ${heading}\n`)
    }
  })

  it.each(commands.filter((command) => 'forms' in command).map(({ name }) => name))(
    'shows %s in one screen: a line for each of its commands',
    async (name) => {
      const session = await createSession()
      const lines = (await session.run(`help ${name}`)).flatMap((text) => text.replace(/^print /, '').split('\n'))
      const command = commands.find((each) => each.name === name)
      const forms = command !== undefined && 'forms' in command ? command.forms.map((form) => form.name) : []
      for (const form of forms) expect(lines.filter((line) => line.startsWith(`  ${name} ${form} `))).toHaveLength(1)
      expect(lines).toHaveLength(forms.length + 2)
      expect(lines.at(-1)).toBe(`\`help ${name} ${forms[0]}\` shows the arguments and examples of one`)
    },
  )

  it('goes on with a long usage under it, and repeats no name', async () => {
    const session = await createSession()
    const lines = (await session.run('help hook create')).map((line) => line.replace(/^print /, ''))
    expect(lines.filter((line) => line.startsWith('  hook create <name>'))).toHaveLength(1)
    expect(lines.filter((line) => line.startsWith('  hook create  '))).toEqual([])
    expect(lines).toContainEqual(expect.stringMatching(/^ {4}\[--cooldown 30s\]/))
  })

  it('says in `help` where a command runs when that is not everywhere', async () => {
    const session = await createSession()
    expect(await session.run('help exit')).toContain("print runs only at hookline's own prompt")
    expect(await session.run('help account use')).toContain(
      'print runs only in the terminal, not from hooks or web pages',
    )
    expect(await session.run('help nothing')).toEqual([
      'error unknown-command: unknown command `nothing` | `help` lists the commands',
    ])
  })
})

/** Stops, reduces or looks; or, as `echo` and `sleep`, does nothing at all. */
const UNDER_PANIC = `
  symbol markets price book alert watch balance positions orders fills trades pnl session note export account·list account·check account·use
  account·balances vault·status vault·unlock vault·lock exchanges sleep wait echo repeat
  tasks·list tasks·show tasks·cancel tasks·pause kill
  hook·list hook·show hook·test hook·replay hook·logs hook·pause hook·rotate hook·revoke
  cross-trade·list cross-trade·show cross-trade·disable cross-trade·remove cross-trade·stop cross-trade·status listener switch·list switch·off clients·list clients·grant clients·revoke deny proposals
  status notices·list notices·listen logout whoami help history runs·list runs·show runs·stop panic halt resume guards·list guards·set sim times clear exit`
  .trim()
  .split(/\s+/)
  .map((path) => path.replace('·', ' '))

describe('where commands run', () => {
  const restricted = Object.fromEntries(
    forms.filter(({ form }) => form.where !== 'anywhere').map(({ path, form }) => [path, form.where]),
  )

  it('keeps what changes accounts, aliases, trust and the terminal from hooks and pages', () => {
    expect(restricted).toEqual({
      watch: 'trusted',
      'account add': 'trusted',
      'account balances': 'trusted',
      'account check': 'trusted',
      'account prove': 'trusted',
      'account keys': 'trusted',
      'vault change': 'trusted',
      'vault lock': 'trusted',
      'vault status': 'trusted',
      'vault unlock': 'trusted',
      whoami: 'trusted',
      'account use': 'trusted',
      'account reset': 'trusted',
      'account remove': 'trusted',
      'hook fire': 'by hand',
      'paper faults': 'trusted',
      'paper replay': 'trusted',
      unalias: 'trusted',
      ...Object.fromEntries(
        ['add', 'copier', 'enable', 'remove', 'resync', 'start'].map((form) => [`cross-trade ${form}`, 'trusted']),
      ),
      'clients list': 'trusted',
      'clients grant': 'trusted',
      'clients revoke': 'trusted',
      'clients trust': 'trusted',
      approve: 'trusted',
      deny: 'trusted',
      'audit list': 'trusted',
      'audit verify': 'trusted',
      ...Object.fromEntries(
        ['list', 'add', 'test', 'listen', 'remove', 'quiet'].map((form) => [`notices ${form}`, 'trusted']),
      ),
      history: 'repl',
      'hook replay': 'trusted',
      'hook resume': 'trusted',
      login: 'trusted',
      logout: 'trusted',
      proposals: 'trusted',
      resume: 'trusted',
      'guards set': 'trusted',
      sim: 'trusted',
      'switch on': 'trusted',
      'tasks resume': 'trusted',
      when: 'trusted',
      every: 'trusted',
      at: 'trusted',
      times: 'repl',
      clear: 'repl',
      exit: 'repl',
    })
  })

  it('lets only what stops, reduces or looks run under panic', () => {
    const allowed = forms.filter(({ form }) => form.sends !== true && mayRunUnderPanic(form)).map(({ path }) => path)
    expect(allowed).toEqual(UNDER_PANIC)
  })

  it('lets what sends an order run under panic: the guard keeps back what adds', () => {
    const sending = forms.filter(({ form }) => form.sends === true)
    expect(sending.length).toBeGreaterThan(10)
    for (const { form } of sending) expect(mayRunUnderPanic(form)).toBe(true)
  })

  it.each([
    ['anywhere', { repl: true, exec: true, hook: true, web: true }],
    ['by hand', { repl: true, exec: true, hook: false, web: true }],
    ['trusted', { repl: true, exec: true, hook: false, web: false }],
    ['repl', { repl: true, exec: false, hook: false, web: false }],
  ] as const)('%s', (where, allowed) => {
    for (const [source, may] of Object.entries(allowed)) expect(mayRun(where, source as Source)).toBe(may)
  })

  it('says where to type it instead', () => {
    expect(() => requireMayRun('account use', 'trusted', 'hook')).toThrow(
      '`account use` runs only in the terminal, not from hooks or web pages',
    )
  })

  it.each(['hook', 'web'] as const)('refuses, from %s, a symbol change and an alias', async (source) => {
    const session = await createSession()
    for (const line of [
      'symbol ETHUSDT',
      'alias z close',
      'alias --remove z',
      'unalias z',
      'exit',
      'account use paper',
    ]) {
      const [refusal] = await session.run(line, { source })
      expect(refusal).toMatch(/^error not-allowed-here: /)
    }
    expect(session.ports.config.read().defaultSymbol).toBe('BTCUSDT')
    expect(await session.run('symbol', { source })).toEqual(['print BTCUSDT 65,000.0'])
    expect(await session.run('alias', { source })).toEqual([expect.stringMatching(/^info no aliases/)])
  })

  it('resolves through the same table as `help`', () => {
    expect(lookup.all()).toBe(commands)
  })
})
