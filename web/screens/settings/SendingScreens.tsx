import { IconArrowLeft } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { StoreView } from '../../../shared/access/stores.ts'
import { Brand } from '../../features/brand/Brand.tsx'
import { BounceMailboxCard } from '../../features/stores/BounceMailboxCard.tsx'
import { LinkHostCard } from '../../features/stores/LinkHostCard.tsx'
import { MailServerCard } from '../../features/stores/MailServerCard.tsx'
import { SenderDomainCard } from '../../features/stores/SenderDomainCard.tsx'
import { SendingForm } from '../../features/stores/SendingForm.tsx'
import { TestMailCard } from '../../features/stores/TestMailCard.tsx'
import { TextCards } from '../../features/stores/TextCards.tsx'
import { TextPaceCard } from '../../features/stores/TextPaceCard.tsx'
import { ThrottledDomainsCard } from '../../features/stores/ThrottledDomainsCard.tsx'
import { ConnectedTab } from './ConnectedTab.tsx'

// The screens of Settings, Sending.

function SendingScreen({ children }: { children: (store: StoreView) => ReactNode }) {
  return (
    <>
      <Link to="/settings/sending" className="sending-back">
        <IconArrowLeft size={16} aria-hidden />
        Back to Sending
      </Link>
      <ConnectedTab>{children}</ConnectedTab>
    </>
  )
}

export const SenderScreen = () => (
  <SendingScreen>{(store) => <SendingForm key={store.id} store={store} />}</SendingScreen>
)

export const BrandScreen = () => <SendingScreen>{(store) => <Brand key={store.id} store={store} />}</SendingScreen>

export const MailServerScreen = () => (
  <SendingScreen>
    {(store) => (
      <>
        <MailServerCard />
        <TestMailCard key={store.id} />
      </>
    )}
  </SendingScreen>
)

export const DomainScreen = () => (
  <SendingScreen>
    {(store) => (
      <>
        <SenderDomainCard key={store.id} storeId={store.id} />
        <LinkHostCard key={`${store.id} links`} storeId={store.id} />
      </>
    )}
  </SendingScreen>
)

export const BouncesScreen = () => (
  <SendingScreen>
    {() => (
      <>
        <ThrottledDomainsCard />
        <BounceMailboxCard />
      </>
    )}
  </SendingScreen>
)

export const SmsScreen = () => (
  <SendingScreen>
    {(store) => (
      <>
        <TextCards channel="sms" />
        <TextPaceCard store={store} />
      </>
    )}
  </SendingScreen>
)

export const WhatsappScreen = () => (
  <SendingScreen>
    {(store) => (
      <>
        <TextCards channel="whatsapp" />
        <TextPaceCard store={store} />
      </>
    )}
  </SendingScreen>
)
