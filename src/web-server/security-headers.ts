// The headers on every answer, whatever it is. The console's pages may load what this server serves, talk to this server and to the
// listener, and nothing else.
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'

const LISTENER = `${LISTENER_HOST}:${LISTENER_PORT}`

/**
 * `style-src` allows inline styles: libraries of the console put `<style>` elements of their own making into the page, whose texts change, so
 * that no hash fits, and take no nonce. Styles run no code, and with `default-src 'none'` there is no foreign address that one could load
 * or leak to.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  `connect-src 'self' ws://${LISTENER} http://${LISTENER}`,
  "img-src 'self' data:",
  "font-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** What a page could ask a person for; the console needs none of it. It copies to the clipboard after a click. */
const PERMISSIONS_POLICY = [
  ...['accelerometer', 'autoplay', 'camera', 'clipboard-read', 'display-capture', 'encrypted-media'],
  ...['fullscreen', 'geolocation', 'gyroscope', 'hid', 'idle-detection', 'magnetometer', 'microphone', 'midi'],
  ...['payment', 'publickey-credentials-get', 'screen-wake-lock', 'serial', 'usb', 'xr-spatial-tracking'],
]
  .map((feature) => `${feature}=()`)
  .join(', ')

export const SECURITY_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['Content-Security-Policy', CONTENT_SECURITY_POLICY],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Permissions-Policy', PERMISSIONS_POLICY],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
]
