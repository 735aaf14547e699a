/** Where the listener is, always: never configurable (behaviour 101). The literal address, because `localhost` may mean `::1`. */
export const LISTENER_HOST = '127.0.0.1'
export const LISTENER_PORT = 53219
