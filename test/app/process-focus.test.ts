import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openConfigStore } from '../../src/stores/config.ts'
import { createProcessFocus } from '../../src/stores/focus.ts'

function openFocus(otherHolder: () => { readonly pid?: number } | undefined = () => undefined) {
  const directory = tempDirectory()
  const config = openConfigStore(directory)
  const write = (content: unknown) =>
    writeFileSync(join(directory, 'config.json'), typeof content === 'string' ? content : JSON.stringify(content))
  return { config, write, focus: createProcessFocus({ config, otherHolder: async () => otherHolder() }) }
}

describe('the focus of a process', () => {
  it('begins as config.json has it and stays when the file changes', () => {
    const { focus, write } = openFocus()
    write({ defaultAccount: 'one', defaultSymbol: 'ETHUSDT' })
    expect([focus.account(), focus.symbol()]).toEqual(['one', 'ETHUSDT'])
    write({ defaultAccount: 'two', defaultSymbol: 'SOLUSDT' })
    expect([focus.account(), focus.symbol()]).toEqual(['one', 'ETHUSDT'])
  })

  it('becomes the default of the next start where no other process holds the port', async () => {
    const { focus, config } = openFocus()
    expect(await focus.set({ account: 'two' })).toEqual({ isDefault: true })
    expect(focus.account()).toBe('two')
    expect(config.read()).toMatchObject({ defaultAccount: 'two', defaultSymbol: 'BTCUSDT' })
  })

  it('changes alone, and leaves the file as it is, while another process holds the port', async () => {
    const { focus, config } = openFocus(() => ({ pid: 7 }))
    expect(await focus.set({ symbol: 'ETHUSDT' })).toEqual({ isDefault: false, pid: 7 })
    expect(focus.symbol()).toBe('ETHUSDT')
    expect(config.read().defaultSymbol).toBe('BTCUSDT')
  })

  it('stays its own when the port becomes free', async () => {
    let holder: { readonly pid?: number } | undefined = { pid: 7 }
    const { focus, write } = openFocus(() => holder)
    await focus.set({ account: 'mine' })
    holder = undefined
    write({ defaultAccount: 'theirs' })
    expect(focus.account()).toBe('mine')
  })

  it('changes nothing when config.json cannot be written', async () => {
    const { focus, write } = openFocus()
    write({ defaultAccount: 'one' })
    expect(focus.account()).toBe('one')
    write('{')
    await expect(focus.set({ account: 'two' })).rejects.toMatchObject({ code: 'store-corrupt' })
    expect(focus.account()).toBe('one')
  })

  it('is read again while config.json is bad from the start', async () => {
    const { focus, write } = openFocus()
    write('{')
    expect(focus.account()).toBe('paper')
    write({ defaultAccount: 'one' })
    // The file is looked at once in a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    expect(focus.account()).toBe('one')
    write({ defaultAccount: 'two' })
    expect(focus.account()).toBe('one')
  })

  it('tells of its changes until it is asked to stop', async () => {
    const { focus } = openFocus()
    const seen: string[] = []
    const stop = focus.watch(() => seen.push(focus.account()))
    await focus.set({ account: 'two' })
    stop()
    await focus.set({ account: 'three' })
    expect(seen).toEqual(['two'])
  })
})
