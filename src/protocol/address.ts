/** Where the listener is, always: never configurable (behaviour 101). The literal address, because `localhost` may mean `::1`. */
export const LISTENER_HOST = '127.0.0.1'
export const LISTENER_PORT = 53219

/** Where the console of one person is served, always: its origins are trusted while the server there is this user's (behaviour 9). */
export const CONSOLE_PORT = 53_220

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether an address is on this machine, where no one reads along. `URL` has brought the host into one spelling. */
export function isLoopback({ hostname }: { readonly hostname: string }): boolean {
  return LOOPBACK.test(hostname)
}
