// The end of a stop that a command of this process brings about is one line: its own, and none of the run that placed the stop.
import { expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'

const ENTRY = 'buy 0.02 stop -1% tp +4%'

it.each([
  ['cancel', /^success canceled order p2: stop sell/],
  ['cancel all', /^success canceled order p2: stop sell/],
  ['cancel p2', /^success canceled order p2: stop sell/],
  ['stop at -2% replace', /^success canceled order p2: stop sell/],
  ['oco at +5% stop -2% replace', /^success canceled order p2: stop sell/],
  ['flip', /^info stop p2 ended with the long: stop sell /],
])('%s reports the stop once', async (line, reported) => {
  const session = await createSession()
  const entry = session.start(ENTRY)
  await entry.done
  const before = entry.lines.length
  const run = session.start(line)
  await run.done
  await session.advance(3_000)
  expect(run.lines.filter((each) => reported.test(each))).toHaveLength(1)
  expect(entry.lines.slice(before)).toEqual([])
})

it('flip reports a stop once that was placed by itself', async () => {
  const session = await createSession()
  await session.run('sell 0.02')
  const stop = session.start('stop at +2%')
  await stop.done
  const flip = session.start('flip')
  await flip.done
  await session.advance(3_000)
  expect([...stop.lines, ...flip.lines].filter((each) => each.includes('stop p2 ended with the short'))).toHaveLength(1)
})

it.each(['close', 'position flat'])('%s leaves the line to the run that placed the stop', async (line) => {
  const session = await createSession()
  const entry = session.start(ENTRY)
  await entry.done
  const run = session.start(line)
  await run.done
  await session.advance(3_000)
  expect(run.lines.join('\n')).not.toContain('p2')
  expect(entry.lines.filter((each) => each.includes('stop p2 ended with the long'))).toHaveLength(1)
})

it('the end of a stop that a flip has only worked out is still reported', async () => {
  const session = await createSession()
  const entry = session.start(ENTRY)
  await entry.done
  await session.run('flip --dry')
  await session.run('close')
  await session.advance(3_000)
  expect(entry.lines.filter((each) => each.includes('stop p2 ended with the long'))).toHaveLength(1)
})
