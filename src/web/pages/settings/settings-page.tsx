// Settings: accounts, files to fix, and how the desk looks and listens in this browser.
import { DevicesPane } from '../../sign-in/devices-pane.tsx'
import { useSignedInAs } from '../../sign-in/signed-in-as.ts'
import { AccountsPane } from './accounts-pane.tsx'
import { FilesPane } from './files-pane.tsx'
import { LooksPane } from './looks-pane.tsx'

export function SettingsPage() {
  const account = useSignedInAs()
  return (
    <div className="page page-settings">
      <div className="settings-lists">
        <AccountsPane />
        <FilesPane />
        {account !== undefined && <DevicesPane account={account} />}
      </div>
      <LooksPane />
    </div>
  )
}
