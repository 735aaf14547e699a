// What senders put into a POST, and what they say it is.
import { gzipSync } from 'node:zlib'

export const ALERT = JSON.stringify({ ticker: 'BTCUSDT', close: 65_012.5, id: 'alert-1' })

export const CONTENT_TYPES: readonly string[] = [
  'application/json',
  'text/plain',
  'text/plain; charset=utf-16',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
]

export const BODIES: Readonly<Record<string, string | Buffer>> = {
  'as text': ALERT,
  'with a byte order mark': `\ufeff${ALERT}`,
  empty: '',
  'an array': '[]',
  null: 'null',
  'nested 10 000 deep': `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  'a prototype': '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}',
  'a key twice': '{"side":"buy","side":"sell"}',
  NaN: '{"price":NaN}',
  'beyond a double': '{"price":1e999}',
  'half a surrogate pair': '{"text":"\\ud800"}',
  'a NUL': 'a\0b',
  'no UTF-8': Buffer.from([0xff, 0xfe, 0xc0, 0x80]),
  'half of JSON': '{"ticker":',
  gzip: gzipSync(ALERT),
  '64 KiB': 'x'.repeat(65_536),
}

/** Commands by what is wrong with them: a person or an older version has written them into hooks.json, where nothing checks them. */
export const FAILING_COMMANDS: Readonly<Record<string, string>> = {
  'no command': 'frobnicate BTCUSDT',
  'no quote at the end': 'echo "half',
  'nothing in it': ' ; ',
  'an order that no account can pay': 'buy $999999999999',
  'an order that is none': 'buy banana',
  'a hook that is not there': 'hook show 0123456789abcdef',
  'what only the operator may': 'exit',
  'a mistake of ours': 'hooks',
}
