import type { SaveEffect } from '../../shared/flows.ts'
import { formatCount } from '../ui/format.ts'

// Describes what a save does to scheduled messages. Pure.

/** "14 messages move, 3 are cancelled". */
export function describeEffect(effect: SaveEffect): string {
  const { moved, dueNow, overtaken, cancelled, added, tooLate, changed } = effect
  const parts: [count: number, one: string, many: string][] = [
    [moved, 'moves', 'move'],
    [cancelled, 'is cancelled', 'are cancelled'],
    [added, 'is added', 'are added'],
    [changed, 'changes', 'change'],
  ]
  const told = parts.filter(([count]) => count > 0)
  if (told.length === 0 && tooLate === 0 && overtaken === 0) return 'No planned message is affected'
  const sentence = told
    .map(([count, one, many], index) => {
      const noun = index > 0 ? '' : count === 1 ? ' message' : ' messages'
      return `${formatCount(count)}${noun} ${count === 1 ? one : many}`
    })
    .join(', ')
  return [
    sentence,
    dueNow > 0 &&
      `${formatCount(dueNow)} of them ${dueNow === 1 ? 'is' : 'are'} due at once, as the new time has passed`,
    overtaken > 0 &&
      `${formatCount(overtaken)} ${overtaken === 1 ? 'message is' : 'messages are'} not sent, as a later one has left or is due`,
    tooLate > 0 && `${formatCount(tooLate)} ${tooLate === 1 ? 'cart is' : 'carts are'} too late for an added message`,
  ]
    .filter(Boolean)
    .join('. ')
}
