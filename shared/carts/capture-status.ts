import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'

/** What is detected of carts without the capture script, for all screens. */
export const WITHOUT_SCRIPT_TEXT = 'Without the tracking script, only started checkouts are detected'

/** The same for one store, depending on when its version turns a checkout into an order. */
export function getDetectionText({
  hasEarlyDrafts,
  hasPlugin,
}: {
  hasEarlyDrafts: boolean
  hasPlugin: boolean
}): string {
  if (hasPlugin) return 'The plugin reports a cart from its first item on.'
  return hasEarlyDrafts
    ? `${WITHOUT_SCRIPT_TEXT}: a cart appears once the checkout page is opened.`
    : `${WITHOUT_SCRIPT_TEXT}: a cart appears once “Place order” is pressed.`
}

/** New addresses of one kind per hour from one network to one store (X5). */
export const CONTACTS_PER_CLIENT = 20

export const captureStatus = endpoint({
  method: 'GET',
  path: '/api/capture-status',
  permission: 'stores:read',
  scope: 'store',
  summary:
    'Contacts of the last 24 hours that were above the limits on new contacts, by limit, and how many of them nothing has confirmed',
  query: storeQuery,
  reply: z.object({
    unconfirmed: z.object({ client: z.number(), store: z.number(), open: z.number() }),
    /** The store's total limit for this hour. */
    ceiling: z.number(),
  }),
})
export type CaptureStatus = z.infer<typeof captureStatus.reply>

/** null: no limit was exceeded. */
export function limitText({ unconfirmed: { client, store, open }, ceiling }: CaptureStatus): string | null {
  if (client + store === 0) return null
  const reasons = [
    ...(client > 0 ? [`${client} because more than ${CONTACTS_PER_CLIENT} came from one network within an hour`] : []),
    ...(store > 0 ? [`${store} because the store had more than ${ceiling} within an hour`] : []),
  ]
  const rest =
    open === 0
      ? 'All of them have been confirmed by an order or draft order since.'
      : `${open} of them ${open === 1 ? 'is' : 'are'} not confirmed by an order or draft order yet and ${open === 1 ? 'is' : 'are'} not messaged.`
  return `In the last 24 hours, ${client + store} new ${client + store === 1 ? 'contact was' : 'contacts were'} above a limit: ${reasons.join(', ')}. The carts are kept. ${rest}`
}
