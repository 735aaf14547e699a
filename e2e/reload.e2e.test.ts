// What a page knows again after a reload: hookline keeps it, not the page.
import { describe, expect } from 'vitest'
import { it } from './stage.ts'

describe('after a reload', () => {
  it('a hook has its last result, and the journal its fires and what they printed', async ({ stage }) => {
    const { console } = await stage.openPaired()
    await console.makeHook('dip', 'echo came through')
    await console.hook('dip').getByText('not fired in 24 h').waitFor()
    for (let fire = 0; fire < 3; fire++) expect(await stage.fire('dip')).toMatchObject({ status: 200 })
    const result = console.hook('dip').getByText(/^ok \d\d:\d\d:\d\d$/)
    await result.waitFor()
    await console.reload()
    await console.badgeSays('Connected')
    await result.waitFor()
    await console.prints(/^\[hook:dip\] came through$/)
    await console.prints(/> hook create /)
    await console.page.keyboard.press('Escape')
    const fires = (await console.open('Journal'))
      .getByRole('list', { name: 'Runs' })
      .getByRole('button', { name: /^(?!.*hook create).*dip.*ok/s })
    await expect.poll(() => fires.count()).toBe(3)
    await fires.first().click()
    const run = console.page.getByRole('region', { name: 'Run', exact: true })
    await run.getByRole('list', { name: 'Timeline' }).getByText('came through', { exact: true }).waitFor()
  })
})
