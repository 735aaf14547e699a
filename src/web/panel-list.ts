// The panels in the order of their keys, Alt 1 to Alt 5.
export const PANELS = [
  { id: 'portfolio', title: 'Portfolio' },
  { id: 'hooks', title: 'Hooks' },
  { id: 'accounts', title: 'Accounts' },
  { id: 'tasks', title: 'Tasks' },
  { id: 'cross-trade', title: 'Cross-trade' },
] as const
export type PanelId = (typeof PANELS)[number]['id']

/** The panels and the terminal. */
export type Region = PanelId | 'terminal'
