import './push.css'
import { Stack } from '@mantine/core'
import { useState } from 'react'
import { DEFAULT_PROMPT, DEFAULT_PUSH } from '../../shared/push.ts'
import { useHasPermission } from '../access/queries.ts'
import { customerFigures, Figures } from './Figures.tsx'
import { PromptCard } from './PromptCard.tsx'
import { PushScreen } from './PushScreen.tsx'
import { NoStore, NotAllowed, Section } from './parts.tsx'
import type { PushSetup } from './queries.ts'
import { Seen } from './Seen.tsx'
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
  const [storeUrl, setStoreUrl] = useState(setup?.storeUrl ?? '')
  const settings = setup?.settings ?? DEFAULT_PUSH
  const [words, setWords] = useState<{ title: string; body: string }>({ title: settings.title, body: settings.body })
  const isFixed = !setup || !mayChange
  return (
    <Stack gap="md" maw={860}>
      {!setup && <NoStore />}
      {setup && !mayChange && <NotAllowed />}
      <StoreCard storeUrl={storeUrl} onStoreUrl={setStoreUrl} setup={setup} isFixed={isFixed} />
      <SetupSteps />
      {setup && (
        <Section id="seen" title="Live check">
          <Seen seen={setup.seen} />
        </Section>
      )}
      <SettingsCard storeUrl={storeUrl} settings={settings} isFixed={isFixed} onWords={setWords} />
      <PromptCard
        storeUrl={storeUrl}
        storeName={setup?.storeName ?? 'Your store'}
        prompt={setup?.prompt ?? DEFAULT_PROMPT}
        isFixed={isFixed}
      />
      <Section id="stats" title="Store statistics">
        <Figures storeId={storeId ?? null} figures={customerFigures} isDisabled={storeUrl.trim() === ''} />
      </Section>
      <TestCard storeUrl={storeUrl} setup={setup} words={words} isFixed={isFixed} />
    </Stack>
  )
}
