import { listNumbers } from '../people.ts'
import { describeMail, type Invariant } from './scene.ts'

// X5: above the limits on new contacts a cart is kept, and its contact is not written to until an order confirms it.

export const X5: Invariant = ({ harness, fresh }) =>
  fresh
    // A browser says who it is by itself.
    .filter(({ to, channel }) => channel !== 'push' && !harness.usable.has(listNumbers(to)[0]!))
    .map((mail) => `${describeMail(mail)} left, and only posts above the limits have named that address`)
