import { describeMail, type Invariant, MOMENT_MS } from './scene.ts'

// C8: of an erased person only a hash remains, and they get no message.

export const C8: Invariant = ({ fresh, traces }) => [
  ...fresh
    .filter(({ at, sendBlocks }) => sendBlocks.erasedSince !== null && at - sendBlocks.erasedSince >= MOMENT_MS)
    .map((mail) => `${describeMail(mail)} was sent after that person was erased`),
  ...traces,
]
