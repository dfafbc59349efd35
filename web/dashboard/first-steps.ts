import { WITHOUT_SCRIPT } from '../../shared/capture-status.ts'
import type { FlowView } from '../../shared/flows.ts'
import type { MailServerView } from '../../shared/mail-server.ts'
import type { StoreView } from '../../shared/stores.ts'

// The set-up steps between a new account and its first recovered cart. Pure.

export interface FirstStep {
  title: string
  text: string
  isDone: boolean
  way?: { label: string; to: string }
}

interface SetupFacts {
  store: Pick<
    StoreView,
    'name' | 'store_url' | 'mode' | 'senderName' | 'senderEmail' | 'postalAddress' | 'isCaptureChosen'
  >
  /** undefined: failed to load. */
  health:
    | { ageSeconds: number | null; isReported?: boolean | undefined; counts: { orders: number; products: number } }
    | undefined
  flows: Pick<FlowView, 'isOn'>[] | undefined
  mail: Pick<MailServerView, 'way' | 'acceptedAt' | 'isFixed'> | undefined
  /** Whether a cart exists, for instance from an old order. */
  hasCarts?: boolean
}

const REPORTS: Readonly<Record<StoreView['mode'], string>> = {
  plugin: 'The plugin reports carts.',
  capture: 'Your shop reports its carts.',
  limited: `${WITHOUT_SCRIPT}.`,
}

/**
 * Whether to show the steps above the figures. They stay until the flow is on, the shop reports carts, a mail server
 * accepted a test mail and storage before consent was chosen, however many carts exist. What failed to load does not
 * count as missing. The demo needs no set-up.
 */
export function isSetupOpen({ store, flows, mail }: Pick<SetupFacts, 'store' | 'flows' | 'mail'>): boolean {
  if (!flows || !mail || mail.isFixed) return false
  return (
    !flows.some((flow) => flow.isOn) || store.mode === 'limited' || mail.acceptedAt === null || !store.isCaptureChosen
  )
}

export function buildFirstSteps({ store, health, flows, mail, hasCarts = false }: SetupFacts): FirstStep[] {
  const isRead = health !== undefined && health.ageSeconds !== null
  const isSeen = store.mode !== 'limited'
  const hasSender = store.senderName !== '' && store.postalAddress !== ''
  const isOn = flows?.some((flow) => flow.isOn) ?? false
  return [
    { title: 'Connect your store', text: `${store.name || store.store_url} is connected.`, isDone: true },
    {
      title: 'Import orders and products',
      text: describeImport(isRead, health?.isReported),
      isDone: isRead,
    },
    {
      title: 'Report carts from your shop',
      text: REPORTS[store.mode],
      isDone: isSeen,
      way: { label: 'Install the script', to: '/settings/capture-script' },
    },
    ...(store.isCaptureChosen ? [] : [CHOOSE_CAPTURE]),
    {
      title: 'Add your sender details',
      text: hasSender ? `Messages come from ${store.senderName}.` : 'Messages need a sender name and a postal address.',
      isDone: hasSender,
      way: { label: 'Set the sender', to: '/settings/sending/sender' },
    },
    ...(mail?.isFixed ? [] : [buildMailStep(mail)]),
    {
      title: 'Switch the recovery flow on',
      text: isOn
        ? 'It messages shoppers who abandon a cart, and stops when they buy.'
        : 'Three emails are ready. Read the preview, then switch the flow on.',
      isDone: isOn,
      way: { label: 'Open flows', to: '/flows' },
    },
    {
      title: 'Wait for the first cart',
      text: hasCarts
        ? 'There are carts already.'
        : 'Or try it yourself: put something in the cart in your shop, enter your own email address at checkout, and leave.',
      isDone: hasCarts,
      way: { label: 'Try a test cart', to: '/dashboard?try=cart' },
    },
  ]
}

/** `isReported`: Recoup cannot reach the shop; tells whether the plugin reports its orders. */
function describeImport(isRead: boolean, isReported?: boolean): string {
  if (isReported !== undefined) {
    if (!isRead) return 'Recoup cannot reach your shop. It waits for the plugin’s first report of orders.'
    return isReported
      ? 'Recoup cannot reach your shop. The plugin reports new orders; Recoup reads nothing else until the shop answers.'
      : 'Recoup cannot reach your shop, and the plugin does not report what messages need. The doctor says what to do.'
  }
  return isRead
    ? 'Imported. New orders are checked before each message is sent.'
    : 'The first import is running. With many orders, it takes some minutes.'
}

/** For stores older than the setting; newer ones start with the default of their countries. */
const CHOOSE_CAPTURE: FirstStep = {
  title: 'Choose what is kept before consent',
  text: 'Until you choose, what shoppers type at the checkout is kept before they agree to anything.',
  isDone: false,
  way: { label: 'Choose', to: '/settings/consent#capture' },
}

/** Only a mail accepted by a mail server counts: the built-in mailbox delivers to no shopper. */
function buildMailStep(mail: SetupFacts['mail']): FirstStep {
  const title = 'Send yourself a test email'
  const hasServer = mail?.way === 'own' || mail?.way === 'server'
  const label = hasServer ? 'Send a test email' : 'Set up a mail server'
  const way = { label, to: '/settings/sending/mail-server' }
  if (mail?.acceptedAt) return { title, text: 'The mail server accepted it.', isDone: true, way }
  const text = hasServer
    ? 'It shows that your mail server accepts your emails.'
    : 'Set up a mail server first. Until then, no email reaches your shoppers.'
  return { title, text, isDone: false, way }
}
