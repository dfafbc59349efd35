import type { Check } from '../../../shared/core/checks.ts'
import { capabilities, type PlatformName } from '../../../shared/platforms/platforms.ts'
import { type CaptureMode, captureModeTexts } from '../../../shared/shoppers/capture-mode.ts'
import { boxChannels, type ConsentBoxes } from '../../../shared/shoppers/consent-box.ts'
import { isAlive, type PluginRow } from '../../access/plugin/public.ts'
import { pickNewest } from '../../access/stores/public.ts'

// The doctor's checks of consent: the setting before consent, and the boxes. Pure.

interface ConsentFindings {
  now: Date
  platform: PlatformName
  beforeConsent: CaptureMode | null
  boxes: ConsentBoxes
  plugin: PluginRow | null
}

type CheckResult = Pick<Check, 'state' | 'finding'> & Partial<Check>
type FormatAge = (at: Date) => string

export const buildConsentChecks = (
  found: ConsentFindings,
  ago: FormatAge,
): [id: string, title: string, said: CheckResult][] => [
  ['before-consent', 'Before consent', checkBeforeConsent(found)],
  ['boxes', 'Consent boxes', checkBoxes(found, ago)],
]

const CONSENT_OF_SHOP = 'the shop’s own checkout asks for consent, and Recoup imports the answers with their time.'

const boxNames = { email: 'email', sms: 'SMS', whatsapp: 'WhatsApp' } as const
const joinChannels = (channels: readonly (keyof typeof boxNames)[]) =>
  channels.map((channel) => boxNames[channel]).join(', ')

/** Boxes are optional: having none is not a fault. A box with another text looks like a consent but is none. */
function checkBeforeConsent({ beforeConsent }: ConsentFindings): CheckResult {
  const nextStep = 'Choose under Settings → Consent → Before consent.'
  if (beforeConsent === null) {
    const finding = 'Choose what is stored before shoppers agree. Until you choose, Recoup stores cart and contact.'
    return { state: 'warn', finding, nextStep }
  }
  const { title, sentence } = captureModeTexts[beforeConsent]
  return { state: 'good', finding: `${title}. ${sentence}` }
}

function checkBoxes(
  { boxes: { boxes, checkoutSeenAt }, now, plugin, platform }: ConsentFindings,
  ago: FormatAge,
): CheckResult {
  if (capabilities[platform].consentObjects) {
    return { state: 'good', finding: `Not needed: ${CONSENT_OF_SHOP}` }
  }
  const sighted = boxes.filter(({ seenAt }) => seenAt !== null)
  const other = sighted.filter(({ isCurrent }) => !isCurrent).map(({ channel }) => channel)
  if (other.length > 0) {
    return {
      state: 'warn',
      finding: `The checkout shows a box with different text from yours for ${joinChannels(other)}. Its ticks are not counted.`,
      nextStep: 'Copy the box again under Settings → Consent → Boxes, and replace it on your checkout.',
    }
  }
  if (sighted.length > 0) {
    const last = pickNewest(sighted.map(({ seenAt }) => new Date(seenAt!)))!
    return {
      state: 'good',
      finding: `Seen on your checkout: ${joinChannels(sighted.map(({ channel }) => channel))}, ${ago(last)}.`,
    }
  }
  if (isAlive(plugin ?? undefined, now)) {
    const displayed = boxChannels.filter((channel) => plugin?.health?.boxes.includes(channel))
    if (!plugin?.health) {
      return { state: 'quiet', finding: 'The plugin has not reported yet which boxes the checkout shows.' }
    }
    const hasBoxes = displayed.length > 0
    const boxText = hasBoxes ? `shows boxes for ${joinChannels(displayed)}` : 'shows no consent box'
    const checkout = checkoutSeenAt
      ? `the checkout was seen ${ago(new Date(checkoutSeenAt))}${hasBoxes ? ' without them' : ''}`
      : 'no checkout has been seen yet'
    const nextStep = hasBoxes
      ? 'Open your checkout once: this row then shows which boxes were seen there.'
      : 'Choose the boxes on the plugin’s screen in WordPress.'
    return { state: 'quiet', finding: `The plugin ${boxText}; ${checkout}.`, nextStep }
  }
  const finding = checkoutSeenAt
    ? `The script saw your checkout ${ago(new Date(checkoutSeenAt))}, but found no consent box.`
    : 'The script has not seen your checkout yet, so its consent boxes are unknown.'
  return {
    state: 'quiet',
    finding,
    nextStep: 'Where consent is needed, copy the boxes under Settings → Consent → Boxes into your checkout.',
  }
}
