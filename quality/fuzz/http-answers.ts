// Reads what the listener said as HTTP/1.1 answers, strictly (RFC 9112), and checks each against the documented ones.
import { promise } from './target.ts'

export interface HttpAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** PROTOCOL.md, Connecting, Limits and Firing hooks. */
const STATUSES = new Set([101, 200, 400, 401, 403, 404, 408, 423, 429, 431, 503])

/**
 * @param ended whether the listener ended the connection: what was cut by us may be torn
 * @param mayHaveNoBody whether a HEAD was among the requests
 * @returns the answers, and what follows a 101
 */
export function readAnswers(said: string, ended: boolean, mayHaveNoBody: boolean): readonly HttpAnswer[] {
  const answers: HttpAnswer[] = []
  let rest = said
  while (rest !== '') {
    const headEnd = rest.indexOf('\r\n\r\n')
    promise(headEnd !== -1 || !ended, 'an answer has a whole head')
    if (headEnd === -1) break
    const { status, headers } = readHead(rest.slice(0, headEnd))
    const behind = rest.slice(headEnd + 4)
    if (status === 101) {
      answers.push({ status, headers, body: behind })
      break
    }
    const length = bodyLength(headers, behind, mayHaveNoBody)
    promise(behind.length >= length || !ended, 'an answer has a whole body')
    const body = behind.slice(0, length)
    answers.push({ status, headers, body })
    rest = behind.slice(length)
    if (headers.get('connection') === 'close') promise(rest === '', 'nothing follows an answer that closes')
  }
  for (const answer of answers) checkAnswer(answer)
  return answers
}

function readHead(head: string): Pick<HttpAnswer, 'status' | 'headers'> {
  const [statusLine = '', ...lines] = head.split('\r\n')
  const status = /^HTTP\/1\.1 (\d{3}) [A-Za-z ]+$/.exec(statusLine)?.[1]
  promise(status !== undefined, 'an answer begins with a status line')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name = '', value = ''] = /^([A-Za-z][A-Za-z0-9-]*): ([ -~]*)$/.exec(line) ?? []
    promise(name !== '', 'a header is a name and a value')
    promise(!headers.has(name.toLowerCase()), 'a header comes once')
    headers.set(name.toLowerCase(), value)
  }
  return { status: Number(status), headers }
}

function bodyLength(headers: HttpAnswer['headers'], behind: string, mayHaveNoBody: boolean): number {
  const length = headers.get('content-length')
  const encoding = headers.get('transfer-encoding')
  if (encoding !== undefined) {
    promise(length === undefined, 'an answer has one length')
    const end = behind.indexOf('0\r\n\r\n')
    return end === -1 ? behind.length : end + 5
  }
  if (length === undefined || length === '0') return 0
  promise(/^\d+$/.test(length), 'a length is a number')
  // An answer to HEAD tells the length of what it leaves out.
  if (mayHaveNoBody && /^($|HTTP\/1\.1 )/.test(behind)) return 0
  return Number(length)
}

function checkAnswer({ status, headers, body }: HttpAnswer): void {
  promise(STATUSES.has(status), `a status is a documented one, and not ${status}`)
  if (headers.get('content-length') === undefined || status === 101 || body === '') return
  // A page of ours that asks for a socket in the wrong way is told so by the package `ws`.
  if (status === 400 && /^(Invalid|Missing) /.test(body)) return
  promise(headers.get('content-type') === 'application/json', 'a body is JSON')
  promise(headers.get('cache-control') === 'no-store', 'no answer is stored')
  promise(headers.get('x-content-type-options') === 'nosniff', 'no type is guessed')
  const said = JSON.parse(body) as { ok?: unknown; error?: unknown }
  promise(typeof said.ok === 'boolean', 'a body says whether it went well')
  if (status !== 200) promise(said.ok === false && typeof said.error === 'string', 'a refusal says why')
}
