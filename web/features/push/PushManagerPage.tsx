import '../../core/ui/tabs.css'
import './push.css'
import { Stack } from '@mantine/core'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { DEFAULT_PROMPT, DEFAULT_PUSH } from '../../../shared/delivery/push.ts'
import { ConfirmFirst } from '../../core/access/ConfirmFirst.tsx'
import { useHasPermission } from '../../core/access/queries.ts'
import { useMailServer } from '../stores/mail-server-queries.ts'
import { customerFigures, Figures } from './Figures.tsx'
import { NotificationPreview } from './NotificationPreview.tsx'
import { PromptCard } from './PromptCard.tsx'
import { PushScreen } from './PushScreen.tsx'
import { NoStore, NotAllowed, Section } from './parts.tsx'
import type { PushSetup } from './queries.ts'
import { formatHost, type NotificationText } from './rules.ts'
import { LiveCheck } from './Seen.tsx'
import { SettingsCard } from './SettingsCard.tsx'
import { SetupSteps, StoreCard } from './StoreCard.tsx'
import { TestCard } from './TestCard.tsx'

/** A 2.9. */
export const PushManagerPage = () => (
  <PushScreen
    title="Push Notification Manager"
    text="Remind shoppers of their cart in their browser"
    other={{ to: '/push-setup', label: 'Integration' }}
  >
    {(setup, storeId) => <Cards setup={setup} {...(storeId && { storeId })} />}
  </PushScreen>
)

function Cards({ setup, storeId }: { setup: PushSetup | null; storeId?: string }) {
  const mayChange = useHasPermission('flows:write')
  const hasOwnServer = useMailServer().data?.way === 'own'
  const [storeUrl, setStoreUrl] = useState(setup?.storeUrl ?? '')
  const settings = setup?.settings ?? DEFAULT_PUSH
  const [content, setContent] = useState<NotificationText>({ title: settings.title, body: settings.body })
  const isFixed = !setup || !mayChange
  // Both stay mounted: they share the address of the store, and unsaved changes survive.
  const tab: Tab = useSearchParams()[0].get('tab') === 'developer' ? 'developer' : 'notifications'
  return (
    <Stack gap="md" className="push-page">
      {!setup && <NoStore />}
      {setup && !mayChange && <NotAllowed />}
      {setup && <LiveCheck places={setup.seen} />}
      {setup && <ConfirmFirst what="turn notifications on and send tests" isFree={hasOwnServer} />}
      <Tabs current={tab} />
      <div className="push-tab" hidden={tab !== 'notifications'}>
        <SettingsCard
          storeUrl={storeUrl}
          settings={settings}
          hasKeys={Boolean(setup?.keys)}
          isFixed={isFixed}
          onContent={setContent}
          preview={
            setup && storeId ? (
              <NotificationPreview
                storeId={storeId}
                storeName={setup.storeName}
                host={formatHost(setup.storeUrl)}
                content={content}
              />
            ) : null
          }
        >
          <TestCard storeUrl={storeUrl} setup={setup} content={content} isFixed={isFixed} />
        </SettingsCard>
        <PromptCard
          storeUrl={storeUrl}
          storeName={setup?.storeName ?? 'Your store'}
          prompt={setup?.prompt ?? DEFAULT_PROMPT}
          isFixed={isFixed}
        />
        <Section id="stats" title="Store statistics">
          <Figures storeId={storeId ?? null} figures={customerFigures} isDisabled={storeUrl.trim() === ''} />
        </Section>
      </div>
      <div className="push-tab" hidden={tab !== 'developer'}>
        <StoreCard storeUrl={storeUrl} onStoreUrl={setStoreUrl} setup={setup} isFixed={isFixed} />
        <SetupSteps />
      </div>
    </Stack>
  )
}

type Tab = 'notifications' | 'developer'

/** Keys and code come second: a shop with the plugin never needs them. */
const Tabs = ({ current }: { current: Tab }) => (
  <nav className="tabs" aria-label="Web push">
    <Link to="?" replace className="tab" aria-current={current === 'notifications' ? 'page' : undefined}>
      Notifications
    </Link>
    <Link to="?tab=developer" replace className="tab" aria-current={current === 'developer' ? 'page' : undefined}>
      Developer
    </Link>
  </nav>
)
