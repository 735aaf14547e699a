// The text of a Windows task that starts the listener at logon. `cmd` sends its output to a file, which the scheduler does not keep.
import { inXml } from './launchd-agent.ts'
import { commandOf, requireSuitable, type ServiceSpec } from './service-spec.ts'

export const TASK_NAME = 'hookline'

/** `cmd` replaces what is between percent signs even in quotes; XML cannot hold the others. */
const FORBIDDEN = /[\p{Cc}\p{Cs}\uFFFE\uFFFF"%]/u

/** @param logPath where its output goes @param user whose logon starts it: `DOMAIN\name` @throws {ServiceError} `unsuitable-path` */
export function windowsTask(spec: ServiceSpec, { logPath, user }: { logPath: string; user: string }): string {
  requireSuitable([...spec.program, spec.directory, logPath], FORBIDDEN)
  const chosen = spec.isDirectoryChosen ? `set "HOOKLINE_CONFIG_DIR=${spec.directory}"&& ` : ''
  const command = commandOf(spec)
    .map((word) => `"${word}"`)
    .join(' ')
  const line = `/d /s /c "${chosen}${command} >> "${logPath}" 2>&1"`
  return [
    '<?xml version="1.0"?>',
    '<Task version="1.3" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    '  <RegistrationInfo>',
    '    <Description>hookline, the listener for hooks and pages. Written by `hookline service install`.</Description>',
    '  </RegistrationInfo>',
    '  <Triggers>',
    '    <LogonTrigger>',
    '      <Enabled>true</Enabled>',
    `      <UserId>${inAscii(user)}</UserId>`,
    '    </LogonTrigger>',
    '  </Triggers>',
    '  <Principals>',
    '    <Principal id="Author">',
    `      <UserId>${inAscii(user)}</UserId>`,
    '      <LogonType>InteractiveToken</LogonType>',
    '      <RunLevel>LeastPrivilege</RunLevel>',
    '    </Principal>',
    '  </Principals>',
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    '    <RestartOnFailure>',
    '      <Interval>PT1M</Interval>',
    '      <Count>5</Count>',
    '    </RestartOnFailure>',
    '  </Settings>',
    '  <Actions Context="Author">',
    '    <Exec>',
    '      <Command>cmd.exe</Command>',
    `      <Arguments>${inAscii(line)}</Arguments>`,
    '    </Exec>',
    '  </Actions>',
    '</Task>',
    '',
  ].join('\n')
}

/** The scheduler reads a file in the system's own code page unless it is UTF-16: what is ASCII means the same in all of them. */
function inAscii(text: string): string {
  return inXml(text).replaceAll(/[^ -~]/gu, (character) => `&#${character.codePointAt(0)};`)
}
