// hookline comes and goes while the page stays open.
import { describe, expect } from 'vitest'
import { answer, isAsked, questions } from './operator.ts'
import { it, NO_HOOKLINE } from './stage.ts'

const MISSING = { expects: NO_HOOKLINE }

describe('a page whose hookline is not running', () => {
  it('says how to start it, and connects by itself once it runs', async ({ stage }) => {
    const console = await stage.openConsole(MISSING)
    await console.follow('Connect')
    await console.badgeSays('Not running')
    const advice = await console.advice()
    await expect.poll(() => advice.getByRole('code').allTextContents()).toEqual(['hookline', 'npm start'])

    const hookline = await stage.startHookline()
    await isAsked(hookline, console)
    await answer(hookline, 'y')
    await console.badgeSays('Connected')
  })

  it('tries at once when it is told to', async ({ stage }) => {
    // With its clock stopped, the page makes no attempt of its own.
    const console = await stage.openConsole({ ...MISSING, prepare: (page) => page.clock.install() })
    await console.follow('Connect')
    await console.badgeSays('Not running')
    await console.page.clock.pauseAt(Date.now() + 1_000)
    const hookline = await stage.startHookline()
    await console.follow('Try now')
    await hookline.shows('approve it? y or n')
  })

  it('tries at once when somebody comes back to it', async ({ stage }) => {
    const console = await stage.openConsole({ ...MISSING, prepare: (page) => page.clock.install() })
    await console.follow('Connect')
    await console.badgeSays('Not running')
    await console.page.clock.pauseAt(Date.now() + 1_000)
    const hookline = await stage.startHookline()
    await console.isBackInSight()
    await hookline.shows('approve it? y or n')
  })
})

describe('a page whose hookline is restarted', () => {
  it('counts down, connects by itself, and is live again; nobody is asked', async ({ stage }) => {
    await stage.startWeb()
    const { hookline, console } = await stage.openPaired(MISSING)
    await console.run('buy $100 BTCUSDT')
    await console.position('BTCUSDT').waitFor()
    const badges = await console.noteBadges()
    hookline.signal('SIGTERM')
    await console.badgeSays('Not running')
    expect((await badges()).slice(0, 2)).toEqual(['Connected', 'Reconnecting'])
    const counted: (string | undefined)[] = []
    const count = async () => {
      const shown = await console.countdown()
      if (shown !== counted.at(-1)) counted.push(shown)
      return counted.join(', ')
    }
    await expect.poll(count).toContain('2 s, 1 s')
    await console.position('BTCUSDT').waitFor()

    const next = await stage.startHookline()
    await console.badgeSays('Connected')
    expect(questions(next)).toBe(0)
    await console.open('Hooks')
    next.send('hook create dip "echo fired"\r')
    await console.hook('dip').waitFor()
    expect(await stage.fire('dip')).toMatchObject({ status: 200 })
    await console.prints(/^\[hook:dip\] fired$/)
    await console.goToPage('Trade')
    await console.run('close BTCUSDT')
    await console.pane('Portfolio').getByText('No open positions.').waitFor()
  })

  it('is back within 3 s, however long hookline was away', async ({ stage }) => {
    await stage.startWeb()
    const { hookline, console } = await stage.openPaired({ ...MISSING, prepare: (page) => page.clock.install() })
    hookline.send('exit\r')
    await hookline.exit()
    await console.badgeSays('Not running')
    // As many attempts as would have grown to a wait of a minute.
    const attempts = async () => {
      await console.page.clock.runFor(3_000)
      return console.sockets()
    }
    await expect.poll(attempts).toBeGreaterThan(9)
    await stage.startHookline()
    const from = Date.now()
    await console.badgeSays('Connected')
    expect(Date.now() - from).toBeLessThan(3_000)
  })

  it('says of a command that was under way that it was sent, and does not send it again', async ({ stage }) => {
    await stage.startWeb()
    const { hookline, console } = await stage.openPaired(MISSING)
    await console.run('echo under way; sleep 60s; buy $100 BTCUSDT')
    await console.prints(/^under way$/)
    await console.pane('Terminal').getByText('1 running').waitFor()
    await hookline.close()
    await console.prints(/^error: the connection to hookline ended/)
    const next = await stage.startHookline()
    await console.badgeSays('Connected')
    await next.shows('1 run was interrupted when hookline stopped')
    await console.run('runs')
    await console.prints(/^[0-9a-f]{8} .+ interrupted /)
    expect((await console.rows()).filter((row) => /^[0-9a-f]{8} /.test(row))).toHaveLength(1)
    await console.pane('Portfolio').getByText('No open positions.').waitFor()
  })
})
