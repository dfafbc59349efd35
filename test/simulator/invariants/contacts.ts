import { numbersOf } from '../people.ts'
import { type Invariant, name } from './scene.ts'

// X5: above the limits on new contacts a cart is kept, and its contact is not written to until an order confirms it.

export const X5: Invariant = ({ harness, fresh }) =>
  fresh
    // A browser says who it is by itself.
    .filter(({ to, channel }) => channel !== 'push' && !harness.usable.has(numbersOf(to)[0]!))
    .map((mail) => `${name(mail)} left, and only posts above the limits have named that address`)
