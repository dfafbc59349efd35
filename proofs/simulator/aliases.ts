import { createSeededRandom } from './random.ts'
import type { Act, Step } from './steps.ts'

// One mailbox, several addresses: in some scenarios people use an alias in forms and at checkout. Uses a random stream
// of its own, so that other scenarios stay the same.

const HAVE_THEM = 0.25
const USED = 0.4
const DICE = 0x5a11a5

export const buildAlias = (email: string): string => email.replace('@', '+tea@')

/** Finds the mailbox of an address; does not use the engine's rules. */
export const findMailbox = (email: string): string => email.replace('+tea@', '@')

export function addAliases(seed: number, steps: readonly Step[]): Step[] {
  const dice = createSeededRandom(seed ^ DICE)
  if (!dice.isLucky(HAVE_THEM)) return [...steps]
  const aliasSometimes = <Email extends string | null | undefined>(email: Email) =>
    email && dice.isLucky(USED) ? (buildAlias(email) as Email) : email
  const change = <Some extends Act>(act: Some): Some => {
    if (act.do === 'order') return { ...act, email: aliasSometimes(act.email) }
    if (act.do === 'post' && act.contact?.email)
      return { ...act, contact: { ...act.contact, email: aliasSometimes(act.contact.email) } }
    if (act.do === 'at once') return { ...act, acts: act.acts.map(change) }
    if (act.do === 'work' && act.meanwhile) {
      return { ...act, meanwhile: { ...act.meanwhile, steps: act.meanwhile.steps.map(change) } }
    }
    return act
  }
  return steps.map(change)
}
