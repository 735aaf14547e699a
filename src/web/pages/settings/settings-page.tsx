// Settings: accounts, files to fix, and how the desk looks and listens in this browser.
import { AccountsPane } from './accounts-pane.tsx'
import { FilesPane } from './files-pane.tsx'
import { LooksPane } from './looks-pane.tsx'

export function SettingsPage() {
  return (
    <div className="page page-settings">
      <div className="settings-lists">
        <AccountsPane />
        <FilesPane />
      </div>
      <LooksPane />
    </div>
  )
}
