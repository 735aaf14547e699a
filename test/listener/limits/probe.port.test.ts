import { expect, it } from 'vitest'
import { startApp } from '../../support/running-app.ts'
import { WsClient } from '../../support/ws-client.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

it('burst in one turn', async () => {
  const app = await startApp()
  const c = await WsClient.welcomed(app)
  for (const [n, size] of [[1000, 1000], [1000, 3000], [1000, 8000]] as const) {
    c.send({ t: 'cmd:exec', id: `b${n}${size}`, command: `repeat ${n} (echo ${'x'.repeat(size)})` })
    const r = await Promise.race([c.nextFrame('cmd:done'), c.closed()])
    console.log(n, size, JSON.stringify(r), c.received.length)
    if ('code' in r) break
  }
})
it('large snapshot', async () => {
  const app = await startApp()
  const hex = (i: number) => i.toString(16).padStart(32, '0')
  for (const mb of [1, 3, 8, 20]) {
    const count = mb * 250
    writeFileSync(join(app.directory, 'hooks.json'), JSON.stringify({ hooks: Array.from({ length: count }, (_, i) => ({ id: hex(i), name: `h${i}`, secret: hex(i + 1e6), command: 'x'.repeat(4000), createdAt: 1 })) }))
    const c = await WsClient.welcomed(app)
    c.send({ t: 'subscribe', topics: ['hooks'] })
    const r = await Promise.race([c.nextFrame('state:hooks').then((f) => f.hooks.length, (e) => String(e)), c.closed()])
    console.log(mb, JSON.stringify(r))
    if (typeof r === 'object') break
  }
})
it('mutate now twice', async () => {
  const app = await startApp()
  const c = await WsClient.welcomed(app)
  for (let i = 0; i < 6; i++) c.send({ t: 'mutate:account', id: `${i}`, op: 'upsert', account: { name: 'a', exchange: i % 2 ? 'bybit' : 'paper' } })
  for (let i = 0; i < 6; i++) console.log(JSON.stringify(await c.nextFrame()))
})
