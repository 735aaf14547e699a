// An alias with places for values: what stands behind its name fills them, and one that no value could make work is not defined.
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'

describe('an alias with places for values', () => {
  it.each([
    ['alias lg "buy @1 stop -2%"', 'lg 0.02', ['stop sell 0.02 BTCUSDT at 63,700']],
    ['alias lg "buy @1 stop @2"', 'lg 0.02 -3%', ['stop sell 0.02 BTCUSDT at 63,050']],
    ['alias lg "buy $@1 stop -@2%"', 'lg 1300 3', ['bought 0.019', 'at 63,050']],
    ['alias lg "buy @1 @2 stop -2%"', 'lg 0.1 ETHUSDT', ['bought 0.1 ETHUSDT', 'stop sell 0.1 ETHUSDT']],
    ['alias lg "buy @1"', 'lg 0.02 stop -2%', ['stop sell 0.02 BTCUSDT at 63,700']],
    ['alias both "buy @1; sell @1 at +5%"', 'both 0.02', ['bought 0.02', 'sell 0.02 BTCUSDT at 68,250']],
    ['alias thrice "repeat 3 (buy @1)"', 'thrice 0.01', ['bought 0.01 BTCUSDT']],
    ['alias say "echo @1"', 'say "two words"', ['two words']],
  ])('%s, then `%s`', async (definition, line, said) => {
    const session = await createSession()
    expect((await session.run(definition)).join('\n')).not.toContain('error')
    const output = (await session.run(line)).join('\n')
    for (const text of said) expect(output).toContain(text)
  })

  it.each([
    ['lg', 'missing-argument: alias lg needs 2 values, and none is given | lg = buy @1 stop @2'],
    ['lg 0.02', 'missing-argument: alias lg needs 2 values, and @2 is not given | lg = buy @1 stop @2'],
  ])('`%s` without its values sends nothing', async (line, refusal) => {
    const session = await createSession()
    await session.run('alias lg "buy @1 stop @2"')
    for (const source of ['repl', 'exec', 'web', 'hook'] as const) {
      const run = session.start(line, { source })
      expect(await run.done).toBe(false)
      expect(run.lines.join('\n')).toContain(refusal)
    }
    expect(await session.market.exchange.fetchPositions()).toEqual([])
  })

  it.each([
    ['alias lg "buy @2 stop -2%"', '@2 is used without @1'],
    ['alias lg "buy stpo -2%"', 'error bad-size: `-2%` has a sign'],
    ['alias lg "buy $250 stop -$2"', '`-$2` is not a price offset; alias values are @1, @2'],
    ['alias lg "buy @1 $250 0.5 stop -2%"', 'no value of @1 fits: '],
    ['alias lg "buy $250 at; close"', 'error missing-argument: '],
    ['alias lg "stop 0.5 at @1 at @2"', 'no value of @1, @2 fits: '],
    ['alias lg "@1 $250"', 'is in the place of a command'],
    ['alias lg "sleep 5; close"', 'could be seconds or minutes'],
  ])('%s is refused where it is written down', async (definition, why) => {
    const session = await createSession()
    expect((await session.run(definition)).join('\n')).toContain(why)
    expect(session.ports.aliases.read()).toEqual({})
  })

  it.each(['alias b2 "buy"', 'alias dip "buy $250 stop -2%"', 'alias x "later 5"', 'alias y "buy @size stop -2%"'])(
    '%s is none of those',
    async (definition) => {
      const session = await createSession()
      await session.run('set @size $100')
      expect((await session.run(definition)).join('\n')).not.toContain('error')
    },
  )

  it('takes a slot of an alert as a whole value, and never as a part of one', async () => {
    const session = await createSession()
    await session.run('alias lg "buy @1 stop -2%"')
    await session.run('alias cents "buy $@1 stop -2%"')
    expect((await session.run("hook create whole 'lg {size:usd<=500}'")).join('\n')).not.toContain('error')
    expect((await session.run("hook create part 'cents {size:usd<=500}'")).join('\n')).toContain('this value cannot be')
  })

  it('takes a value as one word: what is in it is no command', async () => {
    const session = await createSession()
    await session.run('alias say "echo @1"')
    expect(await session.run('say "a; buy 0.01"')).toEqual(['print a; buy 0.01'])
    expect(await session.market.exchange.fetchPositions()).toEqual([])
  })
})
