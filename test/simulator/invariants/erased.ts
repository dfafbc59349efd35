import { describeMail, type Invariant, MOMENT_MS } from './scene.ts'

// C8: of whoever was erased nothing is left but a hash, and nothing reaches them.

export const C8: Invariant = ({ fresh, traces }) => [
  ...fresh
    .filter(({ at, standing }) => standing.erasedSince !== null && at - standing.erasedSince >= MOMENT_MS)
    .map((mail) => `${describeMail(mail)} left after that person was erased`),
  ...traces,
]
