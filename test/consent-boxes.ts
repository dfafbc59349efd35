import type { ConsentChannel } from '../shared/shoppers/consent.ts'
import { computeWordingId, getDefaultBoxText } from '../shared/shoppers/consent-box.ts'

/** Builds a consent box with the store's wording, as the capture script reports it. */
export function buildConsentBox(channel: ConsentChannel, isGiven = true, storeName = 'Tea & Co') {
  const wording = getDefaultBoxText(channel, storeName)
  return { isGiven, wording, id: computeWordingId(wording) }
}
