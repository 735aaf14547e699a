import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { echo } from '../../src/commands/flow/echo.ts'
import { repeat } from '../../src/commands/flow/repeat.ts'
import type { CommandContext } from '../../src/commands/kit/command.ts'
import { callsIn, expandAlias, MAX_ALIAS_DEPTH } from '../../src/language/expansion.ts'
import { parseChain } from '../../src/language/parse.ts'
import { printChain } from '../../src/language/print.ts'

describe('echo', () => {
  it.each([
    ['echo ok', 'ok'],
    ['echo', ''],
    ['echo a   b', 'a b'],
    ['echo "a   b" c', 'a   b c'],
    ['echo "" x', ' x'],
    ['echo last=$last', 'last=65000'],
    ['echo $bid/$ask', '64999.9/65000.1'],
    ['echo "$last"', '$last'],
    ['echo "$lasting"', '$lasting'],
    ['echo $pnl', '0'],
    ['echo (a & b; c)', '(a & b; c)'],
  ])('%s', async (line, text) => {
    const session = await createSession()
    expect(await session.run(line)).toEqual([`print ${text}`])
  })

  it('fills in what only a position has, and refuses without one', async () => {
    const session = await createSession()
    expect(await session.run('echo $entry')).toEqual([expect.stringMatching(/^error no-position: /)])
    await session.run('buy 0.01')
    expect(await session.run('echo $entry')).toEqual(['print 65000.1'])
  })

  it.each([
    [
      'echo $nope',
      /^error unknown-variable: no name `\$nope` found \| known names: \$last \$bid \$ask \$entry \$pnl; /,
    ],
    ['echo at $lasting', /^error unknown-variable: no name `\$lasting` found/],
    ['echo $balance', /^error unknown-variable: no name `\$balance` found \| `balance` shows it/],
    ['notify costs $nope', /^error unknown-variable: no name `\$nope` found/],
    ['set @x $bogus', /^error unknown-variable: no name `\$bogus` found \| known names: .* \$equity \$balance; /],
    ['set @x $equity/10 $bogus', /^error unknown-variable: no name `\$bogus` found/],
  ])('refuses a name that does not exist, with those that do: %s', async (line, refusal) => {
    for (const source of ['repl', 'exec', 'web'] as const) {
      const session = await createSession()
      expect(await session.run(line, { source })).toEqual([expect.stringMatching(refusal)])
      expect((await session.run('set', { source })).join('\n')).toContain('no variables')
    }
  })

  it.each(['echo $nope', 'notify costs $nope'])(
    'refuses it where a hook is registered, and a hook that has it fires as before: %s',
    async (body) => {
      const session = await createSession()
      expect((await session.run(`hook create dip '${body}'`)).join('\n')).toContain('unknown-variable')
      expect((await session.run(body, { source: 'hook' })).join('\n')).not.toContain('error')
    },
  )

  it('keeps a size that is computed where it is used', async () => {
    const session = await createSession()
    expect(await session.run('set @part $equity/10')).toEqual(['success @part = $equity/10'])
    expect((await session.run('buy @part')).join('\n')).toContain('bought 0.015 BTCUSDT')
  })

  it('needs neither exchange nor promise when no word holds a live value', () => {
    const printed: string[] = []
    const context = { out: { print: (text: string) => printed.push(text) } } as unknown as CommandContext
    const [call] = callsIn(parseChain('echo ok "$last"'))
    expect(echo.run(context, call?.args ?? [])).toBeUndefined()
    expect(printed).toEqual(['ok $last'])
  })
})

describe('set and unset', () => {
  describe('of a hook and of a page', () => {
    const HOOK = { source: 'hook', hookId: '0123456789abcdef0123456789abcdef', origin: 'dip' } as const
    const OTHER = { source: 'hook', hookId: 'fedcba9876543210fedcba9876543210', origin: 'rip' } as const
    const PAGE = { source: 'web', clientId: 'tab-1' } as const
    const OTHER_PAGE = { source: 'web', clientId: 'tab-2' } as const
    const OPERATOR = { source: 'repl' } as const
    const SPEAKERS = [HOOK, OTHER, PAGE, OTHER_PAGE, OPERATOR]

    it.each([HOOK, PAGE])('are its own: what %j sets changes no other line', async (speaker) => {
      const session = await createSession()
      await session.run('set @size $70; alias half "echo @size"')
      expect(await session.run('set @size $5000', speaker)).toEqual([
        "success @size = $5000, for its own lines; the operator's is $70",
      ])
      for (const other of SPEAKERS) {
        const value = other === speaker ? '$5000' : '$70'
        expect(await session.run('echo @size; half', other)).toEqual([`print ${value}`, `print ${value}`])
      }
      await session.run('set @size $60')
      expect(await session.run('echo @size', speaker)).toEqual(['print $5000'])
      await session.run('unset @size', speaker)
      expect(await session.run('echo @size', speaker)).toEqual(['print $60'])
      expect((await session.run('unset @size', speaker))[0]).toContain("unknown-variable: @size is the operator's")
    })

    it('mean nothing to others where the operator has none of that name', async () => {
      const session = await createSession()
      expect(await session.run('set @mine 5; echo @mine', HOOK)).toEqual(['success @mine = 5', 'print 5'])
      for (const other of SPEAKERS.slice(1)) {
        expect((await session.run('echo @mine', other))[0]).toContain('unknown-variable')
      }
    })

    it('are listed with whose they are: all at the terminal, its own and the operator’s for each', async () => {
      const session = await createSession()
      await session.run('set @size $70')
      await session.run('set @size $5', HOOK)
      await session.run('set @last 1', PAGE)
      expect(await session.run('set')).toEqual([
        'print @last  1    of page tab-1',
        'print @size  $70',
        'print @size  $5   of hook 01234567',
      ])
      expect((await session.run('set', OTHER)).join()).not.toMatch(/tab-1|\$5/)
    })

    it('go by the terminal too, where the operator has none of that name', async () => {
      const session = await createSession()
      await session.run('set @mine 5', HOOK)
      await session.run('set @mine 6', PAGE)
      expect(await session.run('unset @mine')).toEqual([
        'success removed @mine of hook 01234567',
        'success removed @mine of page tab-1',
      ])
      expect(session.ports.audit.read().filter(({ what }) => what === 'variable remove')).toMatchObject([
        { details: { name: 'mine', owner: `hook:${HOOK.hookId}` } },
        { details: { name: 'mine', owner: 'page:tab-1' } },
      ])
    })

    it('of a page are in the audit log with whose they are; those of a hook, which sets its own with each fire, are not', async () => {
      const session = await createSession()
      await session.run('set @size $5', HOOK)
      await session.run('set @size $6', PAGE)
      expect(session.ports.audit.read().filter(({ what }) => what === 'variable set')).toMatchObject([
        { details: { name: 'size', text: '$6', owner: 'page:tab-1' } },
      ])
    })
  })

  it.each([
    ['set @x $250', '$250'],
    ['set @x hello', 'hello'],
    ['set @x hello world', 'hello world'],
    ['set @x "hello   world"', 'hello   world'],
    ['set @x -1%', '-1%'],
    ['set @x $last', '65000'],
    ['set @x $last -1%', '64350'],
    ['set @x $bid +10', '65009.9'],
    ['set @x $last -0.001%', '64999.4'],
    ['set @x last $last', 'last 65000'],
    ['set @x $pnl', '0'],
  ])('%s keeps %s', async (line, value) => {
    const session = await createSession()
    expect(await session.run(line)).toEqual([`success @x = ${value}`])
    expect(session.ports.variables.read().x).toBe(value)
    expect(await session.run('echo @x')).toEqual([`print ${value}`])
  })

  it('keeps a quoted live value as it stands, to be filled in where it is used', async () => {
    const session = await createSession()
    expect(await session.run('set @x "$last"; echo @x')).toEqual(['success @x = $last', 'print 65000'])
    session.market.setPrice('BTCUSDT', '65001')
    expect(await session.run('echo @x')).toEqual(['print 65001'])
  })

  it('makes values from values, and sets anew what is set', async () => {
    const session = await createSession()
    await session.run('set @a 5; set @b @a; set @a 6')
    expect(await session.run('set')).toEqual(['print @a  6', 'print @b  5'])
  })

  it('is used in orders', async () => {
    const session = await createSession()
    await session.run('set @size 0.01; set @floor $last -1%')
    expect(await session.run('buy @size at @floor')).toEqual(['success order p1: buy 0.01 BTCUSDT at 64,350.0 is open'])
  })

  it('lets hooks set variables: they are data', async () => {
    const session = await createSession()
    expect(await session.run('set @x 1', { source: 'hook' })).toEqual(['success @x = 1'])
  })

  it('shows nothing that steers the terminal', async () => {
    const session = await createSession()
    await session.run('set @x "a\u001b[31mb\u202ec"')
    expect((await session.run('set')).join()).not.toMatch(/\u001b|\u202e/)
  })

  it('forgets', async () => {
    const session = await createSession()
    await session.run('set @x 1; set @y 2')
    expect(await session.run('unset @x @y')).toEqual(['success removed @x', 'success removed @y'])
    expect(await session.run('set')).toEqual([expect.stringMatching(/^info no variables/)])
  })

  it.each([
    ['set x 5', 5],
    ['set @', 5],
    ['set @9x 5', 5],
    ['set @x', 7],
    ['set @x @unknown', 8],
    ['unset', 1],
    ['unset @nope', 7],
    ['echo @nope', 6],
  ])('refuses `%s` at column %i', async (line, column) => {
    const session = await createSession()
    const run = session.start(line)
    expect(await run.done).toBe(false)
    expect(run.columns).toEqual([column])
  })
})

describe('alias', () => {
  it('runs a chain under a name, and gives what follows to its last command', async () => {
    const session = await createSession()
    expect(await session.run('alias Z "echo one; echo two"')).toEqual(['success z = echo one; echo two'])
    expect(await session.run('z three')).toEqual(['print one', 'print two three'])
    expect(await session.run('alias')).toEqual(['print z  echo one; echo two'])
  })

  it('gives what follows to the last command of a step that is joined by && and ||, and points each at the call', () => {
    const [call] = callsIn(parseChain('  z "x y"'))
    if (call === undefined) throw new Error('no call')
    const chain = expandAlias(call, { z: 'echo a; nope && echo b || echo c' })
    if (chain === undefined) throw new Error('no alias')
    expect(printChain(chain)).toBe('echo a; nope && echo b || echo c "x y"')
    expect(callsIn(chain).map(({ column }) => column)).toEqual([3, 3, 3, 3])
  })

  it.each(['alias --remove z', 'unalias z'])('is forgotten by `%s`', async (line) => {
    const session = await createSession()
    await session.run('alias z "echo one"')
    expect(await session.run(line)).toEqual(['success removed alias z'])
    expect(await session.run('z')).toEqual([expect.stringMatching(/^error unknown-command/)])
    expect(await session.run(line)).toEqual([expect.stringMatching(/^error unknown-alias/)])
  })

  it.each([
    ['alias buy "close"', 'name-taken'],
    ['alias B "close"', 'name-taken'],
    ['alias 9z "close"', 'bad-argument'],
    ['alias z', 'missing-argument'],
    ['alias z ""', 'missing-command'],
    ['alias z cancel; close', undefined],
    ['alias z cancel close', 'unexpected-argument'],
    ['alias z "a ;; b"', 'empty-step'],
    ['alias z "z"', 'alias-too-deep'],
    ['alias --remove', 'missing-argument'],
  ])('`%s`: %s', async (line, code) => {
    const session = await createSession()
    const [first] = await session.run(line)
    expect(first).toMatch(code === undefined ? /^success/ : new RegExp(`^error ${code}: `))
  })

  it('points into the quoted chain where it does not parse', async () => {
    const session = await createSession()
    const run = session.start('alias z "echo a; ; echo b"')
    await run.done
    expect(run.columns).toEqual([18])
  })

  it('may lead through eight aliases, not nine, and not back to itself', () => {
    const ladder = Object.fromEntries(
      Array.from({ length: MAX_ALIAS_DEPTH + 1 }, (_, step) => [`a${step}`, step === 0 ? 'echo deep' : `a${step - 1}`]),
    )
    const call = (name: string) => ({ name, args: [], column: 1 })
    expect(expandAlias(call('a7'), ladder)).toBeDefined()
    expect(() => expandAlias(call('a8'), ladder)).toThrow(expect.objectContaining({ code: 'alias-too-deep' }))
    const circle = { a: 'repeat 2 (b)', b: 'echo x; a' }
    expect(() => expandAlias(call('a'), circle)).toThrow(expect.objectContaining({ code: 'alias-too-deep' }))
    expect(expandAlias(call('constructor'), {})).toBeUndefined()
  })

  it('does not take exponential time over aliases that use each other a lot', () => {
    const wide = Object.fromEntries(
      Array.from({ length: MAX_ALIAS_DEPTH }, (_, step) => [
        `a${step}`,
        step === 0 ? 'echo' : Array.from({ length: 500 }, () => `a${step - 1}`).join('; '),
      ]),
    )
    expect(expandAlias({ name: 'a7', args: [], column: 1 }, wide)?.stages).toHaveLength(500)
  })

  it('points every column at the call, and keeps the arguments of the line', () => {
    const [call] = callsIn(parseChain('  z "x y"'))
    if (call === undefined) throw new Error('no call')
    const chain = expandAlias(call, { z: 'repeat 2 (echo a); echo b' })
    if (chain === undefined) throw new Error('no alias')
    expect(printChain(chain)).toBe('repeat 2 (echo a); echo b "x y"')
    expect(callsIn(chain).map(({ column }) => column)).toEqual([3, 3, 3])
  })
})

describe('repeat', () => {
  it('runs its rounds one after another', async () => {
    const session = await createSession()
    const run = session.start('repeat 3 (echo hi; sleep 1s)')
    await session.settle()
    expect(run.lines).toEqual(['print hi'])
    await session.advance(3000)
    expect(run.lines).toEqual(['print hi', 'print hi', 'print hi'])
    expect(await run.done).toBe(true)
  })

  it('ends with the round that failed', async () => {
    const session = await createSession()
    const run = session.start('repeat 3 (nope; echo on); echo end')
    expect(await run.done).toBe(false)
    expect(run.lines).toEqual([
      expect.stringMatching(/^error unknown-command/),
      'warn not run: echo on',
      'error round-failed: round 1 of 3 failed; 2 not run',
      'warn not run: echo end',
    ])
  })

  it('goes on where a round recovers by itself', async () => {
    const session = await createSession()
    const run = session.start('repeat 2 (nope || echo on); echo end')
    expect(await run.done).toBe(true)
    expect(run.lines.filter((line) => line.startsWith('print'))).toEqual(['print on', 'print on', 'print end'])
  })

  it('stops when the run is cut short', async () => {
    const session = await createSession()
    const run = session.start('repeat 1000 (echo hi; sleep 1s)')
    await session.settle()
    run.abort()
    expect(await run.done).toBe(false)
    expect(run.lines.filter((line) => line === 'print hi')).toHaveLength(1)
    expect(run.lines).toEqual([
      'print hi',
      'error interrupted: the run was canceled',
      'error interrupted: stopped in round 1 of 1000',
    ])
  })

  it.each([
    'repeat',
    'repeat 3',
    'repeat 0 (echo)',
    'repeat 1001 (echo)',
    'repeat x (echo)',
    'repeat 2 echo',
    'repeat 2 (echo) x',
    'repeat 1000 (repeat 1000 (echo))',
    'repeat 100 (repeat 100 (echo))',
    'repeat 1000 (a; b & c && d; e; f; g; h; i; j)',
    'repeat 30 (repeat 30 (repeat 30 (echo)))',
  ])('refuses `%s`', async (line) => {
    const session = await createSession()
    const run = session.start(line)
    expect(await run.done).toBe(false)
    expect(run.columns).toHaveLength(1)
  })
})

describe('a repeat', () => {
  function begun() {
    const made = { waits: 0, pass: (): void => {}, endRound: (_: boolean): void => {} }
    const context = {
      clock: { delay: () => new Promise<void>((resolve) => Object.assign(made, { pass: resolve })) },
      signal: new AbortController().signal,
      isAborted: false,
      by: {
        onWait() {
          made.waits += 1
        },
      },
      runChain: () => new Promise<boolean>((resolve) => Object.assign(made, { endRound: resolve })),
    } as unknown as CommandContext
    const [call] = callsIn(parseChain('repeat 1 (sleep 5s)'))
    const done = repeat.run(context, call?.args ?? [])
    return { made, done }
  }

  it('that takes longer than a second goes on by itself, and the next line begins', async () => {
    const { made, done } = begun()
    expect(made.waits).toBe(0)
    made.pass()
    await expect.poll(() => made.waits).toBe(1)
    made.endRound(true)
    await done
  })

  it('that ends before holds the next line until then', async () => {
    const { made, done } = begun()
    made.endRound(true)
    await done
    made.pass()
    await new Promise(setImmediate)
    expect(made.waits).toBe(0)
  })
})
