// The editor of a hook's command, and the list of many hooks, in a real browser.
import { describe, expect } from 'vitest'
import { it, NO_SERVERS } from './stage.ts'

describe('the editor of a command', () => {
  it('marks what is typed, underlines a mistake and says it, completes a name, and lets Tab go on', async ({
    desk,
  }) => {
    const { console } = await desk.openPaired()
    const { page } = console
    const { keyboard } = page
    await console.open('Hooks')
    await console.page.getByRole('button', { name: /^Close everything/ }).click()
    await page.getByRole('dialog', { name: 'New hook' }).getByText('cancel all; close all').waitFor()
    await keyboard.press('Escape')
    await page.getByRole('button', { name: 'New hook' }).focus()
    await console.goTo('Enter', 'Name')
    await keyboard.type('dip')
    const form = page.getByRole('dialog', { name: 'New hook' })
    const editor = form.locator('.cm-content')
    await editor.waitFor()
    await console.tabTo('Command')
    await keyboard.type('buy {size:usd<=500} BTCUSDT stp -2%')
    await expect.poll(() => editor.locator('.tok-slot').textContent()).toBe('{size:usd<=500}')
    await expect.poll(() => editor.locator('.cm-lintRange-error').allTextContents()).toEqual(['stp'])
    await form.getByText(/^Column 29: unexpected `stp`; did you mean stop\?$/).waitFor()
    expect(await editor.getAttribute('aria-invalid')).toBe('true')
    const said = form.locator(`[id="${await editor.getAttribute('aria-describedby')}"]`)
    await expect.poll(() => said.textContent()).toContain('stp')

    for (const _ of ' -2%p') await keyboard.press('Backspace')
    await keyboard.type('o')
    const offer = form.getByRole('option', { name: 'stop' })
    await offer.waitFor()
    await keyboard.press('Escape')
    await offer.waitFor({ state: 'detached' })
    await keyboard.type('p')
    await offer.waitFor({ state: 'detached' })
    await keyboard.type(' -2%; c')
    const chosen = form.getByRole('listbox').getByRole('option', { selected: true })
    const first = await chosen.textContent()
    const next = async () => {
      await keyboard.press('ArrowDown')
      return chosen.textContent()
    }
    // A list that has just opened takes no keys yet: Enter would be a break of the line.
    await expect.poll(next).not.toBe(first)
    await expect.poll(next).toMatch(/^cancel(?!-)/)
    await keyboard.press('Enter')
    await keyboard.type('all')
    await expect.poll(() => editor.textContent()).toBe('buy {size:usd<=500} BTCUSDT stop -2%; cancel all')
    await expect.poll(() => editor.locator('.cm-lintRange-error').count()).toBe(0)
    await console.goTo('Tab', 'Account')
    await console.tabTo('Create hook')
    await keyboard.press('Enter')
    await console.hook('dip').waitFor()
    expect(desk.storedHook('dip')).toMatchObject({ command: 'buy {size:usd<=500} BTCUSDT stop -2%; cancel all' })
  })

  it('takes over what was typed before it came, keeps a paste of several lines, and makes one line of it', async ({
    desk,
  }) => {
    let letCome = () => {}
    const mayCome = new Promise<void>((resolve) => {
      letCome = resolve
    })
    const { console } = await desk.openPaired({
      permissions: ['clipboard-read', 'clipboard-write'],
      prepare: (page) =>
        page.route(/code-editor-.*\.js$/, async (route) => {
          await mayCome
          await route.continue()
        }),
    })
    const { page } = console
    await page.goto(`http://127.0.0.1:53220/hooks/new?command=${encodeURIComponent('buy $100 BTCUSDT')}`)
    const form = page.getByRole('dialog', { name: 'New hook' })
    await form.getByText('The command came with the address.').waitFor()
    const plain = form.locator('textarea')
    await plain.focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' stop -2%;')
    letCome()
    const editor = form.locator('.cm-content')
    await editor.waitFor()
    await expect.poll(() => page.evaluate<boolean>(`document.activeElement.matches('.cm-content')`)).toBe(true)
    await page.evaluate(`navigator.clipboard.writeText('\\necho a;\\necho b')`)
    await page.keyboard.press('Control+v')
    await form.getByText('A line break counts as a space: put ; between steps.').waitFor()
    await form.getByRole('textbox', { name: 'Name' }).fill('dip')
    const line = 'hook create dip "buy $100 BTCUSDT stop -2%; echo a; echo b" --account paper'
    await form.getByText(line, { exact: true }).waitFor()
    expect(desk.storedHooks()).toEqual([])
    await expect.poll(() => form.getByRole('button', { name: 'Create hook', exact: true }).isEnabled()).toBe(true)
    await editor.press('Control+Enter')
    await console.hook('dip').waitFor()
  })

  it('says why Control and Enter send nothing: no name, or no connection', async ({ stage }) => {
    const { console, hookline } = await stage.openPaired({ expects: NO_SERVERS })
    const { page } = console
    await console.open('Hooks')
    await page.getByRole('button', { name: 'New hook' }).click()
    const form = page.getByRole('dialog', { name: 'New hook' })
    const editor = form.locator('.cm-content')
    await editor.fill('echo fired')
    await editor.press('Control+Enter')
    await form.getByRole('alert').getByText('Type a name for the hook.').waitFor()
    await form.getByRole('textbox', { name: 'Name' }).fill('dip')
    await hookline.close()
    await expect.poll(() => form.getByRole('button', { name: 'Create hook', exact: true }).isEnabled()).toBe(false)
    await editor.press('Control+Enter')
    await form.getByRole('alert').getByText('This page is not connected to hookline. Nothing is sent.').waitFor()
    expect(stage.storedHooks()).toEqual([])
  })

  it('leaves the plain field where it cannot be loaded', async ({ desk }) => {
    const { console } = await desk.openPaired({
      expects: /code-editor-/,
      prepare: (page) => page.route(/code-editor-.*\.js$/, (route) => route.abort()),
    })
    await console.makeHook('dip', 'echo fired')
    expect(desk.storedHook('dip')).toMatchObject({ command: 'echo fired' })
  })
})

describe('the list of hooks', () => {
  it('of two hundred is one tab stop, has few rows in the page, and finds one', async ({ desk }) => {
    const hooks = Array.from({ length: 200 }, (_, index) => ({
      id: index.toString(16).padStart(32, '0'),
      name: `hook-${index}`,
      command: index === 150 ? 'sell $5 XRPUSDT' : 'echo fired',
      secret: 'c0ffee00c0ffee00c0ffee00c0ffee00',
      createdAt: 1,
    }))
    desk.writeJson('hooks.json', { version: 1, hooks })
    const { console } = await desk.openPaired()
    const { page } = console
    await console.open('Hooks')
    const rows = page.getByRole('list', { name: 'Hooks' }).getByRole('listitem')
    await rows.first().waitFor()
    expect(await rows.count()).toBeLessThan(60)
    expect(await page.locator('.hook-row[tabindex="0"]').count()).toBe(1)
    await rows.first().getByRole('button').focus()
    await page.keyboard.press('End')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toMatch(/^hook-99/)
    await page.getByRole('searchbox', { name: 'Name or command' }).fill('xrp')
    await expect.poll(() => rows.count()).toBe(1)
    await page.getByText('1 of 200 hooks match').waitFor({ state: 'attached' })
  })
})
