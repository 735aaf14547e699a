// `--json` behind a command that shows: its data, the same that `hookline exec --json` prints (behaviour 35).
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import { commands, lookup } from '../../src/commands/catalogue.ts'
import type { AnyForm } from '../../src/commands/kit/command.ts'
import { isFamily } from '../../src/commands/kit/resolve.ts'
import { callsIn } from '../../src/language/expansion.ts'
import { LanguageError } from '../../src/language/language-error.ts'
import { parseChain } from '../../src/language/parse.ts'
import { README_STAGES, STAGES } from './example-stages.ts'

const forms = commands.flatMap<readonly [string, AnyForm]>((command) =>
  isFamily(command) ? command.forms.map((form) => [`${command.name} ${form.name}`, form]) : [[command.name, command]],
)
/** Examples of one command each. */
const linesOf = (form: AnyForm) =>
  form.examples.map(({ line }) => line).filter((line) => callsIn(parseChain(line)).length === 1)

async function play(line: string, like: string) {
  const stage = STAGES[like] ?? README_STAGES[like]
  const session = await createSession(stage?.options)
  for (const before of stage?.before ?? []) await session.run(before)
  await stage?.prepare?.(session)
  const run = session.start(line, stage?.run)
  await (stage?.meanwhile === undefined ? run.done : session.settle())
  await stage?.meanwhile?.(session, run)
  await session.settle()
  run.abort()
  await run.done
  return run
}

/** What is printed, as one text: documents are several lines each. */
const printed = (lines: readonly string[]) =>
  lines
    .filter((line) => line.startsWith('print '))
    .map((line) => line.slice('print '.length))
    .join('\n')

describe('--json', () => {
  const showing = forms.filter(([, { rows }]) => rows === true)

  it.each(showing.flatMap(([, form]) => linesOf(form)))(
    'behind `%s` prints its data and nothing else',
    async (line) => {
      const plain = await play(line, line)
      const json = await play(`${line} --json`, line)
      if (plain.lines.some((said) => said.startsWith('error'))) return
      const types = json.data.map(({ type }) => type)
      expect(types).toEqual(plain.data.map(({ type }) => type))
      expect(types.length).toBeGreaterThan(0)
      expect(printed(json.lines)).toBe(json.data.map((data) => JSON.stringify(data, undefined, 1)).join('\n'))
      expect(json.lines.filter((said) => /^(success|info) /.test(said))).toEqual([])
    },
  )

  it('behind what reads it by itself has the same form', async () => {
    const { lines, data } = await play('fills --json', 'fills')
    expect(printed(lines)).toBe(JSON.stringify(data[0], undefined, 1))
  })

  it.each([
    'balance',
    'price',
    'positions',
    'orders',
    'status',
    'guards',
    'account',
    'hooks',
    'tasks',
    'runs',
    'switch',
  ])('works behind `%s`, from a page and a hook too', async (line) => {
    for (const source of ['repl', 'exec', 'web', 'hook'] as const) {
      const session = await createSession()
      const lines = await session.run(`${line} --json`, { source })
      expect(() => JSON.parse(printed(lines)), lines.join('\n')).not.toThrow()
    }
  })

  it('shows no table of its own for every form that answers with data and changes nothing', async () => {
    const changes =
      /^alert$|add|copier|enable|disable|remove|create|rotate|prove|cancel|pause|resume|kill|login|logout|halt|reset|replay|off|on$|start|stop|resync/
    const missing: string[] = []
    for (const [name, form] of forms) {
      if (form.sends === true || form.rows !== undefined || changes.test(name)) continue
      for (const line of linesOf(form)) {
        const { data } = await play(line, line)
        if (data.some(({ type }) => type !== 'error')) missing.push(line)
      }
    }
    expect(missing).toEqual([])
  })

  const others = forms.filter(([, { rows, takesText }]) => rows === undefined && takesText === undefined)

  it.each(others.flatMap(([, form]) => linesOf(form).slice(0, 1)))(
    'behind `%s` is refused, with what to type',
    (line) => {
      const call = callsIn(parseChain(`${line} --json`))[0]
      if (call === undefined) throw new Error('no command')
      let thrown: unknown
      try {
        lookup.resolve(call)
      } catch (error) {
        thrown = error
      }
      expect(thrown).toBeInstanceOf(LanguageError)
      expect((thrown as LanguageError).hint).toMatch(/^`hookline exec --json '[^…]+'` prints what any command answers$/)
    },
  )

  it.each([
    ['echo --json', 'print --json'],
    ['set @x --json', 'success @x = --json'],
  ])('is text of the person in `%s`', async (line, says) => {
    const session: CommandSession = await createSession()
    expect(await session.run(line)).toEqual([says])
  })

  it('is refused beside --csv', async () => {
    const session = await createSession()
    expect((await session.run('orders --all --csv --json'))[0]).toMatch(
      /^error bad-argument: `--csv` and `--json` exclude each other/,
    )
    expect((await session.run('fills --csv --json'))[0]).toMatch(
      /^error bad-argument: `--csv` and `--json` exclude each other/,
    )
  })

  it('still says what is wrong', async () => {
    const session = await createSession()
    expect((await session.run('price NOPEUSDT --json'))[0]).toMatch(/^error unknown-symbol: /)
  })
})
