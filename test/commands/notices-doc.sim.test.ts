// docs/notices.md: its lines are run, and its receiver checks what hookline signs.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { signatureHeaders } from '../../src/notices/webhook.ts'
import { NOTICE_KINDS } from '../../src/protocol/rows.ts'
import { proving } from './notice-stages.ts'

const paper = readFileSync(join(import.meta.dirname, '../../docs/notices.md'), 'utf8')

function blocks(language: string): readonly string[] {
  const found = [...paper.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))]
  return found.map(([, block = '']) => block.trim())
}

describe('docs/notices.md', () => {
  it('shows lines that run as they are shown, one after another', async () => {
    const session = await createSession(proving())
    const lines = blocks('hookline').flatMap((block) => block.split('\n'))
    expect(lines.length).toBeGreaterThan(8)
    for (const line of lines) {
      const run = session.start(line)
      expect(await run.done, `${line}: ${run.lines.join('\n')}`).toBe(true)
    }
  })

  it('names every kind of notice, and no other', () => {
    const rows = [...paper.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, kind]) => kind)
    expect(rows).toEqual([...NOTICE_KINDS])
  })

  it('has a receiver that knows what hookline signed from what it did not', async () => {
    const path = join(tempDirectory(), 'receiver.mjs')
    writeFileSync(path, blocks('js')[0] ?? '')
    const { isFromHookline } = await import(pathToFileURL(path).href)
    const key = Buffer.alloc(32, 1)
    const secret = `whsec_${key.toString('base64')}`
    const now = Date.now()
    const body = blocks('json')[0] ?? ''
    const headers = signatureHeaders(key, { id: 'msg_1', at: now, body })
    expect(isFromHookline(headers, body, secret, now)).toBe(true)
    expect(isFromHookline(headers, `${body} `, secret, now)).toBe(false)
    expect(isFromHookline({ ...headers, 'webhook-id': 'msg_2' }, body, secret, now)).toBe(false)
    expect(isFromHookline(headers, body, secret, now + 301_000)).toBe(false)
    expect(isFromHookline({ ...headers, 'webhook-timestamp': 'soon' }, body, secret, now)).toBe(false)
    expect(isFromHookline(headers, body, `whsec_${Buffer.alloc(32, 2).toString('base64')}`, now)).toBe(false)
    expect(isFromHookline({}, body, secret, now)).toBe(false)
  })
})
