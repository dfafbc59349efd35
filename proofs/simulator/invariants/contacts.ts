import { listNumbers } from '../people.ts'
import { describeMail, type Invariant } from './scene.ts'

// X5: above the limits on new contacts a cart is stored, but its contact gets no message until an order confirms it.

export const X5: Invariant = ({ harness, fresh }) =>
  fresh
    // A browser's subscription is its own contact.
    .filter(({ to, channel }) => channel !== 'push' && !harness.usable.has(listNumbers(to)[0]!))
    .map((mail) => `${describeMail(mail)} was sent although only posts above the limits named that address`)
