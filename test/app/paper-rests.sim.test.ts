// What is said at `exit` of the orders that stay behind on a paper account.
import { expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { describeBare, describeBareAtStart, describePaperRests } from '../../src/app/paper-rests.ts'
import { CommandError } from '../../src/commands/kit/errors.ts'

const rest = (them: string) =>
  `resting on paper: the paper market fills ${them} only while hookline runs (\`hookline listen\` keeps it open)`

it.each([
  ['chase buy $1000 ETHUSDT', undefined],
  ['buy 0.5 ETHUSDT at -2%; chase buy $1000 ETHUSDT', `1 order (stops included) is ${rest('it')}`],
  ['dca buy $1000 into 4 every -1%; grid $1000 ETHUSDT into 4 from -4% to +4%', undefined],
  ['buy 0.01 stop -2%; chase buy $1000', `1 order (stops included) is ${rest('it')}`],
  ['buy 0.01; trail 1%; buy 0.01 at -3%', `2 orders (stops included) are ${rest('them')}`],
])('an order that its task takes back is not among them: %s', async (line, says) => {
  const session = await createSession()
  await session.run(line)
  await session.advance(2_000)
  const tasks = { ...session.ports.tasks, list: () => session.ports.tasks.list(), driver: () => process.pid }
  const ports = { tasks, askListeningPid: async () => undefined }
  expect(await describePaperRests({ connect: session.connect, ports }, 'paper')).toBe(says)
})

it('one that another process drives goes on: its orders stay', async () => {
  const session = await createSession()
  await session.run('chase buy $1000 ETHUSDT')
  await session.advance(2_000)
  const tasks = { ...session.ports.tasks, list: () => session.ports.tasks.list(), driver: () => process.pid + 1 }
  const ports = { tasks, askListeningPid: async () => undefined }
  expect(await describePaperRests({ connect: session.connect, ports }, 'paper')).toBe(
    `1 order (stops included) is ${rest('it')}`,
  )
})

it('what is bare is told of every account, with the name of those out of focus; one that cannot be reached is left out', async () => {
  const sessions = { paper: await createSession(), copy: await createSession(), covered: await createSession() }
  await sessions.paper.run('buy 0.01')
  await sessions.copy.run('sell 0.02')
  await sessions.covered.run('buy 0.01 stop -2%')
  const connect = async (name: string) => {
    const session = sessions[name as keyof typeof sessions] as (typeof sessions)['paper'] | undefined
    if (session === undefined) throw new CommandError('unknown-account', `there is no account ${name}`)
    return session.connect('paper')
  }
  const bare = await describeBare({ connect }, ['paper', 'paper', 'covered', 'gone', 'copy'])
  expect(bare.map(({ line }) => line)).toEqual([
    'the BTCUSDT long of 0.01 BTC has no stop: `stop BTCUSDT at -2%` places one',
    '[copy] the BTCUSDT short of 0.02 BTC has no stop: `account use copy`, then `stop BTCUSDT at +2%` places one',
  ])
})

const NO_STOP = 'the BTCUSDT long of 0.01 BTC has no stop: `stop BTCUSDT at -2%` places one'

it.each([
  ['its stop is placed by what takes over the entry', 'stop at -2%', []],
  ['what no one protects is told then', 'positions', [NO_STOP]],
])('at a start, a bare position waits for what a dead process left: %s', async (_, takeOver, told) => {
  const session = await createSession()
  await session.run('buy 0.01')
  let end = (): void => {}
  const takenOver = new Promise<void>((resolve) => {
    end = resolve
  })
  const asked = describeBareAtStart({ connect: session.connect, ports: session.ports, takenOver }, ['paper'])
  await session.settle()
  await session.run(takeOver)
  end()
  expect((await asked).map(({ line }) => line)).toEqual(told)
})

it.each([
  ['trail 1%', 'buy 0.02', []],
  ['trail 1% after +5%', 'positions', [NO_STOP]],
  ['alert BTCUSDT above 90000', 'positions', [NO_STOP]],
])('a task that goes on enlarges its stop before a start says that a part has none: %s', async (task, more, told) => {
  const session = await createSession()
  await session.run('buy 0.01')
  await session.run(task)
  await session.run(more)
  const pause = (ms: number) => session.advance(ms)
  const app = { connect: session.connect, ports: session.ports, takenOver: Promise.resolve() }
  expect((await describeBareAtStart(app, ['paper'], pause)).map(({ line }) => line)).toEqual(told)
})
