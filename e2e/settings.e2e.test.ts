// Settings, as somebody uses them once: the account of the tab, files to mend, and how the desk looks.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { it } from './stage.ts'

const row = (name: string) => ({ name, exchange: 'paper', createdAt: 1, updatedAt: 1 })

describe('the settings', () => {
  it('choose the account of this tab, and give the line for what only the terminal does', async ({ stage }) => {
    writeFileSync(join(stage.directory, 'accounts.json'), JSON.stringify({ accounts: [row('paper'), row('second')] }), {
      mode: 0o600,
    })
    const { console } = await stage.openPaired()
    const accounts = await console.open('Accounts')
    await accounts.getByRole('button', { name: 'Use second in this tab' }).click()
    await console.page.getByRole('button', { name: /^Account second/ }).waitFor()
    await console.page.getByText('clients revoke --all', { exact: true }).waitFor()
    await console.page.getByText('Every file of hookline is in order.').waitFor()
    stage.writeJson('hooks.json', { hooks: [{ id: 'broken' }] })
    await console.page
      .getByRole('note')
      .getByText(/^hooks\.json: /)
      .waitFor()
  })

  it('of looks and times hold after a reload', async ({ stage }) => {
    const { console } = await stage.openPaired()
    const { page } = console
    await console.goToPage('Settings')
    await page.getByLabel('UTC').check()
    await page.getByLabel('Roomy').check()
    await page.reload()
    await console.badgeSays('Connected')
    expect(await page.getByLabel('UTC').isChecked()).toBe(true)
    expect(await page.evaluate('document.documentElement.dataset.density')).toBe('roomy')
  })
})
