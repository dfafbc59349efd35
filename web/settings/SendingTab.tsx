import { BounceMailboxCard } from '../stores/BounceMailboxCard.tsx'
import { LinkHostCard } from '../stores/LinkHostCard.tsx'
import { ReceiversCard } from '../stores/ReceiversCard.tsx'
import { SenderDomainCard } from '../stores/SenderDomainCard.tsx'
import { SendingForm } from '../stores/SendingForm.tsx'
import { TestMailCard } from '../stores/TestMailCard.tsx'
import { TextCards } from '../stores/TextCards.tsx'
import { TextPaceCard } from '../stores/TextPaceCard.tsx'
import { ConnectedTab } from './ConnectedTab.tsx'

export function SendingTab() {
  return (
    <ConnectedTab>
      {(store) => (
        <>
          <SendingForm key={store.id} store={store} />
          <TestMailCard key={`${store.id} test`} />
          <SenderDomainCard key={`${store.id} domain`} storeId={store.id} />
          <LinkHostCard key={`${store.id} links`} storeId={store.id} />
          <ReceiversCard />
          <BounceMailboxCard />
          <TextCards />
          <TextPaceCard store={store} />
        </>
      )}
    </ConnectedTab>
  )
}
