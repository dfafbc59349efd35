import { IconArrowLeft } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { StoreView } from '../../../shared/access/stores.ts'
import { useMe } from '../../core/access/queries.ts'
import { ReadOnly } from '../../core/ui/ReadOnly.tsx'
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

interface Props {
  /** Nothing on this screen can be changed in the demo. */
  isReadOnlyInDemo?: boolean
  children: (store: StoreView) => ReactNode
}

function SendingScreen({ isReadOnlyInDemo, children }: Props) {
  const isDemo = useMe()?.isDemo
  return (
    <>
      <Link to="/settings/sending" className="sending-back">
        <IconArrowLeft size={16} aria-hidden />
        Back to Sending
      </Link>
      {isReadOnlyInDemo && isDemo && <ReadOnly />}
      <ConnectedTab>{children}</ConnectedTab>
    </>
  )
}

export const SenderScreen = () => (
  <SendingScreen isReadOnlyInDemo>{(store) => <SendingForm key={store.id} store={store} />}</SendingScreen>
)

export const BrandScreen = () => <SendingScreen>{(store) => <Brand key={store.id} store={store} />}</SendingScreen>

export const MailServerScreen = () => (
  <SendingScreen isReadOnlyInDemo>
    {(store) => (
      <>
        <MailServerCard />
        <TestMailCard key={store.id} />
      </>
    )}
  </SendingScreen>
)

export const DomainScreen = () => (
  <SendingScreen isReadOnlyInDemo>
    {(store) => (
      <>
        <SenderDomainCard key={store.id} storeId={store.id} />
        <LinkHostCard key={`${store.id} links`} storeId={store.id} />
      </>
    )}
  </SendingScreen>
)

export const BouncesScreen = () => (
  <SendingScreen isReadOnlyInDemo>
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
  <SendingScreen isReadOnlyInDemo>
    {(store) => (
      <>
        <TextCards channel="whatsapp" />
        <TextPaceCard store={store} />
      </>
    )}
  </SendingScreen>
)
