import './push.css'
import { Anchor, List, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useHasPermission } from '../access/queries.ts'
import { Failed } from '../ui/Failed.tsx'
import { buttonCode, easyCode, functionsCode } from './code.ts'
import { Figures, sentFigures } from './Figures.tsx'
import { type InstallMethod, installMethods } from './install-methods.ts'
import { KeyCard } from './KeyCard.tsx'
import { PushScreen } from './PushScreen.tsx'
import { CodeBox, NoStore, NotAllowed, Outcome, Section } from './parts.tsx'
import { type PushSetup, useWorkerText } from './queries.ts'
import type { PushActionResult } from './rules.ts'
import { Seen } from './Seen.tsx'

/** A 2.10. */
export const PushSetupPage = () => (
  <PushScreen
    title="Push Notification Integration"
    text="Widget and service worker in your shop’s pages"
    other={{ to: '/push-notifications', label: 'Push Notification Manager' }}
  >
    {(setup, storeId) => <Steps setup={setup} {...(storeId && { storeId })} />}
  </PushScreen>
)

function Steps({ setup, storeId }: { setup: PushSetup | null; storeId?: string }) {
  const mayChange = useHasPermission('flows:write')
  const mayReplace = useHasPermission('flows:switch')
  const [chosen, setChosen] = useState<InstallMethod['method']>('functions')
  const way = installMethods.find(({ method }) => method === chosen)!
  return (
    <Stack gap="md" maw={860}>
      {!setup && <NoStore />}
      {setup && !mayChange && <NotAllowed />}
      <Text fz="sm">
        The Recoup plugin for WooCommerce brings widget and worker along: with it you need nothing but the key.
      </Text>
      <KeyCard setup={setup} isFixed={!setup || !mayChange} mayReplace={mayReplace} />
      <CodeCard setup={setup} way={way} onChoose={setChosen} />
      <WorkerCard />
      <Section id="install" title={`Installation in WordPress: ${way.title}`}>
        <List type="ordered" spacing="sm" fz="sm">
          {way.steps.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
      </Section>
      <Section id="stats" title="Statistics">
        <Figures storeId={storeId ?? null} figures={sentFigures} isDisabled={false} />
      </Section>
    </Stack>
  )
}

interface CodeProps {
  setup: PushSetup | null
  way: InstallMethod
  onChoose: (method: InstallMethod['method']) => void
}

/** Step 2. */
function CodeCard({ setup, way, onChoose }: CodeProps) {
  const [result, setResult] = useState<PushActionResult | null>(null)
  const code = useInstallCode(setup, way.method)
  const choose = (method: string) => {
    setResult(null)
    onChoose(method as InstallMethod['method'])
  }
  return (
    <Section id="code" title="Step 2: integration code" text={way.when}>
      <SegmentedControl
        aria-label="Method"
        className="push-methods"
        value={way.method}
        onChange={choose}
        data={installMethods.map(({ method, title }) => ({ value: method, label: title }))}
      />
      <CodeBox
        code={code}
        name={`Code: ${way.title}`}
        label="Copy code"
        copied="Code copied to clipboard"
        missing="Generate the key first: the code goes with it."
        onResult={setResult}
      />
      <Outcome result={result} />
      {setup && <Seen seen={setup.seen} method={way.method} />}
    </Section>
  )
}

function useInstallCode(setup: PushSetup | null, method: InstallMethod['method']): string | null {
  const worker = useWorkerText().data
  if (!setup?.keys) return null
  const widget = { origin: location.origin, storeKey: setup.storeKey, storeUrl: setup.storeUrl }
  if (method === 'easy') return easyCode(widget)
  if (method === 'button') return buttonCode(widget)
  return worker === undefined ? null : functionsCode(widget, worker)
}

/** Step 3. */
function WorkerCard() {
  const worker = useWorkerText()
  const [result, setResult] = useState<PushActionResult | null>(null)
  return (
    <Section
      id="worker"
      title="Step 3: service worker file sw.js"
      text="For Easy Integration and Manual Button. The plugin and Functions.php bring it along."
    >
      {worker.error ? (
        <Failed title="sw.js could not be loaded" error={worker.error} onRetry={() => worker.refetch()} />
      ) : (
        <CodeBox
          code={worker.data ?? null}
          name="sw.js"
          label="Copy sw.js"
          copied="Code copied to clipboard"
          missing="Loading sw.js …"
          onResult={setResult}
        >
          <Anchor href="/push/sw.js" download="sw.js" fz="sm">
            Download sw.js
          </Anchor>
        </CodeBox>
      )}
      <Outcome result={result} />
    </Section>
  )
}
