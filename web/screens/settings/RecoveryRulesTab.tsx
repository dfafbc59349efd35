import { RecoveryRulesForm } from '../../features/stores/RecoveryRulesForm.tsx'
import { ConnectedTab } from './ConnectedTab.tsx'

export function RecoveryRulesTab() {
  return <ConnectedTab>{(store) => <RecoveryRulesForm key={store.id} store={store} />}</ConnectedTab>
}
