// The journal as a person reads it: what ran, told apart, found again by its address, and run again only by hand.
import { describe, expect } from 'vitest'
import { it, type Stage } from './stage.ts'

function fireWith(stage: Stage, name: string, body: string): Promise<Response> {
  const { id, secret } = stage.storedHook(name)
  return fetch(`http://127.0.0.1:53219/hook/${id}`, { method: 'POST', headers: { 'X-Hook-Token': secret }, body })
}

describe('the journal', () => {
  it('has what ran, tells it apart, and shows the same after a reload', async ({ stage }) => {
    const { console } = await stage.openPaired()
    await console.makeHook('dip', 'echo came {size:usd<=500}; buy $9999999 ETHUSDT')
    expect((await fireWith(stage, 'dip', '{"size":250}')).status).toBe(200)
    await console.run('buy $100 BTCUSDT')
    await console.run('echo typed here')
    await console.run('hook pause dip')
    await console.prints(/paused/)
    expect((await fireWith(stage, 'dip', '{"size":250}')).status).toBe(200)

    const journal = await console.open('Journal')
    const row = (name: RegExp) => journal.getByRole('list', { name: 'Runs' }).getByRole('button', { name })
    await row(/dip.*skipped/).waitFor()
    const run = console.page.getByRole('region', { name: 'Run', exact: true })
    const alarm = run.locator('.run-error:not(.warn)')
    await row(/echo typed here.*ok/).waitFor()
    await row(/bought .*warning/).click()
    await run
      .getByRole('list', { name: 'Timeline' })
      .getByText(/^bought /)
      .waitFor()
    expect(await alarm.count()).toBe(0)
    // It left the position without a stop.
    expect(await run.locator('.run-error.warn').count()).toBe(1)
    await console.page.goBack()
    await journal.getByRole('combobox', { name: 'State' }).selectOption('failed')
    await row(/echo typed here/).waitFor({ state: 'detached' })
    await row(/dip.*failed/).click()
    await run.getByRole('list', { name: 'Timeline' }).getByText('came $250', { exact: true }).waitFor()
    await run.getByText('{size}', { exact: true }).waitFor()
    expect(await alarm.count()).toBe(1)
    const url = console.page.url()
    expect(url).toMatch(/\/journal\/[0-9a-f-]{36}\?state=failed$/)

    await console.reload()
    await run.getByRole('list', { name: 'Timeline' }).getByText('came $250', { exact: true }).waitFor()
    await row(/dip.*failed/).waitFor()
    expect(await row(/dip.*skipped/).count()).toBe(0)
    expect(console.page.url()).toBe(url)

    await run.getByRole('button', { name: 'Run again' }).click()
    const field = console.page.getByLabel('Terminal input. Tab completes; F6 or Shift Tab leaves the terminal.', {
      exact: true,
    })
    await expect.poll(() => field.inputValue()).toBe('echo came $250; buy $9999999 ETHUSDT')
    await journal.getByRole('button', { name: 'Clear' }).click()
    await row(/dip.*skipped/).waitFor()
    expect(await row(/dip.*(failed|skipped)/).count()).toBe(2)
  })

  it('goes on by itself, holds still with Space, and then shows what came meanwhile', async ({ stage }) => {
    const { hookline, console } = await stage.openPaired()
    const journal = await console.open('Journal')
    const row = (name: RegExp) => journal.getByRole('list', { name: 'Runs' }).getByRole('button', { name })
    hookline.send('echo first\r')
    await row(/terminal.*echo first/).waitFor()
    await row(/terminal.*echo first/).click()
    await console.page.getByText('what was typed in a terminal is shown in a terminal only').waitFor()
    await row(/echo first/).focus()
    await console.page.keyboard.press('Space')
    hookline.send('echo second\r')
    await journal.getByRole('button', { name: /Paused, 1 new/ }).waitFor()
    expect(await row(/echo second/).count()).toBe(0)
    await console.page.keyboard.press('Space')
    await row(/echo second/).waitFor()
  })
})
