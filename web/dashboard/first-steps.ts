import type { FlowView } from '../../shared/flows.ts'
import type { StoreView } from '../../shared/stores.ts'

// What stands between a new account and its first recovered cart. Pure.

export interface FirstStep {
  title: string
  text: string
  isDone: boolean
  way?: { label: string; to: string }
}

interface Known {
  store: Pick<StoreView, 'name' | 'store_url' | 'captureSeenAt' | 'senderName' | 'senderEmail' | 'postalAddress'>
  /** undefined: could not be read. */
  health: { ageSeconds: number | null; counts: { orders: number; products: number } } | undefined
  flows: Pick<FlowView, 'isOn'>[] | undefined
}

export function firstSteps({ store, health, flows }: Known): FirstStep[] {
  const isRead = health !== undefined && health.ageSeconds !== null
  const isSeen = store.captureSeenAt !== null
  const hasSender = store.senderName !== '' && store.postalAddress !== ''
  const isOn = flows?.some((flow) => flow.isOn) ?? false
  return [
    { title: 'Connect your store', text: `${store.name || store.store_url} is connected.`, isDone: true },
    {
      title: 'Read its orders and products',
      text: isRead
        ? 'They are here, and every new order is looked up before a message leaves.'
        : 'The first reading is under way; with many orders it takes some minutes.',
      isDone: isRead,
    },
    {
      title: 'See carts as they are filled',
      text: isSeen
        ? 'The capture script reports from your shop.'
        : 'Add the capture script to your shop. Without it only checkouts that were begun are seen.',
      isDone: isSeen,
      way: { label: 'Show the script', to: '/settings' },
    },
    {
      title: 'Say who writes',
      text: hasSender
        ? `Messages come from ${store.senderName}.`
        : 'Messages need a sender’s name and a postal address.',
      isDone: hasSender,
      way: { label: 'Set the sender', to: '/settings/sending' },
    },
    {
      title: 'Switch the recovery flow on',
      text: isOn
        ? 'It writes to whoever leaves a cart behind, and stops when they buy.'
        : 'Three emails are ready. Read the preview, then switch the flow on.',
      isDone: isOn,
      way: { label: 'Open flows', to: '/flows' },
    },
    {
      title: 'Wait for the first cart',
      text: 'Or try it: put something in a cart of your shop, type an address of your own, and leave.',
      isDone: false,
    },
  ]
}
