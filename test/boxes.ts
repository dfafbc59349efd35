import type { ConsentChannel } from '../shared/consent.ts'
import { defaultBoxText, wordingId } from '../shared/consent-box.ts'

/** A consent box of the store's own words, as the capture script reports it ticked or unticked. */
export function buildConsentBox(channel: ConsentChannel, isGiven = true, storeName = 'Tea & Co') {
  const wording = defaultBoxText(channel, storeName)
  return { isGiven, wording, id: wordingId(wording) }
}
