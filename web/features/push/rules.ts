import { type PushFrequency, type PushMethod, type PushPrompt, pushLimits } from '../../../shared/delivery/push.ts'
import { contrastRatio, formatRatio, MIN_CONTRAST } from '../../../shared/messages/brand.ts'
import { formatCount } from '../../core/ui/format.ts'

// Texts and input rules of the web push screens. Pure.

/** Result of an action: a green tick or a red cross (A 4.5). */
export interface PushActionResult {
  isGood: boolean
  text: string
}

export const succeeded = (text: string): PushActionResult => ({ isGood: true, text })
export const createFailure = (text: string): PushActionResult => ({ isGood: false, text })

/** A 8: a cross and the error's message. */
export const toFailure = (error: Error): PushActionResult => createFailure(`Error: ${error.message}`)

export const COPY_FAILED = createFailure('Failed to copy to clipboard')

export const frequencyLabels: Record<PushFrequency, string> = {
  immediate: 'Immediately, once the cart is abandoned',
  '1hour': '1 hour after the last activity',
  '6hours': '6 hours after the last activity',
  '24hours': '24 hours after the last activity',
  custom: 'Custom delay',
}

/** A 5: invalid input becomes 0. */
export const parseDelay = (typed: string | number): number => clampNumber(typed, 0, pushLimits.delayMinutes)

/** A 5: invalid input becomes 1. */
export const parseMaximum = (typed: string | number): number => clampNumber(typed, 1, pushLimits.notifications)

function clampNumber(typed: string | number, least: number, most: number): number {
  const number = typed === '' ? Number.NaN : Number(typed)
  return Number.isInteger(number) && number >= least && number <= most ? number : least
}

export const methodNames: Record<PushMethod, string> = {
  plugin: 'The Recoup plugin',
  functions: 'Functions.php',
  easy: 'Easy Integration',
  button: 'Manual Button',
}

/** How web push runs in the shop now; null: it was not seen working. */
export const findWorkingMethod = (
  seen: readonly { method: PushMethod; workerAt: string | null }[],
): PushMethod | null => seen.find(({ workerAt }) => workerAt !== null)?.method ?? null

export const describeReach = (subscribers: number): string =>
  `This is sent to ${formatCount(subscribers)} real ${subscribers === 1 ? 'subscriber' : 'subscribers'}.`

export const formatHost = (origin: string): string => (URL.canParse(origin) ? new URL(origin).host : origin)

const isColour = (text: string) => /^#[0-9a-f]{6}$/.test(text)

export type PromptProblems = Partial<Record<keyof PushPrompt, string>>

/** What blocks saving the prompt: missing texts and unreadable color pairs. */
export function checkPrompt(prompt: PushPrompt): PromptProblems {
  const problems: PromptProblems = {}
  for (const name of ['title', 'text', 'accept', 'decline'] as const)
    if (prompt[name].trim() === '') problems[name] = 'Enter a text'
  for (const name of colourFields) if (!isColour(prompt[name])) problems[name] = 'Enter a color such as #1f2937'
  const pairs = [
    ['color', 'background'],
    ['buttonColor', 'button'],
  ] as const
  for (const [text, ground] of pairs) {
    if (problems[text] || problems[ground]) continue
    const ratio = contrastRatio(prompt[text], prompt[ground])
    if (ratio < MIN_CONTRAST)
      problems[text] = `This text is hard to read: contrast ${formatRatio(ratio)}, at least ${MIN_CONTRAST}:1 needed`
  }
  return problems
}

export const colourFields = ['background', 'color', 'button', 'buttonColor'] as const

/** Colors of the preview while a color is being typed. */
export const toPickerColour = (text: string): string => (isColour(text) ? text : '#000000')

export interface NotificationText {
  title: string
  body: string
}

/** A text with Liquid is shown once the server has rendered it. */
export const needsRendering = (text: string): boolean => /\{[{%]/.test(text)
