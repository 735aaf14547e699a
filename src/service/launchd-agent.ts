// The text of a launchd agent: a service of one person's, for as long as they are logged in.
import { commandOf, requireSuitable, type ServiceSpec } from './service-spec.ts'

export const AGENT_LABEL = 'hookline.listen'

/** What XML 1.0 cannot hold at all, and line ends. */
const FORBIDDEN = /[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u

/** Two attempts are never closer than this, in seconds. */
const THROTTLE_S = 10

/** @param logPath where its output goes @throws {ServiceError} `unsuitable-path` */
export function launchdAgent(spec: ServiceSpec, logPath: string): string {
  requireSuitable([...spec.program, spec.directory], FORBIDDEN)
  const { directory, isDirectoryChosen } = spec
  const environment = isDirectoryChosen
    ? ['  <key>EnvironmentVariables</key>', '  <dict>', ...pair('HOOKLINE_CONFIG_DIR', directory, '    '), '  </dict>']
    : []
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<!-- Written by `hookline service install`, and rewritten by the next one. -->',
    '<plist version="1.0">',
    '<dict>',
    ...pair('Label', AGENT_LABEL),
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...commandOf(spec).map((word) => `    <string>${inXml(word)}</string>`),
    '  </array>',
    ...environment,
    '  <key>RunAtLoad</key>',
    '  <true/>',
    '  <key>KeepAlive</key>',
    '  <dict>',
    '    <key>SuccessfulExit</key>',
    '    <false/>',
    '  </dict>',
    '  <key>ThrottleInterval</key>',
    `  <integer>${THROTTLE_S}</integer>`,
    '  <key>ExitTimeOut</key>',
    '  <integer>30</integer>',
    '  <key>ProcessType</key>',
    '  <string>Interactive</string>',
    '  <key>Umask</key>',
    '  <integer>63</integer>',
    ...pair('StandardOutPath', logPath),
    ...pair('StandardErrorPath', logPath),
    '</dict>',
    '</plist>',
    '',
  ].join('\n')
}

function pair(key: string, value: string, indent = '  '): readonly string[] {
  return [`${indent}<key>${inXml(key)}</key>`, `${indent}<string>${inXml(value)}</string>`]
}

export function inXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
