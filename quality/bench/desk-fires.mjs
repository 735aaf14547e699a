// Fires that carry values, sent by a program that has other things to do: each on a connection of its own, as alerts come.
import { request } from 'node:http'
import { HOOKLINE_PORT } from './servers.mjs'

/** @param {string} head as `postRequest` makes it @param {object} body @returns {Promise<void>} once it was accepted */
export function sendFire(head, body) {
  const [, path] = head.split(' ')
  const token = /X-Hook-Token: (\S+)/.exec(head)?.[1]
  const text = JSON.stringify(body)
  const headers = {
    'X-Hook-Token': token,
    'Content-Length': Buffer.byteLength(text),
    'Content-Type': 'application/json',
  }
  return new Promise((resolve, reject) => {
    const sent = request(
      { agent: false, host: '127.0.0.1', port: HOOKLINE_PORT, path, method: 'POST', headers },
      (answer) => {
        answer.resume()
        if (answer.statusCode === 200) answer.on('end', resolve)
        else reject(new Error(`a fire was answered ${answer.statusCode}`))
      },
    )
    sent.on('error', reject)
    sent.end(text)
  })
}
