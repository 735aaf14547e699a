// What a browser is called in the list of devices: its name and its system, as it says itself.
const BROWSERS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bWindows\b/, 'Windows'],
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bLinux\b/, 'Linux'],
]

/** @param agent of `User-Agent`: nothing of it is repeated @returns as `Firefox on Linux` */
export function browserLabel(agent = ''): string {
  const [browser = 'A browser', system] = [BROWSERS, SYSTEMS].map(
    (table) => table.find(([mark]) => mark.test(agent))?.[1],
  )
  return system === undefined ? browser : `${browser} on ${system}`
}
