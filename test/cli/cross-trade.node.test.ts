// `hookline cross-trade run` as people use it: the built program, two paper accounts, an engine in one process and orders in others.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { exec, run } from '../../harness/process/hookline.ts'
import { COPIES, startEngine } from '../../harness/process/running-engine.ts'

/** Two paper accounts; swing copies half of paper. */
async function stage(): Promise<string> {
  const directory = tempDirectory()
  for (const args of [
    ['account', 'add', 'swing', 'paper'],
    ['cross-trade', 'add', '--master', 'paper', '--copier', 'swing', '--weight', '0.5', '--enabled'],
  ]) {
    expect(await run(directory, args)).toMatchObject({ code: 0 })
  }
  return directory
}

const heldBy = async (directory: string, account: string): Promise<readonly [string, string][]> => {
  const { stdout } = await run(directory, ['exec', '--json', '--account', account, 'positions'])
  const { positions } = JSON.parse(stdout.split('\n')[0] ?? '')
  return positions.map(({ symbol, side, amount }: Record<string, string>) => [symbol, `${side} ${amount}`])
}

/** The engine's own process, which the one that was started looks after. */
const enginePid = (directory: string): number =>
  JSON.parse(readFileSync(join(directory, 'cross-trade-running.json'), 'utf8')).pid

describe('hookline cross-trade run', () => {
  test('copies what another process orders, says so, and ends cleanly', async () => {
    const directory = await stage()
    const engine = startEngine(directory)
    await engine.until(/1 row on, 0 off[\s\S]*paper is a paper account; swing is a paper account/)
    await engine.until(COPIES)
    await exec(directory, 'buy 0.01 BTCUSDT')
    await engine.until(/swing BTCUSDT: bought 0\.005 at /)
    expect(await heldBy(directory, 'swing')).toEqual([['BTCUSDT', 'long 0.005']])
    // Its file follows within half a second.
    const status = async () => (await run(directory, ['cross-trade', 'status'])).stdout
    await expect.poll(status, { timeout: 10_000 }).toMatch(/swing +BTCUSDT +in-step +0\.005 +0\.005/)
    await exec(directory, 'close')
    await engine.until(/swing BTCUSDT: sold 0\.005 at .*, reduce-only/)
    engine.child.kill('SIGTERM')
    expect(await engine.ended).toBe(0)
    expect(engine.said()).toMatch(/ending; orders under way are settled first[\s\S]*copiers keep their positions/)
    expect((await run(directory, ['cross-trade', 'status'])).stdout).toMatch(/^no engine runs/)
    expect(await heldBy(directory, 'swing')).toEqual([])
  })

  test('chases where its row says so, without another hookline to drive the task', async () => {
    const directory = tempDirectory()
    await exec(directory, 'account add swing paper')
    await exec(directory, 'cross-trade add --master paper --copier swing --mode Chase --enabled')
    const engine = startEngine(directory)
    await engine.until(COPIES)
    await exec(directory, 'buy 0.01 BTCUSDT')
    await engine.until(/\[chase [0-9a-f]{8}\] done; filled 0\.01 of 0\.01/)
    await engine.until(/swing BTCUSDT: bought 0\.01 at /)
    expect(await heldBy(directory, 'swing')).toEqual([['BTCUSDT', 'long 0.01']])
  })

  test('is started again when it is killed, and copies what happened meanwhile, once', async () => {
    const directory = await stage()
    const engine = startEngine(directory)
    await engine.until(COPIES)
    await exec(directory, 'buy 0.01 BTCUSDT')
    await engine.until(/bought 0\.005/)
    const killed = enginePid(directory)
    process.kill(killed, 'SIGKILL')
    await engine.until(/the engine died by SIGKILL; it is started again in 1 s/)
    await exec(directory, 'buy 0.01 BTCUSDT')
    await engine.until(COPIES)
    await engine.until(/bought 0\.005/)
    expect(enginePid(directory)).not.toBe(killed)
    expect(await heldBy(directory, 'swing')).toEqual([['BTCUSDT', 'long 0.01']])
  })

  test('ends when the process that looks after it is killed', async () => {
    const directory = await stage()
    const engine = startEngine(directory)
    await engine.until(COPIES)
    engine.child.kill('SIGKILL')
    await engine.ended
    expect(await run(directory, ['cross-trade', 'stop'])).toMatchObject({
      stdout: expect.stringMatching(/no engine runs|the engine has stopped/),
      code: 0,
    })
  })

  test('is refused while another one runs, and `cross-trade stop` in another process ends that', async () => {
    const directory = await stage()
    const engine = startEngine(directory)
    await engine.until(COPIES)
    const second = startEngine(directory, '--force')
    expect(await second.ended).toBe(1)
    expect(second.said()).toContain(`the process with pid ${enginePid(directory)} already runs the engine`)
    expect(await run(directory, ['cross-trade', 'stop'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/has stopped/),
    })
    expect(await engine.ended).toBe(0)
  })

  test('brings back what others closed when it is asked to, with --yes', async () => {
    const directory = await stage()
    const engine = startEngine(directory)
    await engine.until(COPIES)
    await exec(directory, 'buy 0.01 BTCUSDT')
    await engine.until(/bought 0\.005/)
    expect(await run(directory, ['exec', '--account', 'swing', 'close'])).toMatchObject({ code: 0 })
    const id = JSON.parse((await run(directory, ['cross-trade', '--json'])).stdout.split('\n')[0] ?? '').rows[0].id
    const asked = await run(directory, ['cross-trade', 'resync', id])
    expect(asked.code).toBe(1)
    expect(asked.stdout).toMatch(/swing +BTCUSDT +buy +0\.005/)
    expect(await heldBy(directory, 'swing')).toEqual([])
    expect(await run(directory, ['cross-trade', 'resync', id, '--yes'])).toMatchObject({ code: 0 })
    expect(await heldBy(directory, 'swing')).toEqual([['BTCUSDT', 'long 0.005']])
  })
})

describe('hookline cross-trade', () => {
  test('is what the prompt has, and refuses with exit status 1', async () => {
    const directory = await stage()
    const { stdout, code } = await run(directory, ['cross-trade', 'list', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({
      type: 'cross-trade',
      engine: { running: false },
      rows: [{ enabled: true, masterAccount: 'paper', copiers: [{ account: 'swing', weight: 0.5 }] }],
    })
    const refused = await run(directory, ['cross-trade', 'add', '--master', 'swing', '--copier', 'paper'])
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('paper copies swing, which copies it in turn'),
    })
    expect((await run(directory, ['cross-trade', 'start'])).stderr).toContain('hookline cross-trade run')
  })
})
