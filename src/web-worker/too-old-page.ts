// What is shown instead of a copy that no web server has confirmed for a month.
const HTML = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>hookline: the server does not answer</title>
<h1>The server of this page does not answer</h1>
<p>The copy of the console that this browser keeps is more than 30 days old, and a newer one may have fixed something.
Where it is on this machine, start <code>hookline</code> in a terminal; then reload this page.</p>
</html>
`

export const TOO_OLD_PAGE = (): Response =>
  new Response(HTML, {
    status: 503,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    },
  })
