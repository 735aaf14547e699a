// What is refused or cannot be answered: a person who has followed a link gets a page that says what happened, what to do, and where to go on;
// a program gets JSON.
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { PLAIN_STYLE } from '../protocol/console.ts'

interface Refusal {
  /** A fact: lower case, no full stop. The first line of the page. */
  readonly error: string
  /** What to do next, as sentences. Default by the status. */
  readonly advice?: string
  /** Where to try again, within the console; `''` is this address. Absent: there is only the link to the console. */
  readonly retry?: string | undefined
}

const ADVICE: Readonly<Record<number, string>> = {
  401: 'Open the console and sign in there.',
  403: 'This address is opened from the console itself, not by a link.',
  404: 'This address is not a page of the console.',
  429: 'Wait a few seconds, then try again.',
  500: 'Try again. The log of the console’s server has the reason.',
  503: 'Wait a few seconds, then try again.',
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** Whether the answer is shown in a window. Browsers that do not say so ask for HTML first. */
export function wantsPage({ 'sec-fetch-mode': mode, accept }: Headers): boolean {
  return mode === undefined ? /^text\/html\b/i.test(String(accept ?? '')) : mode === 'navigate'
}

/** @param status chooses the advice */
export function refusalPage(status: number, { error, advice = ADVICE[status] ?? '', retry }: Refusal): string {
  const title = escaped(error[0]?.toUpperCase() + error.slice(1))
  const again = retry === undefined ? '' : `<a href="${escaped(retry)}">Try again</a> · `
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>hookline: ${title}</title>
<style>${PLAIN_STYLE}</style>
<h1>${title}</h1>
<p>${escaped(advice)}</p>
<p>${again}<a href="/">Open the console</a></p>
</html>
`
}

/** What may pass is tried again at the same address, unless the refusal names another. */
export function answerRefusal(context: Context, status: ContentfulStatusCode, refusal: Refusal): Response {
  context.header('Cache-Control', 'no-store')
  if (!wantsPage(context.req.header())) return context.json({ ok: false, error: refusal.error }, status)
  const mayPass = context.req.method === 'GET' && (status === 429 || status >= 500)
  return context.html(refusalPage(status, mayPass ? { retry: '', ...refusal } : refusal), status) as Response
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (each) => ENTITIES[each] ?? '')
}
