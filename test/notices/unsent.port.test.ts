// What a killed process had still to send is sent by the next one (behaviour 50).
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { receiveNotices } from '../../harness/network/notice-receiver.ts'
import { createHook, post, RunningHookline } from '../../harness/process/hookline.ts'
import { channelsTo } from './telling.ts'

it('a notice whose receiver had not answered before kill -9 comes after the next start, under its id and with its time', async () => {
  const receiver = await receiveNotices((response, index) => void (index > 0 && response.end('{"ok":true}')))
  const directory = tempDirectory()
  writeFileSync(
    join(directory, 'config.json'),
    JSON.stringify({ notices: channelsTo(receiver, { telegram: undefined }) }),
  )
  const hook = await createHook(directory, 'x', 'notify "look at the chart"')
  const killed = await RunningHookline.listening(directory)
  await post(hook.url, hook.token)
  await receiver.came(1)
  killed.signal('SIGKILL')
  await killed.ended()
  await RunningHookline.listening(directory)
  const told = () =>
    receiver.received.flatMap(({ headers, body }) => {
      const { text } = JSON.parse(body).data
      return text.startsWith('look') ? [{ id: headers['webhook-id'], text }] : []
    })
  await expect.poll(told).toHaveLength(2)
  const [first, second] = told()
  expect(second).toEqual({
    id: first?.id,
    text: expect.stringMatching(/^look at the chart \(at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\)$/),
  })
})
