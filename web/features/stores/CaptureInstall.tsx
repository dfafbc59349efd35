import './install.css'
import { Button, Card, List, Text, Title } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useState } from 'react'
import type { StoreView } from '../../../shared/access/stores.ts'
import { WITHOUT_SCRIPT_TEXT } from '../../../shared/carts/capture-status.ts'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import { useConnection } from '../../core/access/queries.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { CaptureTitle } from './CaptureCard.tsx'
import { buildCaptureSnippet } from './rules.ts'
import { Snippet } from './Snippet.tsx'

/** How to install the tracking script; for WordPress by kind of theme. */
export const CaptureInstall = ({ store }: { store: StoreView }) =>
  capabilities[store.platform].snippet === 'theme' ? <ThemeInstall store={store} /> : <WordPressInstall store={store} />

function ThemeInstall({ store }: { store: StoreView }) {
  const snippet = buildCaptureSnippet(location.origin, store.captureKey, 'theme')
  return (
    <>
      <Card>
        <CaptureTitle store={store} title="Install the tracking script" />
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
      <LastPostCard store={store} docs="docs/connecting-shopify.md" hints={themeHints} />
    </>
  )
}

function WordPressInstall({ store }: { store: StoreView }) {
  const snippet = buildCaptureSnippet(location.origin, store.captureKey)
  return (
    <>
      <Card>
        <CaptureTitle store={store} title="Install the tracking script" />
        {store.mode === 'plugin' && (
          <Notice tone="good" title="Not needed">
            The plugin reports carts from your shop.
          </Notice>
        )}
        <Text fz="sm" c="dimmed" mt={4} mb="md">
          {store.mode !== 'plugin' && `${WITHOUT_SCRIPT_TEXT}. `}Add this line to every page of your shop. Option 1
          suits most shops.
        </Text>
        <Snippet code={snippet} label="Copy script" />
      </Card>
      {installMethods.map((method, place) => (
        <InstallOption key={method.id} method={method} number={place + 1} snippet={snippet} />
      ))}
      <LastPostCard store={store} docs="docs/connecting-woocommerce.md" hints={wordPressHints} />
    </>
  )
}

function InstallOption({ method, number, snippet }: { method: InstallMethod; number: number; snippet: string }) {
  return (
    <Card component="section" aria-labelledby={`way-${method.id}`}>
      <Title order={2} id={`way-${method.id}`}>
        Option {number}: {method.title}
      </Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        {method.when}
      </Text>
      <div className="install-way">
        <List type="ordered" spacing="sm" fz="sm">
          {method.steps.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
        <InstallDrawing methodId={method.id} label={method.drawing} />
      </div>
      {method.hasOwnCode && (
        <div className="install-code">
          <Snippet code={buildFunctionsCode(snippet)} label="Copy code" />
        </div>
      )}
      {method.id !== 'plugin' && (
        <Text fz="sm" c="dimmed" mt="md">
          Some hosts disable the Theme File Editor. In that case, edit the file by SFTP in wp-content/themes, or choose
          option 1.
        </Text>
      )}
    </Card>
  )
}

interface LastPostProps {
  store: StoreView
  docs: string
  hints: readonly string[]
}

/** Whether the script was seen, and what may block it. */
function LastPostCard({ store, docs, hints }: LastPostProps) {
  const connection = useConnection()
  const [answer, setAnswer] = useState<'none' | 'told' | 'failed'>('none')
  const ask = async () => {
    const result = await connection?.refetch()
    setAnswer(result?.isSuccess ? 'told' : 'failed')
  }
  return (
    <Card component="section" aria-labelledby="script-seen">
      <Title order={2} id="script-seen">
        Check the installation
      </Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Open your shop in another window, add something to the cart, then come back.
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
            Recoup could not be reached. Check your connection, then try again.
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

// Drawings of where to click in WordPress, in theme colors. Numbers are those of the steps.

function InstallDrawing({ methodId, label }: { methodId: MethodId; label: string }) {
  return (
    <svg viewBox="0 0 340 212" role="img" aria-label={label} className="drawing">
      <rect x="0.5" y="0.5" width="339" height="211" rx="8" className="drawing-window" />
      {methodId === 'plugin' ? <PluginPage /> : <FileEditor theme={methodId} />}
    </svg>
  )
}

function PluginPage() {
  return (
    <>
      <path d="M8.5 0.5h107v211h-107a8 8 0 0 1-8-8v-195a8 8 0 0 1 8-8z" className="drawing-side" />
      <Label at={[14, 24]}>Dashboard</Label>
      <Label at={[14, 46]}>WooCommerce</Label>
      <Label at={[14, 68]}>Plugins</Label>
      <Label at={[14, 90]} isStrong>
        Code Snippets
      </Label>
      <rect x="8" y="98" width="104" height="22" rx="5" className="drawing-chosen" />
      <Label at={[16, 113]} isStrong>
        Header & Footer
      </Label>
      <Marker at={[110, 98]} step={2} />
      <Label at={[130, 30]} isStrong>
        Header
      </Label>
      <rect x="130" y="40" width="192" height="52" rx="5" className="drawing-field" />
      <ScriptLine at={[138, 60]} />
      <Marker at={[320, 42]} step={3} />
      <Label at={[130, 114]}>Body</Label>
      <rect x="130" y="122" width="192" height="28" rx="5" className="drawing-field" />
      <PressHere at={[130, 168]} step={4}>
        Save Changes
      </PressHere>
    </>
  )
}

const files = {
  classic: ['style.css', 'functions.php', 'header.php'],
  block: ['style.css', 'theme.json', 'functions.php'],
}

function FileEditor({ theme }: { theme: 'classic' | 'block' }) {
  return (
    <>
      <Label at={[16, 24]} isStrong>
        Edit Themes
      </Label>
      <rect x="16" y="34" width="196" height="124" rx="5" className="drawing-field" />
      {theme === 'classic' ? <HeaderFile /> : <FunctionsFile />}
      <Marker at={[210, theme === 'classic' ? 104 : 98]} step={3} />
      <Label at={[226, 46]}>Theme Files</Label>
      <rect x="222" y="97" width="104" height="22" rx="5" className="drawing-chosen" />
      {files[theme].map((file, place) => (
        <Label key={file} at={[230, 68 + place * 22]} isStrong={place === 2}>
          {file}
        </Label>
      ))}
      <Marker at={[324, 97]} step={2} />
      <PressHere at={[16, 170]} step={4}>
        Update File
      </PressHere>
    </>
  )
}

function HeaderFile() {
  return (
    <>
      <Code at={[24, 54]}>{'<head>'}</Code>
      <Code at={[32, 72]}>{'<?php wp_head(); ?>'}</Code>
      <ScriptLine at={[32, 108]} isMarked />
      <Code at={[24, 130]}>{'</head>'}</Code>
      <Code at={[24, 148]}>{'<body …>'}</Code>
    </>
  )
}

function FunctionsFile() {
  return (
    <>
      <Code at={[24, 54]}>{'<?php'}</Code>
      <rect x="20" y="82" width="188" height="62" rx="4" className="drawing-chosen" />
      <Code at={[24, 100]}>{"add_action( 'wp_head', …"}</Code>
      <ScriptLine at={[32, 118]} />
      <Code at={[24, 136]}>{'} );'}</Code>
    </>
  )
}

type Place = readonly [x: number, y: number]

function Label({ at: [x, y], isStrong, children }: { at: Place; isStrong?: boolean; children: string }) {
  return (
    <text x={x} y={y} className={isStrong ? 'drawing-strong' : 'drawing-words'}>
      {children}
    </text>
  )
}

function Code({ at: [x, y], children }: { at: Place; children: string }) {
  return (
    <text x={x} y={y} className="drawing-code">
      {children}
    </text>
  )
}

function ScriptLine({ at, isMarked }: { at: Place; isMarked?: boolean }) {
  return (
    <>
      {isMarked && <rect x="20" y={at[1] - 15} width="188" height="22" rx="4" className="drawing-chosen" />}
      <Code at={at}>{'<script src="…" defer>'}</Code>
    </>
  )
}

function PressHere({ at: [x, y], step, children }: { at: Place; step: number; children: ReactNode }) {
  return (
    <>
      <rect x={x} y={y} width="96" height="28" rx="6" className="drawing-button" />
      <text x={x + 48} y={y + 18} textAnchor="middle" className="drawing-press">
        {children}
      </text>
      <Marker at={[x + 96, y]} step={step} />
    </>
  )
}

function Marker({ at: [x, y], step }: { at: Place; step: number }) {
  return (
    <>
      <circle cx={x} cy={y} r="9.5" className="drawing-marker" />
      <text x={x} y={y + 4} textAnchor="middle" className="drawing-number">
        {step}
      </text>
    </>
  )
}

// Methods to install the tracking script. Pure texts, shown by `CaptureInstall.tsx`, for WordPress with drawings. Keep
// docs/capture-script.md and docs/connecting-shopify.md in step.

type MethodId = 'plugin' | 'classic' | 'block'

interface InstallMethod {
  id: MethodId
  title: string
  /** Which shops it suits. */
  when: string
  /** The drawing's numbers are those of the steps. */
  steps: readonly string[]
  /** Text alternative of the drawing. */
  drawing: string
  /** This method pastes something other than the script line. */
  hasOwnCode?: boolean
}

export const installMethods: readonly InstallMethod[] = [
  {
    id: 'plugin',
    title: 'A plugin for header scripts',
    when: 'Works with every theme, needs no file changes, and survives theme updates. The steps are for the free plugin WPCode; similar plugins have the same field.',
    steps: [
      'In WordPress open Plugins → Add New, search for “WPCode”, install it and activate it.',
      'Open Code Snippets → Header & Footer.',
      'Paste the line into the field “Header”.',
      'Press “Save Changes”.',
    ],
    drawing:
      'Drawing of the WordPress admin: under Code Snippets in the menu, Header & Footer is chosen (2). The page has a field named Header with the script in it (3) and the button Save Changes (4).',
  },
  {
    id: 'classic',
    title: 'A classic theme',
    when: 'Your theme is a classic one if Appearance has “Customize” and no “Editor”. Use a child theme: an update of the theme overwrites its own files.',
    steps: [
      'Activate your child theme. If it has no header.php, copy that file from the parent theme’s folder into the child’s.',
      'Open Appearance → Theme File Editor and choose header.php.',
      'Paste the line directly above </head>.',
      'Press “Update File”.',
    ],
    drawing:
      'Drawing of the Theme File Editor: header.php is chosen in the list of files (2). The script is between wp_head and the end of the head (3). Below is the button Update File (4).',
  },
  {
    id: 'block',
    title: 'A block theme',
    when: 'Your theme is a block theme if Appearance has “Editor”. It has no header.php and no </head> to paste into: WordPress builds the head, and the child theme’s functions.php adds to it.',
    steps: [
      'Activate your child theme. With a block theme, the plugin “Create Block Theme” can make one.',
      'Open Tools → Theme File Editor and choose functions.php.',
      'Paste the code below at the end of the file. If the file ends with ?>, paste it above that.',
      'Press “Update File”.',
    ],
    drawing:
      'Drawing of the Theme File Editor: functions.php is chosen in the list of files (2). At the end of its text the code that begins with add_action is pasted (3). Below is the button Update File (4).',
    hasOwnCode: true,
  },
]

/** For functions.php, in themes without an editable head. */
export const buildFunctionsCode = (snippet: string) =>
  `add_action( 'wp_head', function () {\n    echo '${snippet}';\n} );`

/** Shopify has a single method: scripts that apps inject (ScriptTag) no longer run. */
export const themeSteps: readonly string[] = [
  'In Shopify open Online Store → Themes.',
  'Beside your current theme press ⋯, then Edit code.',
  'Open layout/theme.liquid.',
  'Paste the line directly above </head>.',
  'Press Save. After you publish another theme, do the same there.',
]

const THEME_REACH =
  'The script detects carts before checkout, and emails entered in the theme’s newsletter or contact form. It does not run in the checkout; Shopify reports what shoppers enter there.'

const EVERYWHERE = [
  'Search the source of a shop page (Ctrl+U) for “/capture/”. If you do not find it, the line is not on the page.',
  'The address in the line must be reachable from the internet: visitors load the script from this server.',
]

/** What can block the script. */
const wordPressHints: readonly string[] = [
  'Empty the cache of your shop: cache plugin, host, and CDN. Cached pages do not contain the line.',
  'Exclude the script from plugins that combine, delay or block scripts. A consent plugin may block it until the visitor agrees.',
  ...EVERYWHERE,
]

const themeHints: readonly string[] = [
  'The line must be in the published theme: under Online Store → Themes, the “Current theme”.',
  'A consent or page speed app may block the script. Allow the script in that app.',
  ...EVERYWHERE,
]
