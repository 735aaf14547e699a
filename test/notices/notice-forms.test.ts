import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { callOf } from '../../src/notices/desktop.ts'
import { isQuiet, minuteOfDay, readQuietHours } from '../../src/notices/notices.ts'
import { isBotToken } from '../../src/notices/telegram.ts'
import { readSigningSecret, readWebhookUrl, shownUrl, signatureHeaders } from '../../src/notices/webhook.ts'

describe('quiet hours', () => {
  const at = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))

  it.each([
    ['22:00-07:00', '22:00', true],
    ['22:00-07:00', '06:59', true],
    ['22:00-07:00', '07:00', false],
    ['22:00-07:00', '21:59', false],
    ['12:30-13:00', '12:30', true],
    ['12:30-13:00', '13:00', false],
  ])('%s at %s: %s', (hours, time, expected) => {
    const read = readQuietHours(hours)
    expect(read && isQuiet(read, at(time))).toBe(expected)
  })

  it.each(['', '22-07', '24:00-07:00', '22:60-07:00', '07:00-07:00', '22:00-07:00x'])('%j are none', (text) => {
    expect(readQuietHours(text)).toBeUndefined()
  })

  it('go by the clock of this machine', () => {
    const now = Date.now()
    const date = new Date(now)
    expect(minuteOfDay(now)).toBe(date.getHours() * 60 + date.getMinutes())
  })
})

describe('the signature of a webhook', () => {
  it('is the one of Standard Webhooks, over the vector of its libraries', () => {
    const secret = readSigningSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') as Buffer
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: 1_614_265_330_999, body: '{"test": 2432232314}' }
    expect(signatureHeaders(secret, message)).toEqual({
      'webhook-id': message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('is over the very bytes of the body', () => {
    const secret = Buffer.alloc(32, 3)
    const body = '{"text":"×3 😀"}'
    const wanted = createHmac('sha256', secret)
      .update(Buffer.from(`id.1.${body}`, 'utf8'))
      .digest('base64')
    expect(signatureHeaders(secret, { id: 'id', at: 1_000, body })['webhook-signature']).toBe(`v1,${wanted}`)
  })

  it.each([
    '',
    'whsec_',
    'whsec_c2hvcnQ=',
    'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    `whsec_${'A'.repeat(200)}`,
    'whsec_a b',
  ])('does not take %j for a secret', (text) => {
    expect(readSigningSecret(text)).toBeUndefined()
  })
})

describe('the address of a webhook', () => {
  it.each([
    'https://example.com/a?b=c',
    'https://10.0.0.1/',
    'http://127.0.0.1:8080/x',
    'http://[::1]:8080/',
    'http://localhost/',
  ])('may be %s', (text) => {
    expect(readWebhookUrl(text)).toHaveProperty('url')
  })

  it.each([
    ['http://example.com/', /https/],
    ['http://127.0.0.1.example.com/', /https/],
    ['http://localhost.example.com/', /https/],
    ['http://0.0.0.0/', /https/],
    ['http://169.254.169.254/latest', /https/],
    ['ftp://example.com/', /https/],
    ['file:///etc/passwd', /https/],
    ['javascript:alert(1)', /https/],
    ['https://user:password@example.com/', /password/],
    ['example.com', /not a URL/],
    [`https://example.com/${'x'.repeat(1_000)}`, /not a URL/],
  ])('may not be %s', (text, why) => {
    expect(readWebhookUrl(text)).toEqual({ why: expect.stringMatching(why) })
  })

  it('is shown without its path, which may be a secret', () => {
    expect(shownUrl('https://example.com:8443/T0/B0/secret?key=1')).toBe('https://example.com:8443/…')
    expect(shownUrl('https://example.com')).toBe('https://example.com')
    expect(shownUrl('nonsense')).toBe('an invalid address')
  })
})

describe('the token of a bot', () => {
  it.each([
    [`123456789:${'A'.repeat(35)}`, true],
    [`123456789:${'A'.repeat(35)}/../getMe`, false],
    ['123456789', false],
    [`123:${'A'.repeat(35)}\n`, false],
  ])('%j: %s', (text, expected) => {
    expect(isBotToken(text)).toBe(expected)
  })
})

describe('the program that shows a notice', () => {
  const hostile = '--help <b>bold</b> & "quoted" $(touch x) `touch y`'

  it('gets the text on Linux as one argument behind the options, with its markup escaped', () => {
    expect(callOf('linux', hostile, true)).toEqual({
      file: 'notify-send',
      args: [
        '--app-name=hookline',
        '--urgency=critical',
        '--',
        'hookline',
        '--help &lt;b&gt;bold&lt;/b&gt; &amp; "quoted" $(touch x) `touch y`',
      ],
    })
  })

  it('gets the text on macOS as an argument of a fixed script', () => {
    const call = callOf('darwin', hostile, false)
    expect(call?.file).toBe('osascript')
    expect(call?.args.slice(-3)).toEqual(['--', hostile, 'hookline'])
    expect(call?.args.slice(0, -3).join('\n')).not.toContain('touch')
  })

  it('is not known on Windows', () => {
    expect(callOf('win32', 'text', false)).toBeUndefined()
  })
})
