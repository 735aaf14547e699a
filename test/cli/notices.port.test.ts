// Notices in the whole program, as a person adds them at a terminal: the secret is typed without echo, kept in the vault, and signs what leaves.
import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type Received, receiveNotices } from '../../harness/network/notice-receiver.ts'
import { answerQuestions, enterLines, openTerminal, run } from '../../harness/process/hookline.ts'

const KEY = Buffer.alloc(32, 13)
const WHSEC = `whsec_${KEY.toString('base64')}`
const PASSPHRASE = 'correct horse battery'

it('a webhook is added, tried and told, and its secret is seen nowhere', async () => {
  const directory = tempDirectory()
  const receiver = await receiveNotices()
  const terminal = await openTerminal(directory, { columns: 160 })
  await answerQuestions(terminal, `notices add webhook phone ${receiver.origin}/in`, [
    ['new passphrase of the vault: ', PASSPHRASE],
    ['the same again: ', PASSPHRASE],
    ['secret that signs (whsec_…): ', WHSEC],
  ])
  await terminal.shows('added channel phone; `notices test phone` tries it')
  await enterLines(terminal, ['notices test', 'notify "it works"', 'notices', 'audit'])
  await receiver.came(2)
  const [, { headers, body }] = receiver.received as [Received, Received]
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', KEY).update(content).digest('base64')}`)
  expect(JSON.parse(body)).toMatchObject({ type: 'notice.said', data: { text: 'it works', account: 'paper' } })
  expect(terminal.lines().join('')).not.toContain(WHSEC)
  for (const name of readdirSync(directory)) {
    expect([name, readFileSync(join(directory, name), 'latin1').includes(WHSEC)]).toEqual([name, false])
  }
})

it('without the passphrase nothing is sent, said in words, and the line that notifies goes on', async () => {
  const directory = tempDirectory()
  const receiver = await receiveNotices()
  const input = [PASSPHRASE, PASSPHRASE, WHSEC].join('\n')
  const added = await run(directory, ['exec', `notices add webhook phone ${receiver.origin}`], { input: `${input}\n` })
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('added channel phone') })
  const { code, stdout, stderr } = await run(directory, ['exec', 'notify "nobody hears"'])
  expect([code, stdout]).toEqual([0, 'nobody hears\n'])
  expect(stderr).toContain('channel phone does not work: the vault, which has its secret, is locked')
  expect(receiver.received).toEqual([])
  expect(added.stdout + added.stderr + stderr).not.toContain(WHSEC)
})
