import './push.css'
import { Anchor, Button, List, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { PushMethod } from '../../../shared/delivery/push.ts'
import { pushTexts } from '../../../shared/delivery/push.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCounted } from '../../core/ui/format.ts'
import { formatDateTime } from '../../core/ui/times.ts'
import { buttonCode, easyCode, functionsCode } from './code.ts'
import { Figures, sentFigures } from './Figures.tsx'
import { PushScreen } from './PushScreen.tsx'
import { CodeBox, Developer, NoStore, NotAllowed, Outcome, Section } from './parts.tsx'
import { type PushSetup, type Replace, useGenerateKeys, useWorkerText } from './queries.ts'
import { RegenerateDialog } from './RegenerateDialog.tsx'
import type { PushActionResult } from './rules.ts'
import { createFailure, findWorkingMethod, succeeded } from './rules.ts'
import { LiveCheck, MethodCheck } from './Seen.tsx'

/** A 2.10. */
export const PushSetupPage = () => (
  <PushScreen
    title="Push Notification Integration"
    text="Web push on your shop’s pages"
    other={{ to: '/push-notifications', label: 'Push Notification Manager' }}
  >
    {(setup, storeId) => <Steps setup={setup} {...(storeId && { storeId })} />}
  </PushScreen>
)

function Steps({ setup, storeId }: { setup: PushSetup | null; storeId?: string }) {
  const mayChange = useHasPermission('flows:write')
  const mayReplace = useHasPermission('flows:switch')
  const [chosen, setChosen] = useState<InstallMethod['method']>('functions')
  const installMethod = installMethods.find(({ method }) => method === chosen)!
  return (
    <Stack gap="md" className="push-page">
      {!setup && <NoStore />}
      {setup && !mayChange && <NotAllowed />}
      {setup && <LiveCheck places={setup.seen} />}
      <Section id="stats" title="Statistics">
        <Figures storeId={storeId ?? null} figures={sentFigures} isDisabled={false} />
      </Section>
      <Developer
        text="Keys and code for a shop without the Recoup plugin"
        isOpen={!setup || findWorkingMethod(setup.seen) !== 'plugin'}
      >
        <KeyCard setup={setup} isFixed={!setup || !mayChange} mayReplace={mayReplace} />
        <CodeCard setup={setup} installMethod={installMethod} onChoose={setChosen} />
        <WorkerCard />
        <Section id="install" title={`Installation in WordPress: ${installMethod.title}`}>
          <List type="ordered" spacing="xs" fz="sm">
            {installMethod.steps.map((step) => (
              <List.Item key={step}>{step}</List.Item>
            ))}
          </List>
        </Section>
      </Developer>
    </Stack>
  )
}

interface CodeProps {
  setup: PushSetup | null
  installMethod: InstallMethod
  onChoose: (method: InstallMethod['method']) => void
}

/** Step 2. */
function CodeCard({ setup, installMethod, onChoose }: CodeProps) {
  const [result, setResult] = useState<PushActionResult | null>(null)
  const code = useInstallCode(setup, installMethod.method)
  const choose = (method: string) => {
    setResult(null)
    onChoose(method as InstallMethod['method'])
  }
  return (
    <Section id="code" title="Step 2: integration code" text={installMethod.when}>
      <SegmentedControl
        aria-label="Method"
        className="push-methods"
        value={installMethod.method}
        onChange={choose}
        data={installMethods.map(({ method, title }) => ({ value: method, label: title }))}
      />
      <CodeBox
        code={code}
        name={`Code: ${installMethod.title}`}
        label="Copy code"
        copied="Code copied to clipboard"
        missing="Generate the key first: the code contains it."
        onResult={setResult}
      />
      <Outcome result={result} />
      {setup && <MethodCheck places={setup.seen} method={installMethod.method} />}
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
    <Section id="worker" title="Step 3: service worker file sw.js" text="For Easy Integration and Manual Button only.">
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

interface Props {
  setup: PushSetup | null
  isFixed: boolean
  mayReplace: boolean
}

/** Step 1 (A 2.10). */
function KeyCard({ setup, isFixed, mayReplace }: Props) {
  const [isConfirming, setConfirming] = useState(false)
  const [result, setResult] = useState<PushActionResult | null>(null)
  const generate = useGenerateKeys()
  const keys = setup?.keys ?? null
  const run = (replace?: Replace) =>
    generate.mutate(
      { storeUrl: setup?.storeUrl ?? '', ...(replace && { replace }) },
      {
        onSuccess: () => setResult(succeeded(pushTexts.keysMade)),
        onError: () => setResult(createFailure(pushTexts.keysFailed)),
        onSettled: () => setConfirming(false),
      },
    )
  return (
    <Section
      id="key"
      title="Step 1: VAPID public key"
      text="Only the holder of the private key can send to your subscribers. Recoup stores it encrypted."
    >
      {keys ? <p className="push-key">{keys.publicKey}</p> : <Text fz="sm">No key yet.</Text>}
      {keys?.older.map(({ madeAt, endsAt, subscriptions }) => (
        <Text key={madeAt} fz="sm" c="dimmed">
          An older key still has {formatCounted(subscriptions, 'subscription')}. It expires on {formatDateTime(endsAt)}.
        </Text>
      ))}
      <div className="push-ways">
        {keys ? (
          <Button variant="default" disabled={isFixed || !mayReplace} onClick={() => setConfirming(true)}>
            Regenerate
          </Button>
        ) : (
          <Button loading={generate.isPending} disabled={isFixed} onClick={() => run()}>
            Generate
          </Button>
        )}
        {keys && !isFixed && !mayReplace && <Text fz="sm">{pushTexts.leadersOnly}</Text>}
      </div>
      <Outcome result={result} />
      {keys && (
        <RegenerateDialog
          keys={keys}
          opened={isConfirming}
          isBusy={generate.isPending}
          onReplace={run}
          onClose={() => setConfirming(false)}
        />
      )}
    </Section>
  )
}

// Methods to install widget and worker in a WordPress shop, with steps. Pure texts; keep docs/web-push.md in step.

interface InstallMethod {
  method: Exclude<PushMethod, 'plugin'>
  title: string
  when: string
  steps: readonly string[]
}

const UPLOAD =
  'Upload sw.js from step 3 to the site’s root, by SFTP or your host’s file manager: the folder with wp-config.php. https://your-store.com/sw.js must then show it.'
const CACHE = 'Empty the cache of your shop: cache plugin, host and CDN.'

const installMethods: readonly InstallMethod[] = [
  {
    method: 'easy',
    title: 'Easy Integration',
    when: 'One line on every page and one file in the site’s root folder.',
    steps: [
      UPLOAD,
      'Paste the line into the header of every page, for example in the field “Header” of the free plugin WPCode.',
      CACHE,
    ],
  },
  {
    method: 'button',
    title: 'Manual Button',
    when: 'The same with your own button. It appears when the cart has items and the browser supports push, and opens the prompt.',
    steps: [
      UPLOAD,
      'Paste the button where shoppers should see it, for example as a “Custom HTML” block in the cart page or footer. Change its text and style, but keep data-recoup-push.',
      'Put the script’s line right below it, on every page that has the button.',
      CACHE,
    ],
  },
  {
    method: 'functions',
    title: 'Functions.php (recommended)',
    when: 'Nothing to upload: the code adds the line to every page and serves the worker.',
    steps: [
      'Activate your child theme, because theme updates overwrite the theme’s own files.',
      'Open Tools → Theme File Editor (Appearance → Theme File Editor with a classic theme) and choose functions.php.',
      'Paste the code at the end of the file. If the file ends with ?>, paste it above that. Press “Update File”.',
      CACHE,
    ],
  },
]
