import './install.css'
import { Button, Card, List, Text, Title } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { WITHOUT_SCRIPT } from '../../shared/capture-status.ts'
import { capabilities } from '../../shared/platforms.ts'
import type { StoreView } from '../../shared/stores.ts'
import { useConnection } from '../access/queries.ts'
import { Notice } from '../ui/Notice.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { CaptureTitle } from './CaptureCard.tsx'
import { InstallDrawing } from './InstallDrawing.tsx'
import {
  buildFunctionsCode,
  type InstallMethod,
  installMethods,
  THEME_REACH,
  themeHints,
  themeSteps,
  wordPressHints,
} from './install-methods.ts'
import { buildCaptureSnippet } from './rules.ts'
import { Snippet } from './Snippet.tsx'

/** How to install the capture script; for WordPress by kind of theme. */
export const CaptureInstall = ({ store }: { store: StoreView }) =>
  capabilities[store.platform].snippet === 'theme' ? <ThemeInstall store={store} /> : <WordPressInstall store={store} />

function ThemeInstall({ store }: { store: StoreView }) {
  const snippet = buildCaptureSnippet(location.origin, store.captureKey, 'theme')
  return (
    <>
      <Card>
        <CaptureTitle store={store} title="Install the capture script" />
        <Text fz="sm" c="dimmed" mt={4} mb="md">
          {THEME_REACH}
        </Text>
        <Snippet code={snippet} label="Copy script" />
        <List type="ordered" spacing="sm" fz="sm" mt="md">
          {themeSteps.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
      </Card>
      <SeenCard store={store} docs="docs/connecting-shopify.md" hints={themeHints} />
    </>
  )
}

function WordPressInstall({ store }: { store: StoreView }) {
  const snippet = buildCaptureSnippet(location.origin, store.captureKey)
  return (
    <>
      <Card>
        <CaptureTitle store={store} title="Install the capture script" />
        {store.mode === 'plugin' && (
          <Notice tone="good" title="Not needed">
            The plugin reports carts from your shop.
          </Notice>
        )}
        <Text fz="sm" c="dimmed" mt={4} mb="md">
          {store.mode !== 'plugin' && `${WITHOUT_SCRIPT}. `}This line belongs on every page of your shop. Choose one of
          the three options below; the first suits most shops.
        </Text>
        <Snippet code={snippet} label="Copy script" />
      </Card>
      {installMethods.map((way, place) => (
        <Way key={way.id} way={way} number={place + 1} snippet={snippet} />
      ))}
      <SeenCard store={store} docs="docs/connecting-woocommerce.md" hints={wordPressHints} />
    </>
  )
}

function Way({ way, number, snippet }: { way: InstallMethod; number: number; snippet: string }) {
  return (
    <Card component="section" aria-labelledby={`way-${way.id}`}>
      <Title order={2} id={`way-${way.id}`}>
        Option {number}: {way.title}
      </Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        {way.when}
      </Text>
      <div className="install-way">
        <List type="ordered" spacing="sm" fz="sm">
          {way.steps.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
        <InstallDrawing way={way.id} label={way.drawing} />
      </div>
      {way.hasOwnCode && (
        <div className="install-code">
          <Snippet code={buildFunctionsCode(snippet)} label="Copy code" />
        </div>
      )}
      {way.id !== 'plugin' && (
        <Text fz="sm" c="dimmed" mt="md">
          Some hosts disable the Theme File Editor. In that case, edit the file by SFTP in wp-content/themes, or choose
          option 1.
        </Text>
      )}
    </Card>
  )
}

interface SeenProps {
  store: StoreView
  docs: string
  hints: readonly string[]
}

/** Whether the script was seen, and what may block it. */
function SeenCard({ store, docs, hints }: SeenProps) {
  const connection = useConnection()
  const [answer, setAnswer] = useState<'none' | 'told' | 'failed'>('none')
  const ask = async () => {
    const asked = await connection?.refetch()
    setAnswer(asked?.isSuccess ? 'told' : 'failed')
  }
  return (
    <Card component="section" aria-labelledby="script-seen">
      <Title order={2} id="script-seen">
        Check the installation
      </Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Open a page of your shop in another window, put something into the cart, then come back.
      </Text>
      <div className="install-seen">
        {store.captureSeenAt ? (
          <Notice tone="good" isLive={answer === 'told'}>
            The script is on your pages. Last report <TimeAgo at={store.captureSeenAt} />.
          </Notice>
        ) : (
          answer === 'told' && (
            <Notice tone="warn" isLive>
              No report from the script yet.
            </Notice>
          )
        )}
        {answer === 'failed' && (
          <Notice tone="bad" isLive>
            This server could not be reached. Check your connection, then try again.
          </Notice>
        )}
        <Button
          variant="default"
          size="sm"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={connection?.isFetching ?? false}
          onClick={ask}
        >
          Check now
        </Button>
      </div>
      <Text fz="sm" fw={550} mt="lg" mb={6}>
        If it is not detected
      </Text>
      <List spacing="sm" fz="sm">
        {hints.map((hint) => (
          <List.Item key={hint}>{hint}</List.Item>
        ))}
      </List>
      <Text fz="sm" c="dimmed" mt="md">
        More, with consent and limits, is in <code>docs/capture-script.md</code> and <code>{docs}</code> of the source.
      </Text>
    </Card>
  )
}
