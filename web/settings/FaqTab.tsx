import { KeysHelp } from '../stores/KeysHelp.tsx'

export function FaqTab() {
  return <KeysHelp />
}
