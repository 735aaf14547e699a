// Stops that are said by one process to the tasks that another one drives: the built program, and paper accounts (behaviours 40 to 42).
import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, exec, LISTENING, post, RunningHookline, run } from '../../harness/process/hookline.ts'
import { COPIES, startEngine } from '../../harness/process/running-engine.ts'
import { runsOf } from '../../harness/tiers/runs.ts'
import { decodeTaskLine, foldTasks } from '../../src/tasks/task-record.ts'

/** It rests far from the market, and waits. */
const CHASE = 'chase buy 0.001 BTCUSDT to -20% for 10m'
const TWAP = 'twap buy 0.060 BTCUSDT into 60 over 60s'
/** A chase of it is under way for longer than a process takes to start beside everything else. */
const MORE_THAN_FILLS_SOON = 'buy 1.2 BTCUSDT --far'
/** What the slowest answer of a driver may take, far from the 10 s after which an asker gives up. */
const AT_ONCE_MS = 5_000
const ROUNDS = runsOf(20, 4)
const MANY_TASKS = runsOf(100, 25)

async function startDriver(directory = tempDirectory()) {
  const driver = new RunningHookline(directory, ['listen'])
  await driver.prints(LISTENING)
  await expect.poll(() => readIfThere(join(directory, 'tasks-driver.json'))).toContain(`${driver.pid}`)
  return { directory, driver }
}

/** What was being written as it was spoilt is in its place again. */
async function spoilForGood(path: string, spoil: (path: string) => void): Promise<void> {
  for (let before = ''; before !== readFileSync(path, 'utf8'); ) {
    spoil(path)
    before = readFileSync(path, 'utf8')
    await sleep(500)
  }
}

const readIfThere = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '')

const linesOf = (directory: string) => readFileSync(join(directory, 'tasks.jsonl'), 'utf8').split('\n').filter(Boolean)

const tasksOf = (directory: string) => [...foldTasks(linesOf(directory)).values()]

async function shown(directory: string, what: 'orders' | 'positions', account = 'paper'): Promise<readonly unknown[]> {
  const { stdout } = await run(directory, ['exec', '--json', '--account', account, what])
  return JSON.parse(stdout.split('\n')[0] ?? '')[what]
}

/** How long it took until each of these was answered, in ms. */
function answersIn(directory: string): readonly number[] {
  const lines = linesOf(directory).map(decodeTaskLine)
  const asked = new Map(lines.flatMap((line) => (line?.t === 'asked' ? [[line.ask, line.at]] : [])))
  return lines.flatMap((line) => (line?.t === 'answered' ? [line.at - (asked.get(line.ask) ?? 0)] : []))
}

describe('`nuke` beside the process that drives the tasks', () => {
  it('ends six tasks and closes what is open, in every round', async () => {
    const { directory } = await startDriver()
    for (let round = 0; round < ROUNDS; round += 1) {
      await exec(directory, `buy 0.01 BTCUSDT; ${Array(6).fill(CHASE).join('; ')}`)
      const { code, stdout, stderr } = await run(directory, ['exec', 'nuke --yes'])
      expect(code, `round ${round}: ${stdout}${stderr}`).toBe(0)
      expect(stdout.match(/ is canceled$/gm)).toHaveLength(6)
      expect(stdout).toContain('open positions are closed')
    }
    expect(tasksOf(directory).map(({ status }) => status)).toEqual(Array(6 * ROUNDS).fill('cancelled'))
    expect(Math.max(...answersIn(directory))).toBeLessThan(AT_ONCE_MS)
    expect(await shown(directory, 'positions')).toEqual([])
    expect(await shown(directory, 'orders')).toEqual([])
  }, 300_000)

  it('is answered at once for each of many tasks', async () => {
    const { directory } = await startDriver()
    await exec(directory, `repeat ${MANY_TASKS} (${CHASE})`)
    const pauses = run(directory, ['exec', 'tasks pause --all'])
    // A cancel that ended first would leave nothing to pause.
    await expect.poll(() => linesOf(directory).some((line) => decodeTaskLine(line)?.t === 'asked')).toBe(true)
    const [first, second] = await Promise.all([pauses, run(directory, ['exec', 'tasks cancel --all'])])
    expect([first?.code, second?.code], `${first?.stderr}${second?.stderr}`).toEqual([0, 0])
    expect(tasksOf(directory).filter(({ status }) => status === 'cancelled')).toHaveLength(MANY_TASKS)
    expect(answersIn(directory)).toHaveLength(2 * MANY_TASKS)
    expect(await shown(directory, 'orders')).toEqual([])
  }, 120_000)
})

describe.each(['tasks cancel --all', 'nuke --yes'])('`%s` where what shows the tasks cannot be read', (line) => {
  it.each([
    ['is not JSON', (path: string) => writeFileSync(path, '{"tasks": [')],
    ['is of another shape', (path: string) => writeFileSync(path, '{"tasks": "none"}')],
    ['has a row that is', (path: string) => writeFileSync(path, '{"tasks": [{"id": 5}]}')],
  ])('ends them all the same, and fails with why there may be others: tasks.json %s', async (_, spoil) => {
    const { directory } = await startDriver()
    await exec(directory, `buy 0.01 BTCUSDT; ${TWAP}; ${CHASE}`)
    await spoilForGood(join(directory, 'tasks.json'), spoil)
    const { code, stdout, stderr } = await run(directory, ['exec', line])
    expect(code).toBe(1)
    expect(`${stdout}${stderr}`).toMatch(/there may be (other )?tasks/)
    expect(`${stdout}${stderr}`).toContain('tasks.json')
    expect(stdout).not.toMatch(/no tasks are running|open positions are closed/)
    expect(tasksOf(directory).map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
    expect(await shown(directory, 'orders')).toEqual([])
  })

  it('names each that it could not ask for, where tasks.jsonl is out of reach', async () => {
    const { directory } = await startDriver()
    await exec(directory, `buy 0.01 BTCUSDT; ${CHASE}`)
    await expect.poll(() => readFileSync(join(directory, 'tasks.json'), 'utf8')).toContain('"chase"')
    renameSync(join(directory, 'tasks.jsonl'), join(directory, 'elsewhere'))
    mkdirSync(join(directory, 'tasks.jsonl'))
    const { code, stdout, stderr } = await run(directory, ['exec', line])
    expect(code).toBe(1)
    expect(`${stdout}${stderr}`).toContain('tasks.jsonl')
    expect(stdout).not.toMatch(/no tasks are running|open positions are closed/)
  })

  it('ends them where tasks.json is gone', async () => {
    const { directory } = await startDriver()
    await exec(directory, `buy 0.01 BTCUSDT; ${CHASE}`)
    await expect.poll(() => readFileSync(join(directory, 'tasks.json'), 'utf8')).toContain('"chase"')
    renameSync(join(directory, 'tasks.json'), join(directory, 'elsewhere'))
    const { code, stdout } = await run(directory, ['exec', line])
    expect(stdout).toMatch(/is canceled/)
    expect(code).toBe(0)
    expect(tasksOf(directory)).toMatchObject([{ status: 'cancelled' }])
  })
})

describe('where tasks.jsonl cannot be read', () => {
  const ordersOf = (directory: string) =>
    readFileSync(join(directory, 'orders.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"t":"intent"') && line.includes('"taskId"'))

  it('every stop is answered with what it could not do, and no task of any process adds meanwhile', async () => {
    const { directory, driver } = await startDriver()
    await exec(directory, `buy 0.01 BTCUSDT; ${TWAP}; trail 2%`)
    renameSync(join(directory, 'tasks.jsonl'), join(directory, 'elsewhere'))
    mkdirSync(join(directory, 'tasks.jsonl'))
    await driver.prints('paused: tasks.jsonl cannot be read')
    const before = ordersOf(directory).length
    for (const line of ['tasks cancel --all', 'tasks pause --all', 'cross-trade stop', TWAP, CHASE, 'nuke --yes']) {
      const { code, stdout, stderr } = await run(directory, ['exec', line])
      expect([line, code]).toEqual([line, 1])
      expect(`${stdout}${stderr}`).toContain('tasks.jsonl')
      expect(`${stdout}${stderr}`).not.toMatch(
        /no tasks are running|open positions are closed|it is asked all the same/,
      )
    }
    expect(await run(directory, ['exec', 'halt'])).toMatchObject({ code: 0 })
    expect(await shown(directory, 'positions')).toEqual([])
    expect(ordersOf(directory)).toHaveLength(before)
    rmdirSync(join(directory, 'tasks.jsonl'))
    renameSync(join(directory, 'elsewhere'), join(directory, 'tasks.jsonl'))
    await exec(directory, 'resume')
    await expect.poll(() => run(directory, ['exec', 'tasks cancel --all'])).toMatchObject({ code: 0 })
    expect(tasksOf(directory).filter(({ status }) => status === 'running')).toEqual([])
    expect(ordersOf(directory)).toHaveLength(before)
  }, 120_000)

  it('a copier that chases is named by `cross-trade stop`, with why it was not taken back', async () => {
    const { directory } = await startDriver()
    await exec(directory, 'account add swing paper')
    await exec(directory, 'cross-trade add --master paper --copier swing --mode Chase --enabled')
    const engine = startEngine(directory)
    await engine.until(COPIES)
    await exec(directory, 'buy 0.500 BTCUSDT')
    await expect.poll(() => readIfThere(join(directory, 'tasks.json')), { timeout: 30_000 }).toContain('"chase"')
    renameSync(join(directory, 'tasks.jsonl'), join(directory, 'elsewhere'))
    mkdirSync(join(directory, 'tasks.jsonl'))
    const { code, stdout, stderr } = await run(directory, ['exec', 'cross-trade stop'])
    expect(code).toBe(1)
    expect(`${stdout}${stderr}`).toMatch(/has not ended|there may be chases/)
    expect(await engine.ended).toBe(0)
    expect(engine.said()).toMatch(/chase \w+ on BTCUSDT of account swing was not canceled: .*tasks\.jsonl/)
  }, 120_000)
})

describe('SIGTERM while a run waits', () => {
  it('lets no task place another order that adds in the grace of the run', async () => {
    const { directory, driver } = await startDriver()
    const hook = await createHook(directory, 'waits', 'sleep 30s')
    await exec(directory, TWAP)
    expect(await post(hook.url, hook.token)).toMatchObject({ status: 200 })
    const placed = () =>
      linesOf(directory)
        .map(decodeTaskLine)
        .flatMap((each) => (each?.t === 'step' ? (each.places ?? []).map(() => each.at) : []))
    await expect.poll(() => placed().length).toBeGreaterThan(1)
    driver.signal('SIGTERM')
    const { stdout } = await driver.ended()
    const ended = tasksOf(directory).flatMap(({ updatedAt, status }) => (status === 'interrupted' ? [updatedAt] : []))
    expect(ended).toHaveLength(1)
    expect(stdout).toContain('interrupted: hookline was closed')
    const [by] = linesOf(directory)
      .map(decodeTaskLine)
      .flatMap((each) => (each?.t === 'status' && each.status === 'interrupted' ? [each.at] : []))
    expect(placed().filter((at) => at > (by ?? 0))).toEqual([])
    // The run had its grace: it was the task that ended first.
    expect(Date.now() - (by ?? 0)).toBeGreaterThan(3_000)
  })
})

describe('a copier that chases', () => {
  async function startCopier() {
    const { directory, driver } = await startDriver()
    await exec(directory, 'account add swing paper')
    await exec(directory, 'cross-trade add --master paper --copier swing --mode Chase --enabled')
    const engine = startEngine(directory)
    await engine.until(COPIES)
    return { directory, driver, engine }
  }
  const begun = (directory: string) =>
    expect.poll(() => tasksOf(directory).length, { timeout: 10_000 }).toBeGreaterThan(0)
  const isAnyAlive = (directory: string) => tasksOf(directory).some(({ status }) => status === 'running')

  it('leaves nothing working after `nuke`, and none of it comes back', async () => {
    const { directory } = await startCopier()
    await exec(directory, MORE_THAN_FILLS_SOON)
    await begun(directory)
    const { code, stdout, stderr } = await run(directory, ['exec', '--account', 'swing', 'nuke --yes'])
    expect(code, `${stdout}${stderr}`).toBe(0)
    const before = tasksOf(directory).length
    await sleep(5_000)
    expect(tasksOf(directory)).toHaveLength(before)
    expect(isAnyAlive(directory)).toBe(false)
    expect(await shown(directory, 'orders', 'swing')).toEqual([])
    expect(await shown(directory, 'positions', 'swing')).toEqual([])
  })

  it.each([
    ['cross-trade stop', async (directory: string) => void (await exec(directory, 'cross-trade stop'))],
    ['SIGTERM', undefined],
  ])('has none under way when %s has ended its engine, in whichever process they are driven', async (_, stop) => {
    const { directory, engine } = await startCopier()
    await exec(directory, MORE_THAN_FILLS_SOON)
    await begun(directory)
    if (stop === undefined) engine.child.kill('SIGTERM')
    else await stop(directory)
    if (stop === undefined) await engine.until(/the engine has stopped/)
    expect(isAnyAlive(directory)).toBe(false)
    expect(await shown(directory, 'orders', 'swing')).toEqual([])
    expect(await engine.ended).toBe(0)
  })
})
