import { SendingForm } from '../stores/SendingForm.tsx'
import { ConnectedTab } from './ConnectedTab.tsx'

export function SendingTab() {
  return <ConnectedTab>{(store) => <SendingForm key={store.id} store={store} />}</ConnectedTab>
}
